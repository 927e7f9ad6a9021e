import type { PatchOperation } from '../../client/preset-answers.ts';

export interface ConfigChange {
  readonly path: string;
  /** Undefined where there was nothing. */
  readonly before: unknown;
  /** Undefined where nothing is left. */
  readonly after: unknown;
}

/**
 * What each operation of a patch finds and what it leaves, since a patch only tells the latter. The operations are
 * carried out one after the other on the config, because each counts the places of a list as the one before left them.
 */
export function expandPatch(config: unknown, patch: readonly PatchOperation[]): readonly ConfigChange[] {
  return patch.map(({ op, path, value }) => {
    const steps = path.split('/').slice(1);
    const key = unescapeStep(steps.pop() ?? '');
    const parent = steps.map(unescapeStep).reduce(childOf, config);
    const before = op === 'add' && Array.isArray(parent) ? undefined : childOf(parent, key);
    const after = op === 'remove' ? undefined : value;
    if (Array.isArray(parent)) changeList(parent, op, key, after);
    else if (typeof parent === 'object' && parent !== null) changeObject(parent, key, after);
    return { path, before, after };
  });
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Only what is its own: a name may be one that every object inherits. */
function childOf(parent: unknown, key: string): unknown {
  if (typeof parent !== 'object' || parent === null) return undefined;
  return Object.getOwnPropertyDescriptor(parent, key)?.value;
}

function changeList(list: unknown[], op: string, key: string, value: unknown): void {
  const index = key === '-' ? list.length : Number(key);
  const added = op === 'remove' ? [] : [value];
  list.splice(index, op === 'add' ? 0 : 1, ...added);
}

function changeObject(object: object, key: string, value: unknown): void {
  Reflect.deleteProperty(object, key);
  // Not assigned, which would not make a property of the name __proto__.
  if (value !== undefined)
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
