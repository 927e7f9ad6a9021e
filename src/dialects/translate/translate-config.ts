import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import { fieldKind } from '../known-fields.ts';
import { createConceptPool } from '../model/concept-pool.ts';
import type { Concept, ConceptParsers } from '../model/concepts.ts';
import { toolName } from '../model/tool-identity.ts';

interface TranslatedConfig {
  readonly config: JsonObject;
  /** Field names of the source dialect, in the order of the source config; nested ones use dots. */
  readonly droppedFields: readonly string[];
}

/**
 * Translates a preset's config from one dialect to another. Fields become dialect-independent
 * concepts, which the target dialect writes in its own form; fields that both dialects share are
 * copied. Whatever has no counterpart is dropped and named. `adapt` may replace concepts.
 */
export function translateConfig(
  config: JsonObject,
  from: Dialect,
  to: Dialect,
  adapt: (concepts: readonly Concept[]) => readonly Concept[] = (concepts) => concepts,
): TranslatedConfig {
  if (from === to) return { config, droppedFields: [] };
  const concepts = createConceptPool(adapt(parseConcepts(config, dialectOf[from].concepts.parsers)));
  const shared = concepts.consumeEach('field', ({ name, value }) =>
    isShared(name, from, to) ? [name, value] : undefined,
  );
  const { tool_choice: choice, ...rest } = dialectOf[to].concepts.write(concepts);
  const translated = { ...Object.fromEntries(shared), ...rest };
  const dropped = concepts.dropped();
  if (choice === undefined) return { config: translated, droppedFields: sortByConfigOrder(config, dropped) };
  if (choosesDroppedTool(choice, config, translated))
    return { config: translated, droppedFields: sortByConfigOrder(config, [...dropped, 'tool_choice']) };
  return {
    config: { ...translated, tool_choice: choice },
    droppedFields: sortByConfigOrder(config, dropped),
  };
}

/**
 * Maps each field of a translated config to the source fields it comes from. Translating every
 * source field on its own finds them without bookkeeping in the writers.
 */
export function findOrigins(
  config: JsonObject,
  from: Dialect,
  to: Dialect,
): ReadonlyMap<string, readonly string[]> {
  const pairs = Object.entries(config).flatMap(([name, value]) =>
    Object.keys(translateConfig({ [name]: value }, from, to).config).map((translated) => ({
      name,
      translated,
    })),
  );
  const grouped = Map.groupBy(pairs, ({ translated }) => translated);
  return new Map([...grouped].map(([translated, group]) => [translated, group.map(({ name }) => name)]));
}

/**
 * Parses fields in the order of the parsers, not of the config. The last of two fields for one
 * concept wins, and that must not depend on how the config was written. A field without a parser is
 * kept as it is, for dialects that share it.
 */
function parseConcepts(config: JsonObject, parsers: ConceptParsers): readonly Concept[] {
  const names = Object.keys(parsers);
  const entries = Object.entries(config).toSorted(([a], [b]) => names.indexOf(a) - names.indexOf(b));
  return entries.flatMap(([name, value]) => {
    const parse = Object.hasOwn(parsers, name) ? parsers[name] : undefined;
    return parse?.(value, name) ?? [{ kind: 'field', value: { name, value }, path: name } as const];
  });
}

/** Whether both dialects capture a field of this name and give it the same meaning. */
function isShared(name: string, from: Dialect, to: Dialect): boolean {
  return [from, to].every(
    (dialect) =>
      fieldKind(name, dialect) === 'captured' && !dialectOf[dialect].concepts.ownMeanings?.has(name),
  );
}

/** Upstreams reject a choice of a tool that is not in the list. */
function choosesDroppedTool(choice: unknown, config: JsonObject, translated: JsonObject): boolean {
  const chosen = isJsonObject(choice) ? toolName(choice) : undefined;
  return chosen !== undefined && hasTool(config.tools, chosen) && !hasTool(translated.tools, chosen);
}

function hasTool(tools: unknown, name: string): boolean {
  return Array.isArray(tools) && tools.some((tool) => isJsonObject(tool) && toolName(tool) === name);
}

/** Sorts names and dotted paths by the order of the config, and removes duplicates. */
export function sortByConfigOrder(config: JsonObject, names: readonly string[]): readonly string[] {
  const partsOf = Map.groupBy(new Set(names), (name) => name.split('.', 1)[0] ?? name);
  return Object.keys(config).flatMap((field) => partsOf.get(field) ?? []);
}
