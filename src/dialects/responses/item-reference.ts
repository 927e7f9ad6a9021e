import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';

/**
 * Whether an input item is nothing but an id, and means nothing without what is stored under it.
 * Its type may be missing. Reasoning without content is not one: it can be left out.
 */
export function isItemReference(item: unknown): item is JsonObject {
  if (!isJsonObject(item) || item.type === 'reasoning') return false;
  const { id, type, status: _, ...content } = item;
  return type === 'item_reference' || (typeof id === 'string' && Object.values(content).every(isEmpty));
}

export function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || value === '';
}
