import type { Label, Preset, PresetVersion, PresetVersionDetails } from '../../client/preset-answers.ts';
import { printable } from '../../client/printable.ts';
import { type KeyValue, renderKeyValueList } from '../key-value-list.ts';
import type { Paint } from '../paint.ts';
import { shortTime } from '../short-time.ts';

export interface ShownPreset {
  readonly preset: Preset;
  /** The version to show, which need not be the live one. */
  readonly version: PresetVersionDetails;
  readonly labels: readonly Label[];
  readonly latest: number;
}

/** The properties of a preset, followed by the contents of one version. */
export function renderPreset({ preset, version, labels, latest }: ShownPreset, paint: Paint): string {
  const live = preset.designated_version.version;
  const entries: readonly KeyValue[] = [
    ['name', preset.name],
    ['description', preset.description ?? ''],
    ['status', preset.status],
    [
      'version',
      `${version.version} of ${latest}${version.version === live ? ', live' : `; version ${live} is live`}`,
    ],
    ['saved', `${shortTime(version.created_at)} by ${creatorOf(version)}`],
    ['labels', labels.map(({ label, version: number }) => `${label}=${number}`).join(' ')],
    ['created', shortTime(preset.created_at)],
    ['updated', shortTime(preset.updated_at)],
  ];
  return [
    renderKeyValueList(`${preset.slug}@${version.version}`, entries, paint),
    '',
    renderVersion(version, paint),
  ].join('\n');
}

/**
 * Falls back to the ID for members who have left, and for servers before 0.6.0, which send no
 * address.
 */
export function creatorOf({ creator_email, creator_id }: PresetVersionDetails): string {
  return creator_email ?? creator_id;
}

/** The prompt is shown as text, separate from the config, which is how people edit it. */
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

/** Empty lines stay empty, without trailing spaces. */
function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
