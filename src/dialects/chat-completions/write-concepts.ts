import { isJsonObject, type JsonObject, nonEmptyObject, omitNullish } from '../../core/json/json-object.ts';
import type { ConceptPool } from '../model/concept-pool.ts';
import type { FormatConcept, ToolChoiceConcept, ToolConcept } from '../model/concepts.ts';
import { pickSupportedExtras } from '../model/tool-concepts.ts';
import { writeReasoning, writeStopSequences } from '../openai/concepts.ts';
import { fitFunction, fitStrictMode } from '../openai/strict-schema.ts';
import { webSearchFields } from '../schema/web-search.ts';

/** Writes a config in this dialect and consumes the concepts that it can express. */
export function writeConcepts(concepts: ConceptPool): JsonObject {
  const tools = concepts.consumeEach('tool', writeTool);
  const topLogprobs = concepts.consume('topLogprobs');
  return omitNullish({
    max_completion_tokens: concepts.consume('tokenLimit'),
    stop: writeStopSequences(concepts),
    models: concepts.consume('fallbackModels'),
    // Chat completions requires `logprobs` for `top_logprobs`.
    logprobs: topLogprobs === undefined ? undefined : true,
    top_logprobs: topLogprobs,
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: writeToolChoice(concepts.consume('toolChoice')),
    parallel_tool_calls: concepts.consume('parallelToolCalls'),
    reasoning: nonEmptyObject({ ...writeReasoning(concepts), ...writeVisibility(concepts) }),
    verbosity: concepts.consume('verbosity'),
    response_format: concepts
      .consumeEach('format', (format, drop) => writeFormat(format, concepts, drop))
      .at(-1),
  });
}

function writeTool(concept: ToolConcept, drop: (part: string) => void): JsonObject {
  if (concept.type === 'server') return concept.tool;
  if (concept.type === 'custom') return { type: 'custom', custom: writeCustomTool(concept.definition, drop) };
  if (concept.type === 'web-search') return writeWebSearch(concept.tool, drop);
  const { name, description } = concept;
  const { parameters, strict } = fitFunction(concept, drop);
  return {
    type: 'function',
    function: omitNullish({ name, description, parameters, strict }),
    ...pickSupportedExtras(concept, ['cache_control'], drop),
  };
}

/** The reverse of `parseCustomTool`. */
function writeCustomTool(definition: JsonObject, drop: (part: string) => void): JsonObject {
  const { name, description, format, ...others } = definition;
  for (const part of Object.keys(omitNullish(others))) drop(part);
  return omitNullish({ name, description, format: nestGrammar(format) });
}

function nestGrammar(format: unknown): unknown {
  if (!isJsonObject(format) || format.type !== 'grammar') return format;
  const { type, ...grammar } = format;
  return { type, grammar };
}

function writeWebSearch(tool: JsonObject, drop: (part: string) => void): JsonObject {
  for (const name of Object.keys(tool)) if (!isSearchField(name)) drop(name);
  return Object.fromEntries(Object.entries(tool).filter(([name]) => isSearchField(name)));
}

function isSearchField(name: string): boolean {
  return name === 'type' || Object.hasOwn(webSearchFields, name);
}

function writeToolChoice(concept: ToolChoiceConcept | undefined): unknown {
  if (concept === undefined) return undefined;
  if (concept.type === 'server') return concept.choice;
  if (concept.type === 'allowed') {
    const { mode, tools } = concept;
    return { type: 'allowed_tools', allowed_tools: omitNullish({ mode, tools: tools.map(nestName) }) };
  }
  return 'name' in concept ? nestName(concept) : concept.type;
}

/** Nests the name of a function or custom tool below its type. Any other tool stays unchanged. */
function nestName(tool: unknown): unknown {
  if (!isJsonObject(tool) || (tool.type !== 'function' && tool.type !== 'custom')) return tool;
  const { type, ...rest } = tool;
  return { type, [type]: rest };
}

/** Here, a summary and the visibility of reasoning are independent settings. */
function writeVisibility(concepts: ConceptPool): JsonObject {
  const visibility = concepts.consume('reasoningVisibility');
  return {
    exclude: visibility === undefined ? undefined : visibility === 'hidden',
    summary: concepts.consume('reasoningSummary'),
  };
}

/** A schema requires a name in this dialect. */
function writeFormat(
  concept: FormatConcept,
  concepts: ConceptPool,
  drop: (part: string) => void,
): JsonObject {
  if (concept.type !== 'json_schema') return concept;
  const { type, name = 'response', schema } = concept;
  const strict = fitStrictMode(concept, drop);
  const description = concepts.consume('formatDescription');
  return { type, json_schema: omitNullish({ name, description, schema, strict }) };
}
