import { isJsonObject, isSameJson, type JsonObject } from '../../../core/json/json-object.ts';
import type { Dialect } from '../../../core/presets/preset.ts';
import type { FieldPath } from '../../model/concepts.ts';
import { findSpellings } from '../../translate/field-concepts.ts';
import { mergeTools, type PresetTools } from '../merge-tools.ts';

/** A locked field of a preset, prepared for requests of one dialect. */
export interface FieldLock {
  /** As the policy names it, in the preset's dialect. */
  readonly name: string;
  /** All that a request cannot set. */
  readonly paths: readonly FieldPath[];
}

/**
 * Finds everything that would set or replace a field that a preset of dialect `from` locks.
 * `config` is the preset in the dialect of the request, `conflicts` the fields that replace its
 * fields.
 */
export function prepareLock(
  name: string,
  from: Dialect,
  config: JsonObject,
  conflicts: ReadonlyMap<string, readonly string[]>,
): FieldLock {
  const names = [name, ...(impliedLocks.get(name) ?? [])];
  const paths = names.flatMap((each) => findSpellings(each, from));
  const replacing = paths
    .filter((path) => valueAt(config, path) !== undefined)
    .flatMap(([field]) => conflicts.get(field) ?? []);
  return { name, paths: [...paths, ...replacing.map((field) => [field] as const)] };
}

/** Fields that a lock covers as well: other ways to choose a model or to add tools. */
const impliedLocks: ReadonlyMap<string, readonly string[]> = new Map([
  ['model', ['models', 'fallbacks', 'route']],
  ['tools', ['mcp_servers']],
  ['functions', ['mcp_servers']],
]);

/**
 * A request without what is locked; the same object if it sets nothing of it. Where only a part of
 * a field is locked, the request keeps the rest of the field and gets the preset's part. Each of
 * Anthropic's `fallbacks` may set fields of its own, which are locked as well.
 */
export function withoutLocked(
  request: JsonObject,
  locks: readonly FieldLock[],
  config: JsonObject,
): JsonObject {
  let rest: Record<string, unknown> | undefined;
  for (const [field, part] of locks.flatMap(({ paths }) => paths)) {
    if (!Object.hasOwn(rest ?? request, field)) continue;
    rest ??= { ...request };
    const kept = part === undefined ? undefined : withPresetPart(rest[field], part, config[field]);
    if (kept === undefined) delete rest[field];
    else rest[field] = kept;
  }
  const { fallbacks } = rest ?? request;
  const kept = fallbackEntries(fallbacks).map((entry) => withoutLocked(entry, locks, {}));
  if (kept.some((entry, index) => entry !== fallbackEntries(fallbacks)[index]))
    rest = { ...(rest ?? request), fallbacks: kept };
  if (rest === undefined) return request;
  removeStaleToolChoices(rest, request, config);
  return rest;
}

/** Entries that are not objects are for the upstream to reject. */
function fallbackEntries(fallbacks: unknown): readonly JsonObject[] {
  return Array.isArray(fallbacks) && fallbacks.every(isJsonObject) ? fallbacks : [];
}

/** Upstreams reject a choice among tools if there are none because a lock removed them. */
function removeStaleToolChoices(
  rest: Record<string, unknown>,
  request: JsonObject,
  config: JsonObject,
): void {
  for (const [list, choices] of toolChoices) {
    const isGone = Object.hasOwn(request, list) && !Object.hasOwn(rest, list) && !Object.hasOwn(config, list);
    if (isGone) for (const choice of choices) delete rest[choice];
  }
}

const toolChoices = [
  ['tools', ['tool_choice', 'parallel_tool_calls']],
  ['functions', ['function_call']],
] as const;

/** Returns undefined if nothing of the request's value is left. */
function withPresetPart(requested: unknown, part: string, preset: unknown): JsonObject | undefined {
  if (!isJsonObject(requested)) return undefined;
  const { [part]: _, ...rest } = requested;
  if (Object.keys(rest).length === 0) return undefined;
  return isJsonObject(preset) && Object.hasOwn(preset, part) ? { ...rest, [part]: preset[part] } : rest;
}

/**
 * The names of the locks that changed a request. Repeating what is sent anyway, under any name of
 * the field, changes nothing. `body` is the merged request.
 */
export function findEffectiveLocks(
  request: JsonObject,
  body: JsonObject,
  locks: readonly FieldLock[],
  tools: PresetTools | undefined,
): readonly string[] {
  const isEffective = ({ paths }: FieldLock) => {
    const sent = paths.map((path) => valueAt(body, path)).filter((value) => value !== undefined);
    return [request, ...fallbackEntries(request.fallbacks)].some((fields) =>
      paths.some((path) => isChanged(valueAt(fields, path), sent, path[0] === 'tools' ? tools : undefined)),
    );
  };
  return locks.filter(isEffective).map(({ name }) => name);
}

/** Tools are merged, so a list of them only asks for something else if it adds or redefines one. */
function isChanged(requested: unknown, sent: readonly unknown[], tools: PresetTools | undefined): boolean {
  if (requested === undefined) return false;
  if (requested === null) return sent.length > 0;
  const wanted =
    tools !== undefined && Array.isArray(requested) ? mergeTools(tools, requested).tools : requested;
  return !sent.some((value) => isSameJson(value, wanted));
}

/** A value that is not an object counts as the value of each of its parts. */
function valueAt(fields: JsonObject, [field, part]: FieldPath): unknown {
  const value = fields[field];
  return part !== undefined && isJsonObject(value) ? value[part] : value;
}
