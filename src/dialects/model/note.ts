import type { JsonObject } from '../../core/json/json-object.ts';

/**
 * The field in which presetd says what is wrong with a translated response: the parts that were
 * lost, and the required ones that the upstream did not send. Empty if nothing is.
 */
export function writeNote(dropped: Iterable<string>, missing: Iterable<string>): JsonObject {
  const lists = Object.entries({ dropped_fields: dropped, missing_fields: missing })
    .map(([name, paths]) => [name, [...new Set(paths)].toSorted()] as const)
    .filter(([, paths]) => paths.length > 0);
  return lists.length === 0 ? {} : { presetd: Object.fromEntries(lists) };
}
