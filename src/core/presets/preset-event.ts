import type { EventValues } from '../event.ts';
import { detailEvents, type Extension, type PresetVersion } from './preset.ts';

export const eventKinds = [
  'preset.created',
  'preset.version_added',
  'preset.designated',
  'preset.label_moved',
  'preset.label_removed',
  'preset.slug_changed',
  'preset.alias_added',
  'preset.alias_removed',
  'preset.tagged',
  'preset.case_saved',
  'preset.case_renamed',
  'preset.case_removed',
  'preset.disabled',
  'preset.enabled',
  'preset.archived',
  'preset.restored',
  'preset.imported',
  ...Object.values(detailEvents),
] as const;

export type EventKind = (typeof eventKinds)[number];

/** An event as a rule creates it. The store adds the actor, the time and the number. */
export interface NewEvent {
  readonly id: string;
  readonly kind: EventKind;
  readonly before: EventValues | null;
  readonly after: EventValues | null;
}

export interface PresetEvent extends NewEvent {
  /** Consecutive within a preset, starting at 1. */
  readonly number: number;
  readonly actorId: string;
  readonly actorEmail: string | null;
  /** Null for events recorded before presetd stored key labels. */
  readonly keyLabel: string | null;
  readonly createdAt: string;
}

/**
 * The event of a new version, which shares the version's id. `designatedBefore` is 0 for the first
 * version; `designatedAfter` is another version if this one did not go live.
 */
export function versionEvent(
  { id, version, extensionJson }: Pick<PresetVersion, 'id' | 'version' | 'extensionJson'>,
  designatedBefore: number,
  designatedAfter = version,
): NewEvent {
  const { note }: Extension = extensionJson === null ? {} : JSON.parse(extensionJson);
  return {
    id,
    kind: version === 1 ? 'preset.created' : 'preset.version_added',
    before: designatedBefore === 0 ? null : { designated_version: designatedBefore },
    after: {
      version,
      designated_version: designatedAfter,
      ...(designatedAfter !== version && { live: false }),
      ...(note !== undefined && { note }),
    },
  };
}
