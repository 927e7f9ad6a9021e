import { type EventFields, isNotLive, isVersion } from './changed-versions.ts';

/** The parts of texts about events. */

/** Text, a person by their address, or a version to link to. */
export type SentencePart =
  | string
  | { readonly person: string }
  | { readonly version: number; readonly text: string };

/** Part of a text that names the subject of an event: text, the subject, a version or a person. */
export type PhrasePart =
  | string
  | typeof subject
  | { readonly version: number }
  /** Links to a call by its id, in the workspace of the event. */
  | { readonly call: string }
  /** Names a person by their address, or by their id if it is unknown. */
  | { readonly person: string };

export const subject = { isSubject: true } as const;

/** The values that an event changed, before or after it. */
export type EventValues = NonNullable<EventFields['after']>;

export function version(value: unknown): SentencePart {
  return isVersion(value) ? { version: value, text: `version ${value}` } : `version ${shown(value)}`;
}

export function number(value: unknown): SentencePart {
  return isVersion(value) ? { version: value, text: String(value) } : shown(value);
}

export function versionPart(version: unknown): PhrasePart {
  return isVersion(version) ? { version } : 'a version';
}

/** The note of a version at the end of its sentence, if it has one. */
export function note(text: unknown): string {
  return typeof text === 'string' ? `: ${quoted(text)}` : '';
}

/** Details of a new version: its note, and whether it went live. */
export function remarks(after: EventValues): readonly string[] {
  const found = [
    ...(typeof after.note === 'string' ? [`with the note ${quoted(after.note)}`] : []),
    ...(isNotLive(after) ? ['without making it live'] : []),
  ];
  return found.length === 0 ? [] : [found.join(', ')];
}

export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

export function shown(value: unknown): string {
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
