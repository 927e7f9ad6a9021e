import { type Dialect, dialects } from '../../core/presets/preset.ts';
import type { ConceptValues } from './concepts.ts';

/** A field, or a part of it that is a setting of its own. */
export type FieldPath = readonly [field: string, part?: string];

/**
 * Finds every field, or part of one, that sets the same in dialect `to` as a field does in dialect
 * `from`, whatever their values. The field itself is always among them.
 */
export function findCounterparts(name: string, from: Dialect, to: Dialect): readonly FieldPath[] {
  const concepts = new Set(
    fieldConcepts[from].filter(([[field]]) => field === name).flatMap(([, expressed]) => expressed),
  );
  const counterparts = fieldConcepts[to].filter(([, expressed]) =>
    expressed.some((each) => concepts.has(each)),
  );
  return [[name], ...counterparts.map(([path]) => path)];
}

/**
 * Finds every field, or part of one, that sets the same as a field of dialect `from`, by the names
 * of all dialects, because an upstream may know more of them than the dialect of a call.
 */
export function findSpellings(name: string, from: Dialect): readonly FieldPath[] {
  const paths = [from, ...dialects].flatMap((to) => findCounterparts(name, from, to));
  return [...new Map(paths.map((path) => [path.join('.'), path])).values()];
}

type FieldConcepts = readonly (readonly [FieldPath, readonly (keyof ConceptValues)[]])[];

/**
 * `reasoning` in chat completions and responses. An effort excludes a budget, so the two cannot be
 * set separately.
 */
const reasoning: FieldConcepts = [
  [['reasoning'], ['reasoningEffort', 'reasoningTokens', 'isReasoning']],
  [['reasoning', 'exclude'], ['reasoningVisibility']],
  [['reasoning', 'summary'], ['reasoningSummary']],
  [['reasoning', 'generate_summary'], ['reasoningSummary']],
];

/**
 * Which concepts a field can express. The parsers decide that by its value; this table also answers
 * it for fields that are not set. Fields without an entry mean the same wherever they exist.
 */
export const fieldConcepts: Readonly<Record<Dialect, FieldConcepts>> = {
  'chat-completions': [
    [['max_tokens'], ['tokenLimit']],
    [['max_completion_tokens'], ['tokenLimit']],
    [['stop'], ['stopSequences']],
    [['models'], ['fallbackModels']],
    [['top_logprobs'], ['topLogprobs']],
    [['tools'], ['tool']],
    [['functions'], ['tool']],
    [['tool_choice'], ['toolChoice']],
    [['function_call'], ['toolChoice']],
    [['parallel_tool_calls'], ['parallelToolCalls']],
    ...reasoning,
    // Messages turns thinking on for an effort.
    [['reasoning_effort'], ['reasoningEffort', 'isReasoning']],
    [['include_reasoning'], ['reasoningVisibility']],
    [['response_format'], ['format', 'formatDescription']],
    [['verbosity'], ['verbosity']],
  ],
  messages: [
    [['max_tokens'], ['tokenLimit']],
    [['stop_sequences'], ['stopSequences']],
    [['models'], ['fallbackModels']],
    [['fallbacks'], ['fallbackModels']],
    [['tools'], ['tool']],
    [['tool_choice'], ['toolChoice']],
    [['tool_choice', 'disable_parallel_tool_use'], ['parallelToolCalls']],
    [['thinking'], ['isReasoning', 'reasoningTokens']],
    [
      ['thinking', 'display'],
      ['reasoningVisibility', 'reasoningSummary'],
    ],
    [['output_config', 'effort'], ['reasoningEffort']],
    [
      ['output_config', 'format'],
      ['format', 'formatDescription'],
    ],
    [['output_format'], ['format', 'formatDescription']],
  ],
  responses: [
    [['max_output_tokens'], ['tokenLimit']],
    [['stop'], ['stopSequences']],
    [['models'], ['fallbackModels']],
    [['top_logprobs'], ['topLogprobs']],
    [['tools'], ['tool']],
    [['tool_choice'], ['toolChoice']],
    [['parallel_tool_calls'], ['parallelToolCalls']],
    ...reasoning,
    [
      ['text', 'format'],
      ['format', 'formatDescription'],
    ],
    [['text', 'verbosity'], ['verbosity']],
  ],
};
