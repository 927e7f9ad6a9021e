import type { ConceptPool } from '../concept-pool.ts';
import type { FormatConcept, ToolChoiceConcept, ToolConcept } from '../concepts.ts';
import { type JsonObject, nonEmptyObject, omitNullish } from '../json-object.ts';
import { writeReasoning } from '../reasoning-concepts.ts';
import { writeStopSequences } from '../stop-sequences.ts';
import { pickSupportedExtras } from '../tool-concepts.ts';

export function writeConcepts(concepts: ConceptPool): JsonObject {
  const tools = concepts.takeEach('tool', writeTool);
  return omitNullish({
    max_output_tokens: concepts.take('tokenLimit'),
    stop: writeStopSequences(concepts),
    models: concepts.take('fallbackModels'),
    top_logprobs: concepts.take('topLogprobs'),
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: writeChoice(concepts.take('toolChoice')),
    parallel_tool_calls: concepts.take('parallelToolCalls'),
    reasoning: nonEmptyObject({ ...writeReasoning(concepts), ...writeVisibility(concepts) }),
    text: nonEmptyObject({ format: writeFormat(concepts), verbosity: concepts.take('verbosity') }),
  });
}

/** A function must say of its parameters that there are none, and of its schema that it is not strict. */
function writeTool(concept: ToolConcept, lose: (part: string) => void): JsonObject {
  if (concept.type === 'server') return concept.tool;
  if (concept.type === 'custom') return { type: 'custom', ...concept.definition };
  if (concept.type === 'web-search') return writeSearch(concept.tool, lose);
  const { name, description, parameters, strict } = concept;
  return {
    type: 'function',
    ...omitNullish({ name, description }),
    parameters: parameters ?? null,
    strict: strict ?? false,
    ...pickSupportedExtras(concept, ['defer_loading', 'async'], lose),
  };
}

function writeSearch(tool: JsonObject, lose: (part: string) => void): JsonObject {
  const { allowed_domains, excluded_domains, ...rest } = tool;
  for (const name of Object.keys(rest)) if (!searchFields.includes(name)) lose(name);
  const known = Object.entries(rest).filter(([name]) => searchFields.includes(name));
  const filters = nonEmptyObject({ allowed_domains, excluded_domains });
  return { ...Object.fromEntries(known), ...(filters !== undefined && { filters }) };
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

function writeChoice(concept: ToolChoiceConcept | undefined): unknown {
  if (concept === undefined) return undefined;
  if (concept.type === 'server') return concept.choice;
  if (concept.type === 'allowed') return omitNullish({ ...concept, type: 'allowed_tools' });
  return 'name' in concept ? concept : concept.type;
}

/** Reasoning is shown here by a summary of it. */
function writeVisibility(concepts: ConceptPool): JsonObject {
  const visibility = concepts.take('reasoningVisibility');
  const summary = concepts.take('reasoningSummary');
  return {
    exclude: visibility === 'hidden' ? true : undefined,
    summary: summary ?? (visibility === 'shown' ? 'auto' : undefined),
  };
}

/** A schema needs a name here, and cannot be left out. */
function writeFormat(concepts: ConceptPool): FormatConcept | JsonObject | undefined {
  const concept = concepts.see('format');
  if (concept?.type === 'json_schema' && concept.schema === undefined) return undefined;
  concepts.take('format');
  if (concept?.type !== 'json_schema') return concept;
  const { type, name = 'response', schema, strict } = concept;
  return omitNullish({ type, name, description: concepts.take('formatDescription'), schema, strict });
}
