import { isSameJson, type JsonObject } from '../../core/json/json-object.ts';
import { sortByConfigOrder } from '../translate/translate-config.ts';
import type { Origins, PreparedPreset } from './prepared-preset.ts';

/**
 * The preset's fields that a request replaced or removed, with the names and in the order of the
 * preset. Repeating the preset's value is not an override. `body` is the merged request.
 */
export function findOverriddenFields(
  request: JsonObject,
  body: JsonObject,
  preset: PreparedPreset,
  overriddenTools: readonly string[],
): readonly string[] {
  const overridden: string[] = [];
  for (const name of preset.fieldNames) {
    // Identical values were copied from the preset, or repeat it.
    if (body[name] === preset.config[name]) continue;
    if (name === 'tools' && preset.tools !== undefined && Array.isArray(request.tools))
      for (const tool of overriddenTools) overridden.push(`tools.${tool}`);
    else if (isOverridden(name, request, preset)) overridden.push(name);
  }
  return preset.origins === undefined ? overridden : toSourceNames(overridden, preset.origins);
}

/** Called for fields that are missing from the merged request or differ from the preset's. */
function isOverridden(
  name: string,
  request: JsonObject,
  { config, conflicts, tools }: PreparedPreset,
): boolean {
  let isInRequest = false;
  for (const other of [name, ...(conflicts.get(name) ?? [])]) {
    if (!Object.hasOwn(request, other)) continue;
    if (!isSameJson(request[other], config[name])) return true;
    isInRequest = true;
  }
  // The request names neither this field nor a conflicting one, so the merge itself removed it: it
  // is a tool choice without tools. That is an override if the request removed the preset's tools.
  return !isInRequest && tools !== undefined && request.tools === null;
}

/** Maps field names of a translated config to those of the preset, which may be several. */
function toSourceNames(names: readonly string[], origins: Origins): readonly string[] {
  const sourceNames = names.flatMap((name) => {
    const [field = name] = name.split('.', 1);
    return (origins.sourceNames.get(field) ?? [field]).map((origin) => origin + name.slice(field.length));
  });
  return sortByConfigOrder(origins.config, sourceNames);
}
