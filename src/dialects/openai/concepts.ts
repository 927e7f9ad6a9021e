/** How chat completions and responses parse and write what they have in common. */

import { isJsonObject, type JsonObject, omitNullish } from '../../core/json/json-object.ts';
import type { ConceptPool } from '../model/concept-pool.ts';
import {
  type Concept,
  type ConceptParsers,
  dialectSpecific,
  parseAs,
  parseBoolean,
  parseParts,
  reasoningVisibility,
  type ToolChoiceConcept,
} from '../model/concepts.ts';
import type { FieldConcepts } from '../model/dialect.ts';
import { isServerTool, isWebSearch } from '../model/tool-identity.ts';
import { stopSequencesMax } from '../schema/openai-fields.ts';

/** Always yields a list, because messages does not accept a single string. */
export function parseStopSequences(stop: unknown, path: string): readonly Concept[] {
  return [{ kind: 'stopSequences', value: Array.isArray(stop) ? stop : [stop], path }];
}

export function writeStopSequences(concepts: ConceptPool): readonly unknown[] | undefined {
  return concepts.consumeEach('stopSequences', firstSequences).at(-1);
}

function firstSequences(sequences: readonly unknown[], drop: (part: string) => void): readonly unknown[] {
  for (let index = stopSequencesMax; index < sequences.length; index += 1) drop(String(index));
  return sequences.slice(0, stopSequencesMax);
}

/** Parses a tool choice, in the flat form that responses has. */
export function parseToolChoice(choice: unknown, path: string): Concept {
  const value = toChoiceConcept(choice);
  return value === undefined ? dialectSpecific(path) : { kind: 'toolChoice', value, path };
}

/** Returns undefined for choices that only one dialect has. */
function toChoiceConcept(choice: unknown): ToolChoiceConcept | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { type: choice };
  if (!isJsonObject(choice)) return undefined;
  const { type, name, mode, tools } = choice;
  if (type === 'function' || type === 'custom') return { type, name };
  if (type === 'allowed_tools' && Array.isArray(tools)) return { type: 'allowed', mode, tools };
  return isServerTool(choice) || isWebSearch(choice) ? { type: 'server', choice } : undefined;
}

export function parseReasoning(reasoning: unknown, path: string): readonly Concept[] {
  return parseParts(reasoning, path, parsers);
}

const parsers: ConceptParsers = {
  effort: parseAs('reasoningEffort'),
  max_tokens: parseAs('reasoningTokens'),
  enabled: parseBoolean((value, path) => ({ kind: 'isReasoning', value, path })),
  exclude: parseBoolean((isHidden, path) => reasoningVisibility(!isHidden, path)),
  summary: parseAs('reasoningSummary'),
  generate_summary: parseAs('reasoningSummary'),
};

/**
 * Parses an output format. `definition` is what describes its schema, and `prefix` the path to
 * that. The description is a concept of its own, so that a dialect without it drops only that.
 */
export function parseFormat(
  format: unknown,
  definition: unknown,
  path: string,
  prefix: string,
): readonly Concept[] {
  const type = isJsonObject(format) ? format.type : undefined;
  if (type === 'text' || type === 'json_object') return [{ kind: 'format', value: { type }, path }];
  if (type !== 'json_schema' || !isJsonObject(definition)) return [dialectSpecific(path)];
  const { name, schema, strict, description } = definition;
  const origin = { schemaPath: `${prefix}schema`, schemaOrigin: 'openai' } as const;
  const concept: Concept = { kind: 'format', value: { type, name, schema, strict, ...origin }, path };
  if (description === undefined) return [concept];
  return [concept, { kind: 'formatDescription', value: description, path: `${path}.${prefix}description` }];
}

/**
 * Writes the field `reasoning` except for its visibility, which the two dialects express
 * differently. OpenRouter rejects an effort together with a token budget; the effort is preferred,
 * because other upstreams know only that. The effort `none` turns reasoning off everywhere.
 */
export function writeReasoning(concepts: ConceptPool): JsonObject {
  const isReasoning = concepts.consume('isReasoning');
  if (isReasoning === false) {
    if (concepts.peek('reasoningEffort') === 'none') concepts.consume('reasoningEffort');
    return { effort: 'none' };
  }
  const effort = concepts.consume('reasoningEffort');
  if (effort !== undefined) return { effort };
  const tokens = concepts.consume('reasoningTokens');
  return omitNullish({ max_tokens: tokens, enabled: tokens === undefined ? isReasoning : undefined });
}

/** Which concepts the fields of both dialects can express. */
export const openAiFieldConcepts: FieldConcepts = [
  [['stop'], ['stopSequences']],
  [['models'], ['fallbackModels']],
  [['top_logprobs'], ['topLogprobs']],
  [['tools'], ['tool']],
  [['tool_choice'], ['toolChoice']],
  [['parallel_tool_calls'], ['parallelToolCalls']],
  // An effort excludes a budget, so the two cannot be set separately.
  [['reasoning'], ['reasoningEffort', 'reasoningTokens', 'isReasoning']],
  [['reasoning', 'exclude'], ['reasoningVisibility']],
  [['reasoning', 'summary'], ['reasoningSummary']],
  [['reasoning', 'generate_summary'], ['reasoningSummary']],
];
