import type { PresetEvent } from '../../../src/client/preset-answers.ts';

/**
 * The events after a preset was as it was seen, newest first. A change in the same millisecond cannot be told from the
 * last one that was seen, so those of that time are taken where there are no later ones.
 */
export function eventsSince(updatedAt: string, events: readonly PresetEvent[]): readonly PresetEvent[] {
  const seenAt = Date.parse(updatedAt);
  const later = events.filter(({ created_at }) => Date.parse(created_at) > seenAt);
  if (later.length > 0) return later;
  return events.filter(({ created_at }) => Date.parse(created_at) === seenAt);
}
