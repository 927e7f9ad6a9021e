import type { Label, Preset, PresetVersion, PresetVersionDetails } from '../../client/preset-answers.ts';
import { printable } from '../../client/printable.ts';
import { type KeyValue, renderKeyValueList } from '../key-value-list.ts';
import type { Paint } from '../paint.ts';
import { shortTime } from '../short-time.ts';

export interface ShownPreset {
  readonly preset: Preset;
  /** The one to show; it need not be the live one. */
  readonly version: PresetVersionDetails;
  readonly labels: readonly Label[];
  readonly latest: number;
}

/** A preset as a page for people: what it is, then what it says. */
export function renderPreset({ preset, version, labels, latest }: ShownPreset, paint: Paint): string {
  const live = preset.designated_version.version;
  const facts: readonly KeyValue[] = [
    ['name', preset.name],
    ['description', preset.description ?? ''],
    ['status', preset.status],
    [
      'version',
      `${version.version} of ${latest}${version.version === live ? ', live' : `; version ${live} is live`}`,
    ],
    ['stored', `${shortTime(version.created_at)} by ${creatorOf(version)}`],
    ['labels', labels.map(({ label, version: number }) => `${label}=${number}`).join(' ')],
    ['created', shortTime(preset.created_at)],
    ['updated', shortTime(preset.updated_at)],
  ];
  return [
    renderKeyValueList(`${preset.slug}@${version.version}`, facts, paint),
    '',
    renderVersion(version, paint),
  ].join('\n');
}

/** By e-mail address where the server knows one: people leave, and servers before 0.6.0 tell ids only. */
export function creatorOf({ creator_email, creator_id }: PresetVersionDetails): string {
  return creator_email ?? creator_id;
}

/** The system prompt and the config of a version. */
export function renderVersion(
  { system_prompt, config }: Pick<PresetVersion, 'system_prompt' | 'config'>,
  paint: Paint,
): string {
  return [
    paint('bold', 'System prompt'),
    indent(system_prompt === null ? paint('dim', '(none)') : printable(system_prompt)),
    '',
    paint('bold', 'Config'),
    indent(printable(JSON.stringify(config, null, 2))),
  ].join('\n');
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
