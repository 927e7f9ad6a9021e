import { isJsonObject, isSameJson, type JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';

/**
 * Makes a translated request override the same of a preset as it does in the client's dialect.
 *
 * Two things are lost in translation. What the client removes from the preset is gone, because
 * translation drops nulls, defaults, and what it cannot express; here, it becomes null again, or
 * the rest of the preset's field. And a field may combine what the client's dialect has apart, such
 * as `text`; here, it gets those parts of the preset's field that the client does not override.
 *
 * `config` is the preset and `overridden` the part of it that the client overrides, in the dialect
 * of the translated request.
 */
export function withSameOverrides(
  request: JsonObject,
  overridden: JsonObject,
  config: JsonObject,
  dialect: Dialect,
): JsonObject {
  const changes = Object.keys(config).flatMap((name) => {
    const rest = withoutParts(config[name], overridden[name]);
    if (!Object.hasOwn(request, name)) return Object.hasOwn(overridden, name) ? [[name, rest]] : [];
    const given = request[name];
    const isJoined = combinesSettings(name, dialect) && isJsonObject(rest) && isJsonObject(given);
    return isJoined ? [[name, { ...rest, ...given }]] : [];
  });
  return changes.length === 0 ? request : { ...request, ...Object.fromEntries(changes) };
}

/** Null if nothing is left. */
function withoutParts(value: unknown, removed: unknown): unknown {
  if (removed === undefined) return value;
  if (!isJsonObject(value) || !isJsonObject(removed)) return null;
  const rest = Object.entries(value).filter(([part, each]) => !isSamePart(each, removed[part]));
  return rest.length === 0 ? null : Object.fromEntries(rest);
}

/** Translating there and back may change an object, such as a schema adapted to a provider. */
function isSamePart(part: unknown, removed: unknown): boolean {
  return isSameJson(part, removed) || (isJsonObject(part) && isJsonObject(removed));
}

/** Whether a field has no meaning as a whole: each of its parts is a setting of its own. */
function combinesSettings(name: string, dialect: Dialect): boolean {
  const paths = dialectOf[dialect].concepts.fields.map(([path]) => path).filter(([field]) => field === name);
  return paths.length > 0 && paths.every(([, part]) => part !== undefined);
}
