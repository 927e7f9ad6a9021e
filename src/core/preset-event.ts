export const eventKinds = [
  'preset.created',
  'preset.version_added',
  'preset.designated',
  'preset.label_moved',
  'preset.label_removed',
  'preset.renamed',
  'preset.described',
  'preset.disabled',
  'preset.enabled',
  'preset.archived',
  'preset.restored',
  'preset.imported',
] as const;

export type EventKind = (typeof eventKinds)[number];

/** The values that a change is about, as they were or have become. */
export type EventValues = Readonly<Record<string, string | number | boolean | null>>;

/** One change as the rules see it; who made it, and when, is known to those who write it down. */
export interface NewEvent {
  readonly id: string;
  readonly kind: EventKind;
  readonly before: EventValues | null;
  readonly after: EventValues | null;
}

export interface PresetEvent extends NewEvent {
  /** Counts the changes of one preset from 1. */
  readonly number: number;
  readonly actorId: string;
  readonly actorEmail: string | null;
  /** Null for what happened before keys were written down. */
  readonly keyLabel: string | null;
  readonly createdAt: string;
}

/** Who makes a change. */
export interface Author {
  readonly userId: string;
  /** Null for what is done on the database itself. */
  readonly keyLabel: string | null;
}

/** A version has exactly one event, which shares its id. Before the first version, 0 was designated. */
export function versionEvent(versionId: string, version: number, designatedBefore: number): NewEvent {
  return {
    id: versionId,
    kind: version === 1 ? 'preset.created' : 'preset.version_added',
    before: designatedBefore === 0 ? null : { designated_version: designatedBefore },
    after: { version, designated_version: version },
  };
}
