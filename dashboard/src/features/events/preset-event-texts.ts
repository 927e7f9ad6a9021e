import type { EventKind } from '../../../../src/core/presets/preset-event.ts';
import { isNotLive } from './changed-versions.ts';
import {
  type EventValues,
  isEmpty,
  note,
  number,
  type PhrasePart,
  quoted,
  remarks,
  type SentencePart,
  shown,
  subject,
  version,
  versionPart,
} from './event-parts.ts';

/** How people find and read events of one kind. Texts get the values after and before the event. */
interface EventTexts {
  /** The filter of the history that shows it. */
  readonly about: 'versions' | 'labels' | 'names' | 'cases' | 'status';
  /** What the person did, in the history of the preset: "made version 3 live (was 1)". */
  readonly sentence: (after: EventValues, before: EventValues) => string | readonly SentencePart[];
  /** The same in the audit log, which names the preset: "made version 3 of preset support live". */
  readonly phrase: (after: EventValues, before: EventValues) => readonly PhrasePart[];
}

/** One entry per kind. A new kind does not compile until it has one here. */
export const presetEventTexts: Readonly<Record<EventKind, EventTexts>> = {
  'preset.created': {
    about: 'versions',
    sentence: (after) => ['created the preset with ', version(1), note(after.note)],
    phrase: (after) => ['created preset', subject, ...remarks(after)],
  },
  'preset.version_added': {
    about: 'versions',
    sentence: (after, before) => [
      'added ',
      version(after.version),
      ...(isNotLive(after)
        ? [' without making it live']
        : [' and made it live (was ', number(before.designated_version), ')']),
      note(after.note),
    ],
    phrase: (after) => ['added', versionPart(after.version), 'to preset', subject, ...remarks(after)],
  },
  'preset.designated': {
    about: 'versions',
    sentence: (after, before) => [
      'made ',
      version(after.designated_version),
      ' live (was ',
      number(before.designated_version),
      ')',
    ],
    phrase: (after) => ['made', versionPart(after.designated_version), 'of preset', subject, 'live'],
  },
  'preset.imported': {
    about: 'versions',
    sentence: () => 'imported the preset',
    phrase: () => ['imported preset', subject],
  },
  'preset.label_moved': {
    about: 'labels',
    sentence: ({ label, version: to }, { version: from }) =>
      from == null
        ? [`added label ${shown(label)} to `, version(to)]
        : [`moved label ${shown(label)} from `, version(from), ' to ', number(to)],
    phrase: ({ label, version: to }, { version: from }) => [
      `${from == null ? 'added' : 'moved'} label ${label} to`,
      versionPart(to),
      'of preset',
      subject,
    ],
  },
  'preset.label_removed': {
    about: 'labels',
    sentence: (_, { label, version: from }) => [`removed label ${shown(label)} from `, version(from)],
    phrase: (_, { label, version: from }) => [
      `removed label ${label} from`,
      versionPart(from),
      'of preset',
      subject,
    ],
  },
  'preset.renamed': {
    about: 'names',
    sentence: ({ name }, { name: old }) => `renamed the preset from ${quoted(old)} to ${quoted(name)}`,
    phrase: ({ name }) => ['renamed preset', subject, `to “${name}”`],
  },
  'preset.slug_changed': {
    about: 'names',
    sentence: ({ slug }, { slug: old }) => `changed the slug from ${shown(old)} to ${shown(slug)}`,
    phrase: ({ slug }, { slug: old }) => ['changed the slug of preset', subject, `from ${old} to ${slug}`],
  },
  'preset.alias_added': {
    about: 'names',
    sentence: ({ alias }) => `added alias ${shown(alias)}`,
    phrase: ({ alias }) => [`added alias ${alias} to preset`, subject],
  },
  'preset.alias_removed': {
    about: 'names',
    sentence: (_, { alias }) => `removed alias ${shown(alias)}`,
    phrase: (_, { alias }) => [`removed alias ${alias} from preset`, subject],
  },
  'preset.described': {
    about: 'names',
    sentence: ({ description }, { description: old }) => describeDescription(old, description),
    phrase: () => ['changed the description of preset', subject],
  },
  'preset.tagged': {
    about: 'names',
    sentence: ({ tags }) => (isEmpty(tags) ? 'removed all tags' : `set the tags to ${shown(tags)}`),
    phrase: ({ tags }) =>
      tags === null ? ['removed all tags of preset', subject] : ['tagged preset', subject, `with ${tags}`],
  },
  'preset.case_saved': {
    about: 'cases',
    sentence: ({ case: name }) => `saved case “${shown(name)}”`,
    phrase: ({ case: name }) => [`saved case “${name}” of preset`, subject],
  },
  'preset.case_renamed': {
    about: 'cases',
    sentence: ({ case: name }, { case: old }) => `renamed case “${shown(old)}” to “${shown(name)}”`,
    phrase: ({ case: name }, { case: old }) => [`renamed case “${old}” to “${name}” in preset`, subject],
  },
  'preset.case_removed': {
    about: 'cases',
    sentence: (_, { case: name }) => `removed case “${shown(name)}”`,
    phrase: (_, { case: name }) => [`removed case “${name}” from preset`, subject],
  },
  'preset.disabled': statusTexts('disabled'),
  'preset.enabled': statusTexts('enabled'),
  'preset.archived': statusTexts('archived'),
  'preset.restored': statusTexts('restored'),
};

function statusTexts(verb: string): EventTexts {
  return { about: 'status', sentence: () => `${verb} the preset`, phrase: () => [`${verb} preset`, subject] };
}

/** Setting, changing and removing a description are the same kind of event. */
function describeDescription(before: unknown, after: unknown): string {
  if (isEmpty(after)) return `removed the description ${quoted(before)}`;
  if (isEmpty(before)) return `set the description to ${quoted(after)}`;
  return `changed the description from ${quoted(before)} to ${quoted(after)}`;
}
