import type { JsonObject } from '../../../src/dialects/json-object.ts';
import { isPlainObject, isSameJson } from '../api/is-same-json.ts';
import { itemsByName } from './items-by-name.ts';

/** One field of two configs. A side that does not have it is undefined. */
export interface FieldComparison {
  /** Such as `provider.order` or `tools › get_weather › function.description`. */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed' | 'same';
  readonly from: unknown;
  readonly to: unknown;
}

/** Field by field, into objects that both have. The order of fields means nothing; that of lists does. */
export function compareConfigs(from: JsonObject, to: JsonObject): readonly FieldComparison[] {
  return compareObjects(undefined, from, to);
}

function compareObjects(
  path: Path | undefined,
  from: JsonObject,
  to: JsonObject,
): readonly FieldComparison[] {
  const names = [...Object.keys(from), ...Object.keys(to).filter((name) => !Object.hasOwn(from, name))];
  return names.flatMap((name) =>
    compareValues(fieldIn(path, name), ownValue(from, name), ownValue(to, name)),
  );
}

function compareValues(path: Path, from: unknown, to: unknown): readonly FieldComparison[] {
  if (from === undefined) return [{ path: path.text, kind: 'added', from, to }];
  if (to === undefined) return [{ path: path.text, kind: 'removed', from, to }];
  if (isSameJson(from, to)) return [{ path: path.text, kind: 'same', from, to }];
  if (isPlainObject(from) && isPlainObject(to)) return compareObjects(path, from, to);
  return compareLists(path, from, to) ?? [{ path: path.text, kind: 'changed', from, to }];
}

/** Lists whose items have names are compared by these, so that one more at the front does not change all others. */
function compareLists({ text }: Path, from: unknown, to: unknown): readonly FieldComparison[] | undefined {
  const before = itemsByName(from);
  const after = itemsByName(to);
  if (before === undefined || after === undefined) return undefined;
  const names = [...before.keys(), ...[...after.keys()].filter((name) => !before.has(name))];
  const items = names.flatMap((name) =>
    compareValues({ text: `${text} › ${name}`, isItem: true }, before.get(name), after.get(name)),
  );
  return [...items, ...compareOrder(text, before, after)];
}

function compareOrder(
  path: string,
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): readonly FieldComparison[] {
  const from = [...before.keys()].filter((name) => after.has(name));
  const to = [...after.keys()].filter((name) => before.has(name));
  return isSameJson(from, to) ? [] : [{ path: `${path} (order)`, kind: 'changed', from, to }];
}

function ownValue(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

interface Path {
  readonly text: string;
  /** It ends with the name of an item, from which the fields of the item are told apart. */
  readonly isItem: boolean;
}

function fieldIn(path: Path | undefined, name: string): Path {
  const shown = /^[\w$-]+$/.test(name) ? name : JSON.stringify(name);
  if (path === undefined) return { text: shown, isItem: false };
  return { text: `${path.text}${path.isItem ? ' › ' : '.'}${shown}`, isItem: false };
}
