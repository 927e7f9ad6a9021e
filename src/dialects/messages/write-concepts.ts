import type { ConceptPool } from '../concept-pool.ts';
import type { ToolChoiceConcept, ToolConcept } from '../concepts.ts';
import { isJsonObject, type JsonObject, nonEmptyObject, omitNullish } from '../json-object.ts';
import { pickSupportedExtras } from '../tool-concepts.ts';

export function writeConcepts(concepts: ConceptPool): JsonObject {
  const tools = concepts.takeEach('tool', writeTool);
  return omitNullish({
    max_tokens: concepts.take('tokenLimit'),
    stop_sequences: concepts.take('stopSequences'),
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: writeChoice(concepts),
    thinking: writeThinking(concepts),
    output_config: nonEmptyObject({ effort: writeEffort(concepts), format: writeFormat(concepts) }),
  });
}

function writeTool(concept: ToolConcept, lose: (part: string) => void): JsonObject | undefined {
  if (concept.type === 'server') return concept.tool;
  if (concept.type !== 'function') return undefined;
  const { name, description, parameters, strict } = concept;
  const schema = isJsonObject(parameters)
    ? { type: 'object', ...parameters }
    : { type: 'object', properties: {} };
  const extras = pickSupportedExtras(concept, ['cache_control', 'defer_loading', 'allowed_callers'], lose);
  return {
    ...omitNullish({ name, description }),
    input_schema: schema,
    ...omitNullish({ strict }),
    ...extras,
  };
}

/** Whether tools may be called side by side is a part of the choice, except where none is to be called. */
function writeChoice(concepts: ConceptPool): JsonObject | undefined {
  const choice = choiceOf(concepts.see('toolChoice'));
  if (choice !== undefined) concepts.take('toolChoice');
  const isParallel = concepts.take('parallelToolCalls');
  if (isParallel === undefined || choice?.type === 'none') return choice;
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: !isParallel };
}

function choiceOf(concept: ToolChoiceConcept | undefined): JsonObject | undefined {
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

/** A budget asks for thinking of that length, an effort leaves the length to the model. */
function writeThinking(concepts: ConceptPool): JsonObject | undefined {
  const effort = concepts.see('reasoningEffort');
  if (concepts.see('isReasoning') === false || effort === 'none') {
    concepts.take('isReasoning');
    takeDisplay(concepts);
    if (effort === 'none') concepts.take('reasoningEffort');
    return { type: 'disabled' };
  }
  const budget = concepts.take('reasoningTokens');
  const isReasoning = concepts.take('isReasoning');
  if (budget === undefined && effort === undefined && isReasoning === undefined) return undefined;
  const type = budget === undefined ? 'adaptive' : 'enabled';
  return omitNullish({ type, budget_tokens: budget, display: takeDisplay(concepts) });
}

/** A summary of any length is one that is shown. */
function takeDisplay(concepts: ConceptPool): string | undefined {
  const summary = concepts.take('reasoningSummary');
  const visibility = concepts.take('reasoningVisibility') ?? (summary === undefined ? undefined : 'shown');
  if (visibility === undefined) return undefined;
  return visibility === 'shown' ? 'summarized' : 'omitted';
}

/** An effort has no bearing on thinking that is off. */
function writeEffort(concepts: ConceptPool): unknown {
  if (concepts.see('isReasoning') === false || concepts.see('reasoningEffort') === 'none') return undefined;
  const effort = concepts.take('reasoningEffort');
  return effort === 'minimal' ? 'low' : effort;
}

/** Free text is what comes without a format. Any JSON cannot be asked for, only that of a schema. */
function writeFormat(concepts: ConceptPool): JsonObject | undefined {
  const concept = concepts.see('format');
  if (concept?.type === 'text') concepts.take('format');
  if (concept?.type !== 'json_schema' || concept.schema === undefined) return undefined;
  concepts.take('format');
  return { type: concept.type, schema: concept.schema };
}
