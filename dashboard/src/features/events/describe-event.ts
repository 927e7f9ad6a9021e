import type { PresetEvent } from '../../../../src/api/events.ts';
import { type EventFields, isNotLive, isVersion } from './changed-versions.ts';

type DescribedEvent = EventFields & Pick<PresetEvent, 'actor_email'>;

/** Text, or a version to link to. */
export type SentencePart = string | { readonly version: number; readonly text: string };

/** An event as a sentence: "owner@localhost made version 3 live (was 1)". */
export function describeEvent(event: DescribedEvent): readonly SentencePart[] {
  const describe = sentences[event.kind] ?? describeUnknown;
  const predicate = describe(event);
  return [`${event.actor_email ?? 'Someone'} `, ...(typeof predicate === 'string' ? [predicate] : predicate)];
}

/** Predicates by event kind. Versions are separate parts, so that they can be links. */
const sentences: Readonly<Record<string, (event: DescribedEvent) => string | readonly SentencePart[]>> = {
  'preset.created': ({ after }) => ['created the preset with ', version(1), note(after?.note)],
  'preset.version_added': ({ before, after }) => [
    'added ',
    version(after?.version),
    ...(isNotLive(after)
      ? [' without making it live']
      : [' and made it live (was ', number(before?.designated_version), ')']),
    note(after?.note),
  ],
  'preset.designated': ({ before, after }) => [
    'made ',
    version(after?.designated_version),
    ' live (was ',
    number(before?.designated_version),
    ')',
  ],
  'preset.label_moved': ({ before, after }) =>
    before?.version == null
      ? [`added label ${shown(after?.label)} to `, version(after?.version)]
      : [`moved label ${shown(after?.label)} from `, version(before.version), ' to ', number(after?.version)],
  'preset.label_removed': ({ before }) => [
    `removed label ${shown(before?.label)} from `,
    version(before?.version),
  ],
  'preset.renamed': ({ before, after }) =>
    `renamed the preset from ${quoted(before?.name)} to ${quoted(after?.name)}`,
  'preset.slug_changed': ({ before, after }) =>
    `changed the slug from ${shown(before?.slug)} to ${shown(after?.slug)}`,
  'preset.alias_added': ({ after }) => `added alias ${shown(after?.alias)}`,
  'preset.alias_removed': ({ before }) => `removed alias ${shown(before?.alias)}`,
  'preset.described': ({ before, after }) => describeDescription(before?.description, after?.description),
  'preset.tagged': ({ after }) =>
    isEmpty(after?.tags) ? 'removed all tags' : `set the tags to ${shown(after?.tags)}`,
  'preset.case_saved': ({ before, after }) =>
    `${isEmpty(before?.case) ? 'added' : 'changed'} case “${shown(after?.case)}”`,
  'preset.case_renamed': ({ before, after }) =>
    `renamed case “${shown(before?.case)}” to “${shown(after?.case)}”`,
  'preset.case_removed': ({ before }) => `removed case “${shown(before?.case)}”`,
  'preset.disabled': () => 'disabled the preset',
  'preset.enabled': () => 'enabled the preset',
  'preset.archived': () => 'archived the preset',
  'preset.restored': () => 'restored the preset',
  'preset.imported': () => 'imported the preset',
};

/** The note of a version at the end of its sentence, if it has one. */
function note(text: unknown): string {
  return typeof text === 'string' ? `: ${quoted(text)}` : '';
}

/** Setting, changing and removing a description are the same kind of event. */
function describeDescription(before: unknown, after: unknown): string {
  if (isEmpty(after)) return `removed the description ${quoted(before)}`;
  if (isEmpty(before)) return `set the description to ${quoted(after)}`;
  return `changed the description from ${quoted(before)} to ${quoted(after)}`;
}

/** A newer server may send kinds that this page does not know. */
function describeUnknown({ kind, before, after }: EventFields): string {
  const names = [...new Set([before, after].flatMap((side) => Object.keys(side ?? {})))];
  const changes = names.map((name) => `${words(name)} ${shown(before?.[name])} → ${shown(after?.[name])}`);
  return `made a change (${words(kind.replace(/^preset\./, ''))}): ${changes.join(', ')}`;
}

function version(value: unknown): SentencePart {
  return isVersion(value) ? { version: value, text: `version ${value}` } : `version ${shown(value)}`;
}

function number(value: unknown): SentencePart {
  return isVersion(value) ? { version: value, text: String(value) } : shown(value);
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' ? clip(value) : clip(JSON.stringify(value));
}

/** A text of a user in quotes, shortened so that an event stays about a line. */
export function quoted(value: unknown): string {
  return `“${shown(value)}”`;
}

const shownMax = 160;

function clip(text: string): string {
  return text.length > shownMax ? `${text.slice(0, shownMax - 1).trimEnd()}…` : text;
}
