import type { AppliedRequest } from './applied-request.ts';
import { isSameJson, type JsonObject } from './json-object.ts';
import type { Origins, PreparedPreset } from './prepared-preset.ts';
import { sortByConfigOrder } from './translate-config.ts';

/**
 * The fields of a preset whose value a request replaced or took away, under the names and in the order of the preset. A request
 * that repeats the preset's value overrides nothing.
 */
export function findOverriddenFields(
  request: JsonObject,
  body: JsonObject,
  preset: PreparedPreset,
  overriddenTools: readonly string[],
): readonly string[] {
  const overridden: string[] = [];
  for (const name of preset.fieldNames) {
    // Where the preset's value came through, it is the very same.
    if (body[name] === preset.config[name]) continue;
    if (name === 'tools' && preset.tools !== undefined && Array.isArray(request.tools))
      for (const tool of overriddenTools) overridden.push(`tools.${tool}`);
    else if (isOverridden(name, request, preset)) overridden.push(name);
  }
  return preset.origins === undefined ? overridden : namedInPreset(overridden, preset.origins);
}

/** Adds the system prompt, where the request brings another text or none. */
export function reportSystemPromptOverride(
  applied: AppliedRequest,
  { systemPrompt }: { readonly systemPrompt: string | null },
  own: unknown,
): AppliedRequest {
  if (systemPrompt === null || own === systemPrompt) return applied;
  return { ...applied, overriddenFields: ['system_prompt', ...applied.overriddenFields] };
}

function isOverridden(
  name: string,
  request: JsonObject,
  { config, conflicts: rivals, tools }: PreparedPreset,
): boolean {
  let isGiven = false;
  for (const other of [name, ...(rivals.get(name) ?? [])]) {
    if (!Object.hasOwn(request, other)) continue;
    if (!isSameJson(request[other], config[name])) return true;
    isGiven = true;
  }
  // The choice among tools goes with them when the request takes them away. Without tools of the preset, it waits for some.
  return !isGiven && tools !== undefined && request.tools === null;
}

/** A field of a translated config may come from several of the preset's, and several from one. */
function namedInPreset(names: readonly string[], origins: Origins): readonly string[] {
  const own = names.flatMap((name) => {
    const [field = name] = name.split('.', 1);
    return (origins.of.get(field) ?? [field]).map((origin) => origin + name.slice(field.length));
  });
  return sortByConfigOrder(origins.config, own);
}
