import { isJsonObject, type JsonObject, nonEmptyObject, omitNullish } from '../../core/json/json-object.ts';
import type { ConceptPool } from '../model/concept-pool.ts';
import type { FormatConcept, FunctionConcept, ToolChoiceConcept, ToolConcept } from '../model/concepts.ts';
import { pickSupportedExtras } from '../model/tool-concepts.ts';
import { fitSchema, noteLosses } from './fit-schema.ts';

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

/** Only functions and server tools can be expressed in this dialect. */
function writeTool(concept: ToolConcept, drop: (part: string) => void): JsonObject | undefined {
  if (concept.type === 'server') return concept.tool;
  if (concept.type !== 'function') return undefined;
  const { name, description } = concept;
  return {
    ...omitNullish({ name, description }),
    ...writeParameters(concept, drop),
    ...pickSupportedExtras(concept, ['cache_control', 'defer_loading', 'allowed_callers'], drop),
  };
}

/**
 * A schema is required and must be an object, even for a function without parameters. Anthropic
 * does not enforce every schema.
 */
function writeParameters({ parameters, strict }: FunctionConcept, drop: (part: string) => void): JsonObject {
  const given = isJsonObject(parameters)
    ? { type: 'object', ...parameters }
    : { type: 'object', properties: {} };
  const schema = withoutRootUnions(given, drop);
  if (strict !== true) return { input_schema: schema, ...omitNullish({ strict }) };
  const fitted = fitSchema(schema);
  if (fitted === undefined) drop('strict');
  for (const keyword of fitted?.dropped ?? []) drop(`parameters.*.${keyword}`);
  return fitted === undefined ? { input_schema: schema } : { input_schema: fitted.schema, strict };
}

/** Anthropic rejects unions at the root of the schema of a tool, strict or not. */
function withoutRootUnions(schema: JsonObject, drop: (part: string) => void): JsonObject {
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const unions = omitNullish({ anyOf, oneOf, allOf });
  for (const keyword of Object.keys(unions)) drop(`parameters.${keyword}`);
  return Object.keys(unions).length === 0 ? schema : noteLosses(rest, unions);
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
  if (concepts.peek('format')?.type === 'text') concepts.consume('format');
  return concepts.consumeEach('format', writeSchema).at(-1);
}

function writeSchema(concept: FormatConcept, drop: (part: string) => void): JsonObject | undefined {
  if (concept.type !== 'json_schema') return undefined;
  const fitted = fitSchema(concept.schema);
  for (const keyword of fitted?.dropped ?? []) drop(`${concept.schemaPath}.*.${keyword}`);
  return fitted && { type: concept.type, schema: fitted.schema };
}
