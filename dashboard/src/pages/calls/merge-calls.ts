import type { Generation } from '../../../../src/api/generations.ts';

/** Calls of several pages, newest first, each once. The id of a call begins with its time. */
export function mergeCalls(...lists: readonly (readonly Generation[])[]): readonly Generation[] {
  const unique = new Map(lists.flat().map((call) => [call.id, call]));
  return [...unique.values()].toSorted((one, other) => (one.id < other.id ? 1 : -1));
}

/**
 * The calls that a list lacks, in the part of time that it shows: older ones come when it is
 * continued. A call is stored when it ends, so it may belong between calls that are shown already.
 */
export function newCalls(
  found: readonly Generation[],
  shown: readonly Generation[],
  isWhole: boolean,
): readonly Generation[] {
  const known = new Set(shown.map(({ id }) => id));
  const oldest = isWhole ? '' : (shown.at(-1)?.id ?? '');
  return found.filter(({ id }) => !known.has(id) && id > oldest);
}
