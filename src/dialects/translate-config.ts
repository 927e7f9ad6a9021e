import type { Dialect } from '../core/preset.ts';
import type { FieldTable } from './capture-fields.ts';
import { fields as chatCompletionsFields } from './chat-completions/capture-preset.ts';
import { conceptParsers as chatCompletionsReaders } from './chat-completions/parse-concepts.ts';
import { writeConcepts as writeChatCompletions } from './chat-completions/write-concepts.ts';
import { type ConceptPool, createConceptPool } from './concept-pool.ts';
import type { Concept, ConceptParsers } from './concepts.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import { fields as messagesFields } from './messages/capture-preset.ts';
import { conceptParsers as messagesReaders } from './messages/parse-concepts.ts';
import { writeConcepts as writeMessages } from './messages/write-concepts.ts';
import { fields as responsesFields } from './responses/capture-preset.ts';
import { conceptParsers as responsesReaders } from './responses/parse-concepts.ts';
import { writeConcepts as writeResponses } from './responses/write-concepts.ts';
import { toolName } from './tool-identity.ts';

export interface TranslatedConfig {
  readonly config: JsonObject;
  /** Under their names in the dialect that they come from, nested parts with dots, in its order. */
  readonly droppedFields: readonly string[];
}

/** A config in another dialect, and the names of what has no counterpart there. */
export function translateConfig(config: JsonObject, from: Dialect, to: Dialect): TranslatedConfig {
  if (from === to) return { config, droppedFields: [] };
  const concepts = createConceptPool(parseConcepts(config, wordsOf[from].readers));
  const shared = concepts.takeEach('field', ({ name, value }) =>
    isShared(name, from, to) ? [name, value] : undefined,
  );
  const { tool_choice: choice, ...rest } = wordsOf[to].writeConcepts(concepts);
  const translated = { ...Object.fromEntries(shared), ...rest };
  const lost = concepts.lost();
  if (choice === undefined) return { config: translated, droppedFields: sortByConfigOrder(config, lost) };
  if (choosesLostTool(choice, config, translated))
    return { config: translated, droppedFields: sortByConfigOrder(config, [...lost, 'tool_choice']) };
  return { config: { ...translated, tool_choice: choice }, droppedFields: sortByConfigOrder(config, lost) };
}

/** For each field of a translated config, the fields of the original that it says something of. */
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

interface Words {
  readonly fields: FieldTable;
  readonly readers: ConceptParsers;
  readonly writeConcepts: (concepts: ConceptPool) => JsonObject;
}

const wordsOf: Readonly<Record<Dialect, Words>> = {
  'chat-completions': {
    fields: chatCompletionsFields,
    readers: chatCompletionsReaders,
    writeConcepts: writeChatCompletions,
  },
  messages: { fields: messagesFields, readers: messagesReaders, writeConcepts: writeMessages },
  responses: { fields: responsesFields, readers: responsesReaders, writeConcepts: writeResponses },
};

/** In the order of the readers: of two names for one concept the later one counts, wherever a config has them. */
function parseConcepts(config: JsonObject, readers: ConceptParsers): readonly Concept[] {
  const names = Object.keys(readers);
  const entries = Object.entries(config).toSorted(([a], [b]) => names.indexOf(a) - names.indexOf(b));
  return entries.flatMap(([name, value]) => {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    return read?.(value, name) ?? [{ kind: 'field', value: { name, value }, from: name } as const];
  });
}

/** Whether two dialects both keep a field of this name and mean the same by it. */
function isShared(name: string, from: Dialect, to: Dialect): boolean {
  const isKept = (dialect: Dialect) => {
    const { fields } = wordsOf[dialect];
    return Object.hasOwn(fields, name) && fields[name] === 'kept';
  };
  const isAmbiguous = (from === 'messages' || to === 'messages') && ambiguous.has(name);
  return isKept(from) && isKept(to) && !isAmbiguous;
}

/** Anthropic's and OpenAI's fields of these names have only the name in common. */
const ambiguous: ReadonlySet<string> = new Set(['context_management', 'service_tier']);

/** Upstreams refuse to call a tool that they were not given. */
function choosesLostTool(choice: unknown, config: JsonObject, translated: JsonObject): boolean {
  const chosen = isJsonObject(choice) ? toolName(choice) : undefined;
  return chosen !== undefined && hasTool(config.tools, chosen) && !hasTool(translated.tools, chosen);
}

function hasTool(tools: unknown, name: string): boolean {
  return Array.isArray(tools) && tools.some((tool) => isJsonObject(tool) && toolName(tool) === name);
}

/** In the order of the fields that they are parts of, each once. */
export function sortByConfigOrder(config: JsonObject, names: readonly string[]): readonly string[] {
  const partsOf = Map.groupBy(new Set(names), (name) => name.split('.', 1)[0] ?? name);
  return Object.keys(config).flatMap((field) => partsOf.get(field) ?? []);
}
