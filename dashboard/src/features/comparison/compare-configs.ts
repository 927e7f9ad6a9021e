import { runToCompletion } from '../../../../src/core/concurrency/cooperative-task.ts';
import { createJsonInterner, isContainer } from '../../../../src/core/json/json-interner.ts';
import { toolIdentity } from '../../../../src/dialects/model/tool-identity.ts';
import { isPlainJsonObject, type JsonObject } from '../version-content/config-values.ts';

/** One field of two configs; `from` or `to` is undefined on the side that lacks it. */
export interface FieldComparison {
  /** Such as `provider.order` or `tools › get_weather › function.description`. */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed' | 'same';
  readonly from: unknown;
  readonly to: unknown;
  /** Set if the value was too deeply nested to compare its parts. */
  readonly isCoarse?: true;
}

/** A longer path is unreadable, and repeating it for every field below would fill the page. */
const pathCharactersMax = 2_000;

/**
 * Compares field by field, descending into objects that both sides have. Field order is irrelevant;
 * list order is not.
 */
export function compareConfigs(from: JsonObject, to: JsonObject): readonly FieldComparison[] {
  const interner = createJsonInterner();
  for (const config of [from, to]) runToCompletion(interner.intern(config));
  const fields: FieldComparison[] = [];
  compareObjects(undefined, from, to);
  return fields;

  function compareObjects(path: Path | undefined, before: JsonObject, after: JsonObject): void {
    for (const name of Object.keys(before))
      compareValues(fieldIn(path, name), before[name], ownValue(after, name));
    for (const name of Object.keys(after))
      if (!Object.hasOwn(before, name)) compareValues(fieldIn(path, name), undefined, after[name]);
  }

  function compareValues(path: Path, before: unknown, after: unknown): void {
    const add = (kind: FieldComparison['kind'], isCoarse = false) =>
      fields.push({ path: path.text, kind, from: before, to: after, ...(isCoarse && { isCoarse }) });
    if (before === undefined) add('added');
    else if (after === undefined) add('removed');
    else if (interner.isEqual(before, after)) add('same');
    else if (path.text.length > pathCharactersMax) add('changed', isContainer(before) && isContainer(after));
    else if (isPlainJsonObject(before) && isPlainJsonObject(after)) compareObjects(path, before, after);
    else if (!compareLists(path, before, after)) add('changed');
  }

  /**
   * Matches items by name, so that inserting one at the front does not change all others. Returns
   * false if the items have no unique names.
   */
  function compareLists({ text }: Path, before: unknown, after: unknown): boolean {
    const older = itemsByName(before);
    const newer = itemsByName(after);
    if (older === undefined || newer === undefined) return false;
    const itemAt = (name: string): Path => ({ text: `${text} › ${name}`, isItem: true });
    for (const [name, item] of older) compareValues(itemAt(name), item, newer.get(name));
    for (const [name, item] of newer) if (!older.has(name)) compareValues(itemAt(name), undefined, item);
    const [namesBefore, namesAfter] = [
      [...older.keys()].filter((name) => newer.has(name)),
      [...newer.keys()].filter((name) => older.has(name)),
    ];
    if (namesBefore.some((name, index) => name !== namesAfter[index]))
      fields.push({ path: `${text} (order)`, kind: 'changed', from: namesBefore, to: namesAfter });
    return true;
  }
}

/** Inherited properties, such as `constructor`, are not fields. */
function ownValue(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

interface Path {
  readonly text: string;
  /**
   * Ends with an item's name, which is separated from the item's fields by "›" instead of a dot.
   */
  readonly isItem: boolean;
}

/** Appends a field to a path, quoted if it is not a plain word. */
function fieldIn(path: Path | undefined, name: string): Path {
  const shown = /^[\w$-]+$/.test(name) ? name : JSON.stringify(name);
  if (path === undefined) return { text: shown, isItem: false };
  return { text: `${path.text}${path.isItem ? ' › ' : '.'}${shown}`, isItem: false };
}

/**
 * The items of a list by name; undefined if the value is not a list, an item has no name, or a name
 * occurs twice.
 */
function itemsByName(list: unknown): ReadonlyMap<string, unknown> | undefined {
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
  if (isPlainJsonObject(item) && typeof item.id === 'string') return item.id;
  return toolIdentity(item)?.replace(/^(name|type) /, '');
}

/** About what fits in half a row. */
const shortMax = 64;

/**
 * Formats two values for side-by-side display: long strings as plain text, everything else as JSON.
 */
export function valueTexts(from: unknown, to: unknown): readonly [from: string, to: string] {
  const isReadable = typeof from === 'string' && typeof to === 'string' && (isLong(from) || isLong(to));
  return isReadable ? [from, to] : [valueText(from), valueText(to)];
}

/** On one line if it is short; empty for undefined. */
export function valueText(value: unknown): string {
  if (typeof value === 'string' && isLong(value)) return value;
  const text = Array.isArray(value)
    ? // JSON.stringify puts no spaces after commas.
      `[${value.map((item) => JSON.stringify(item)).join(', ')}]`
    : (JSON.stringify(value) ?? '');
  return isLong(text) ? JSON.stringify(value, undefined, 2) : text;
}

/** Whether the text needs more than one line. */
export function isLong(text: string): boolean {
  return text.length > shortMax || text.includes('\n');
}
