import type { PatchOperation } from '../../client/preset-answers.ts';

export interface ConfigChange {
  readonly path: string;
  /** Undefined if the operation adds a value. */
  readonly before: unknown;
  /** Undefined if the operation removes a value. */
  readonly after: unknown;
}

/**
 * Adds the old value to each operation of a JSON patch, which states only the new one. The
 * operations are applied to `config` one by one, because array indexes refer to the state that the
 * previous operation left. `config` is modified.
 */
export function expandPatch(config: unknown, patch: readonly PatchOperation[]): readonly ConfigChange[] {
  return patch.map(({ op, path, value }) => {
    const segments = path.split('/').slice(1);
    const key = unescapeSegment(segments.pop() ?? '');
    const parent = segments.map(unescapeSegment).reduce(childOf, config);
    const before = op === 'add' && Array.isArray(parent) ? undefined : childOf(parent, key);
    const after = op === 'remove' ? undefined : value;
    if (Array.isArray(parent)) changeArray(parent, op, key, after);
    else if (typeof parent === 'object' && parent !== null) changeObject(parent, key, after);
    return { path, before, after };
  });
}

/** RFC 6901: "~1" stands for a slash and "~0" for a tilde, in this order. */
function unescapeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

/**
 * Own properties only: a config may have a key such as "constructor", which every object inherits.
 */
function childOf(parent: unknown, key: string): unknown {
  if (typeof parent !== 'object' || parent === null) return undefined;
  return Object.getOwnPropertyDescriptor(parent, key)?.value;
}

function changeArray(array: unknown[], op: string, key: string, value: unknown): void {
  const index = key === '-' ? array.length : Number(key);
  const added = op === 'remove' ? [] : [value];
  array.splice(index, op === 'add' ? 0 : 1, ...added);
}

function changeObject(object: object, key: string, value: unknown): void {
  Reflect.deleteProperty(object, key);
  // Plain assignment to "__proto__" would set the prototype instead of a property.
  if (value !== undefined)
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
