import type { PresetEvent } from '../../../src/client/preset-answers.ts';

/**
 * The events after a snapshot was taken, newest first. Timestamps have milliseconds, so an event of
 * the same millisecond may be newer than the snapshot; those are returned only if none is later.
 */
export function eventsSince(updatedAt: string, events: readonly PresetEvent[]): readonly PresetEvent[] {
  const snapshotAt = Date.parse(updatedAt);
  const later = events.filter(({ created_at }) => Date.parse(created_at) > snapshotAt);
  if (later.length > 0) return later;
  return events.filter(({ created_at }) => Date.parse(created_at) === snapshotAt);
}
