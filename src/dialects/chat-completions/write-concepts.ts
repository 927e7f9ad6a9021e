import type { ConceptPool } from '../concept-pool.ts';
import type { FormatConcept, ToolChoiceConcept, ToolConcept } from '../concepts.ts';
import { isJsonObject, type JsonObject, nonEmptyObject, omitNullish } from '../json-object.ts';
import { writeReasoning } from '../reasoning-concepts.ts';
import { writeStopSequences } from '../stop-sequences.ts';
import { pickSupportedExtras } from '../tool-concepts.ts';
import { webSearchFields } from '../web-search.ts';

export function writeConcepts(concepts: ConceptPool): JsonObject {
  const tools = concepts.takeEach('tool', writeTool);
  const topLogprobs = concepts.take('topLogprobs');
  return omitNullish({
    max_completion_tokens: concepts.take('tokenLimit'),
    stop: writeStopSequences(concepts),
    models: concepts.take('fallbackModels'),
    // Only here does one have to be asked for before the other.
    logprobs: topLogprobs === undefined ? undefined : true,
    top_logprobs: topLogprobs,
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: writeChoice(concepts.take('toolChoice')),
    parallel_tool_calls: concepts.take('parallelToolCalls'),
    reasoning: nonEmptyObject({ ...writeReasoning(concepts), ...writeVisibility(concepts) }),
    verbosity: concepts.take('verbosity'),
    response_format: writeFormat(concepts.take('format'), concepts),
  });
}

function writeTool(concept: ToolConcept, lose: (part: string) => void): JsonObject {
  if (concept.type === 'server') return concept.tool;
  if (concept.type === 'custom') return { type: 'custom', custom: nestGrammar(concept.definition) };
  if (concept.type === 'web-search') return writeSearch(concept.tool, lose);
  const { name, description, parameters, strict } = concept;
  return {
    type: 'function',
    function: omitNullish({ name, description, parameters, strict }),
    ...pickSupportedExtras(concept, ['cache_control'], lose),
  };
}

function nestGrammar(definition: JsonObject): JsonObject {
  const { format } = definition;
  if (!isJsonObject(format) || format.type !== 'grammar') return definition;
  const { type, ...grammar } = format;
  return { ...definition, format: { type, grammar } };
}

function writeSearch(tool: JsonObject, lose: (part: string) => void): JsonObject {
  for (const name of Object.keys(tool)) if (!isSearchField(name)) lose(name);
  return Object.fromEntries(Object.entries(tool).filter(([name]) => isSearchField(name)));
}

function isSearchField(name: string): boolean {
  return name === 'type' || Object.hasOwn(webSearchFields, name);
}

function writeChoice(concept: ToolChoiceConcept | undefined): unknown {
  if (concept === undefined) return undefined;
  if (concept.type === 'server') return concept.choice;
  if (concept.type === 'allowed') {
    const { mode, tools } = concept;
    return { type: 'allowed_tools', allowed_tools: omitNullish({ mode, tools: tools.map(nestName) }) };
  }
  return 'name' in concept ? nestName(concept) : concept.type;
}

/** A function or a custom tool by its name, which stands under its type here; any other as it is. */
function nestName(tool: unknown): unknown {
  if (!isJsonObject(tool) || (tool.type !== 'function' && tool.type !== 'custom')) return tool;
  const { type, ...rest } = tool;
  return { type, [type]: rest };
}

function writeVisibility(concepts: ConceptPool): JsonObject {
  const visibility = concepts.take('reasoningVisibility');
  return {
    exclude: visibility === undefined ? undefined : visibility === 'hidden',
    summary: concepts.take('reasoningSummary'),
  };
}

/** A schema needs a name here. */
function writeFormat(concept: FormatConcept | undefined, concepts: ConceptPool): JsonObject | undefined {
  if (concept?.type !== 'json_schema') return concept;
  const { type, name = 'response', schema, strict } = concept;
  const description = concepts.take('formatDescription');
  return { type, json_schema: omitNullish({ name, description, schema, strict }) };
}
