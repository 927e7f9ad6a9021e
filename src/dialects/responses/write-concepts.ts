import { type JsonObject, nonEmptyObject, omitNullish } from '../../core/json/json-object.ts';
import type { ConceptPool } from '../model/concept-pool.ts';
import type { ToolChoiceConcept, ToolConcept } from '../model/concepts.ts';
import { pickSupportedExtras } from '../model/tool-concepts.ts';
import { writeReasoning, writeStopSequences } from '../openai/concepts.ts';
import { fitFunction, fitStrictMode } from '../openai/strict-schema.ts';

/** Writes a config in this dialect and consumes the concepts that it can express. */
export function writeConcepts(concepts: ConceptPool): JsonObject {
  const tools = concepts.consumeEach('tool', writeTool);
  return omitNullish({
    max_output_tokens: concepts.consume('tokenLimit'),
    stop: writeStopSequences(concepts),
    models: concepts.consume('fallbackModels'),
    top_logprobs: concepts.consume('topLogprobs'),
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: writeToolChoice(concepts.consume('toolChoice')),
    parallel_tool_calls: concepts.consume('parallelToolCalls'),
    reasoning: nonEmptyObject({ ...writeReasoning(concepts), ...writeVisibility(concepts) }),
    text: nonEmptyObject({ format: writeFormat(concepts), verbosity: concepts.consume('verbosity') }),
  });
}

/** Functions must have `parameters` and `strict` in this dialect, even if the source has none. */
function writeTool(concept: ToolConcept, drop: (part: string) => void): JsonObject {
  if (concept.type === 'server') return concept.tool;
  if (concept.type === 'custom') return { type: 'custom', ...concept.definition };
  if (concept.type === 'web-search') return writeWebSearch(concept.tool, drop);
  const { name, description } = concept;
  const { parameters, strict } = fitFunction(concept, drop);
  return {
    type: 'function',
    ...omitNullish({ name, description }),
    parameters: parameters ?? null,
    strict: strict ?? false,
    ...pickSupportedExtras(concept, ['defer_loading', 'async'], drop),
  };
}

/** The reverse of `flattenWebSearch`: domain filters are nested here. */
function writeWebSearch(tool: JsonObject, drop: (part: string) => void): JsonObject {
  const { allowed_domains, excluded_domains, ...rest } = tool;
  for (const name of Object.keys(rest)) if (!searchFields.includes(name)) drop(name);
  const supported = Object.entries(rest).filter(([name]) => searchFields.includes(name));
  const filters = nonEmptyObject({ allowed_domains, excluded_domains });
  return { ...Object.fromEntries(supported), ...(filters !== undefined && { filters }) };
}

const searchFields: readonly string[] = [
  'type',
  'engine',
  'mode',
  'max_results',
  'max_uses',
  'search_context_size',
  'user_location',
];

function writeToolChoice(concept: ToolChoiceConcept | undefined): unknown {
  if (concept === undefined) return undefined;
  if (concept.type === 'server') return concept.choice;
  if (concept.type === 'allowed') return omitNullish({ ...concept, type: 'allowed_tools' });
  return 'name' in concept ? concept : concept.type;
}

/** In this dialect, visible reasoning means a summary. */
function writeVisibility(concepts: ConceptPool): JsonObject {
  const visibility = concepts.consume('reasoningVisibility');
  const summary = concepts.consume('reasoningSummary');
  return {
    exclude: visibility === 'hidden' ? true : undefined,
    summary: summary ?? (visibility === 'shown' ? 'auto' : undefined),
  };
}

/** A JSON schema format requires both a name and a schema in this dialect. */
function writeFormat(concepts: ConceptPool): JsonObject | undefined {
  return concepts
    .consumeEach('format', (concept, drop) => {
      if (concept.type !== 'json_schema') return concept;
      const { type, name = 'response', schema } = concept;
      if (schema === undefined) return undefined;
      const strict = fitStrictMode(concept, drop);
      return omitNullish({ type, name, description: concepts.consume('formatDescription'), schema, strict });
    })
    .at(-1);
}
