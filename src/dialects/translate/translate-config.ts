import type { Dialect } from '../../core/presets/preset.ts';
import { conceptParsers as chatCompletionsParsers } from '../chat-completions/parse-concepts.ts';
import { writeConcepts as writeChatCompletions } from '../chat-completions/write-concepts.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { isKnownField, knownFields } from '../known-fields.ts';
import { conceptParsers as messagesParsers } from '../messages/parse-concepts.ts';
import { writeConcepts as writeMessages } from '../messages/write-concepts.ts';
import { conceptParsers as responsesParsers } from '../responses/parse-concepts.ts';
import { writeConcepts as writeResponses } from '../responses/write-concepts.ts';
import { toolName } from '../tool-identity.ts';
import { type ConceptPool, createConceptPool } from './concept-pool.ts';
import type { Concept, ConceptParsers } from './concepts.ts';

export interface TranslatedConfig {
  readonly config: JsonObject;
  /** Field names of the source dialect, in the order of the source config; nested ones use dots. */
  readonly droppedFields: readonly string[];
}

/**
 * Translates a preset's config from one dialect to another. Fields become dialect-independent
 * concepts, which the target dialect writes in its own form; fields that both dialects share are
 * copied. Whatever has no counterpart is dropped and named.
 */
export function translateConfig(config: JsonObject, from: Dialect, to: Dialect): TranslatedConfig {
  if (from === to) return { config, droppedFields: [] };
  const concepts = createConceptPool(parseConcepts(config, translators[from].conceptParsers));
  const shared = concepts.consumeEach('field', ({ name, value }) =>
    isShared(name, from, to) ? [name, value] : undefined,
  );
  const { tool_choice: choice, ...rest } = translators[to].writeConcepts(concepts);
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

interface Translator {
  readonly conceptParsers: ConceptParsers;
  readonly writeConcepts: (concepts: ConceptPool) => JsonObject;
}

const translators: Readonly<Record<Dialect, Translator>> = {
  'chat-completions': { conceptParsers: chatCompletionsParsers, writeConcepts: writeChatCompletions },
  messages: { conceptParsers: messagesParsers, writeConcepts: writeMessages },
  responses: { conceptParsers: responsesParsers, writeConcepts: writeResponses },
};

/**
 * Parses fields in the order of the parsers, not of the config. Of two fields for one concept, the
 * last wins, and that must not depend on how the config was written. A field without a parser is
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
  const isCaptured = (dialect: Dialect) =>
    isKnownField(name, dialect) && knownFields[dialect][name] === 'captured';
  const isHomonym = (from === 'messages' || to === 'messages') && homonyms.has(name);
  return isCaptured(from) && isCaptured(to) && !isHomonym;
}

/** Anthropic and OpenAI use these names for different things. */
const homonyms: ReadonlySet<string> = new Set(['context_management', 'service_tier']);

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
