import { isStorableText } from '../core/request-issues.ts';
import { parseValueFilter } from './filter.ts';
import { memberIdOf, referencedId } from './group-resource.ts';
import { type Operation, readOperations } from './patch.ts';
import { isObject, readValue } from './read-resource.ts';
import { findAttribute, groupSchema } from './schema.ts';

/**
 * The members that a PATCH body adds to a group (true) or removes from it (false), by id; undefined
 * if it does anything else. Providers send one change at a time to groups of any size, so these
 * patches are applied without reading the group.
 */
export function readMemberChanges(body: unknown): ReadonlyMap<string, boolean> | undefined {
  const changes = new Map<string, boolean>();
  for (const operation of readOperations(body)) {
    const ids = namedMembers(operation);
    if (ids === undefined) return undefined;
    for (const id of ids) changes.set(id, operation.op === 'add');
  }
  return changes;
}

function namedMembers({ op, path = '', value }: Operation): readonly string[] | undefined {
  const members = findAttribute(groupSchema.attributes, 'members');
  const match = /^members(?:\[(?<filter>.*)\])?$/is.exec(path);
  if (members === undefined || match === null || op === 'replace') return undefined;
  const filter = match.groups?.filter;
  if (op === 'add') {
    if (filter !== undefined) return undefined;
    return ((readValue(members, value, 'members') ?? []) as readonly unknown[]).map(memberIdOf);
  }
  if (filter === undefined) return value === undefined || value === null ? undefined : idsIn(value);
  const { equality } = parseValueFilter(members, filter);
  return equality?.path === 'value' ? idsIn(equality.value) : undefined;
}

/** Text that no database can store is not the id of a member. */
function idsIn(value: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.map((item) => String(isObject(item) ? referencedId(item) : item)).filter(isStorableText);
}
