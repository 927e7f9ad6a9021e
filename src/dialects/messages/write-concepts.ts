import { isJsonObject, type JsonObject, nonEmptyObject, omitNullish } from '../json-object.ts';
import type { ConceptPool } from '../translate/concept-pool.ts';
import type { ToolChoiceConcept, ToolConcept } from '../translate/concepts.ts';
import { pickSupportedExtras } from '../translate/tool-concepts.ts';

/** Writes a config in this dialect and consumes the concepts that it can express. */
export function writeConcepts(concepts: ConceptPool): JsonObject {
  const tools = concepts.consumeEach('tool', writeTool);
  return omitNullish({
    max_tokens: concepts.consume('tokenLimit'),
    stop_sequences: concepts.consume('stopSequences'),
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: writeToolChoice(concepts),
    thinking: writeThinking(concepts),
    output_config: nonEmptyObject({ effort: writeEffort(concepts), format: writeFormat(concepts) }),
  });
}

/**
 * Only functions and server tools can be expressed in this dialect. A schema is required and must
 * be an object, even for a function without parameters.
 */
function writeTool(concept: ToolConcept, drop: (part: string) => void): JsonObject | undefined {
  if (concept.type === 'server') return concept.tool;
  if (concept.type !== 'function') return undefined;
  const { name, description, parameters, strict } = concept;
  const schema = isJsonObject(parameters)
    ? { type: 'object', ...parameters }
    : { type: 'object', properties: {} };
  const extras = pickSupportedExtras(concept, ['cache_control', 'defer_loading', 'allowed_callers'], drop);
  return {
    ...omitNullish({ name, description }),
    input_schema: schema,
    ...omitNullish({ strict }),
    ...extras,
  };
}

/** Parallel calls are a part of the tool choice in this dialect, except in `none`. */
function writeToolChoice(concepts: ConceptPool): JsonObject | undefined {
  const choice = toToolChoice(concepts.peek('toolChoice'));
  if (choice !== undefined) concepts.consume('toolChoice');
  const isParallel = concepts.consume('parallelToolCalls');
  if (isParallel === undefined || choice?.type === 'none') return choice;
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: !isParallel };
}

/** Returns undefined for choices that this dialect lacks, such as a subset of the tools. */
function toToolChoice(concept: ToolChoiceConcept | undefined): JsonObject | undefined {
  switch (concept?.type) {
    case 'auto':
    case 'none':
      return { type: concept.type };
    case 'required':
      return { type: 'any' };
    case 'function':
      return { type: 'tool', name: concept.name };
    default:
      return undefined;
  }
}

/** A token budget means `enabled` thinking; with an effort, the model decides (`adaptive`). */
function writeThinking(concepts: ConceptPool): JsonObject | undefined {
  const effort = concepts.peek('reasoningEffort');
  if (concepts.peek('isReasoning') === false || effort === 'none') {
    concepts.consume('isReasoning');
    consumeDisplay(concepts);
    if (effort === 'none') concepts.consume('reasoningEffort');
    return { type: 'disabled' };
  }
  const budget = concepts.consume('reasoningTokens');
  const isReasoning = concepts.consume('isReasoning');
  if (budget === undefined && effort === undefined && isReasoning === undefined) return undefined;
  const type = budget === undefined ? 'adaptive' : 'enabled';
  return omitNullish({ type, budget_tokens: budget, display: consumeDisplay(concepts) });
}

/** Any kind of summary implies that reasoning is shown. */
function consumeDisplay(concepts: ConceptPool): string | undefined {
  const summary = concepts.consume('reasoningSummary');
  const visibility = concepts.consume('reasoningVisibility') ?? (summary === undefined ? undefined : 'shown');
  if (visibility === undefined) return undefined;
  return visibility === 'shown' ? 'summarized' : 'omitted';
}

/** Disabled thinking has no effort. */
function writeEffort(concepts: ConceptPool): unknown {
  if (concepts.peek('isReasoning') === false || concepts.peek('reasoningEffort') === 'none') return undefined;
  const effort = concepts.consume('reasoningEffort');
  return effort === 'minimal' ? 'low' : effort;
}

/** Text is the default and needs no format. JSON is only available with a schema. */
function writeFormat(concepts: ConceptPool): JsonObject | undefined {
  const concept = concepts.peek('format');
  if (concept?.type === 'text') concepts.consume('format');
  if (concept?.type !== 'json_schema' || concept.schema === undefined) return undefined;
  concepts.consume('format');
  return { type: concept.type, schema: concept.schema };
}
