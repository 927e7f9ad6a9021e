import { isJsonObject } from '../../../src/dialects/json-object.ts';
import { toolIdentity } from '../../../src/dialects/tool-identity.ts';

/**
 * The items of a list by name; undefined if the value is no list, an item has no name, or a name
 * occurs twice.
 */
export function itemsByName(list: unknown): ReadonlyMap<string, unknown> | undefined {
  if (!Array.isArray(list)) return undefined;
  const items = new Map<string, unknown>();
  for (const item of list) {
    const name = nameOf(item);
    if (name === undefined || items.has(name)) return undefined;
    items.set(name, item);
  }
  return items;
}

/** Tools have a name or a type, plugins an ID. */
function nameOf(item: unknown): string | undefined {
  if (isJsonObject(item) && typeof item.id === 'string') return item.id;
  return toolIdentity(item)?.replace(/^(name|type) /, '');
}
