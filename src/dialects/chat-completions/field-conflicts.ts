import type { FieldConflicts } from '../prepared-preset.ts';

/**
 * Most of these are the old and the new name of the same setting. `reasoning` covers both of the
 * older `reasoning_effort` and `include_reasoning`, which do not affect each other; a request that
 * only sets `include_reasoning` keeps the preset's `reasoning`, because visibility says nothing
 * about effort. A tool list in one form also replaces the tool choice in the other.
 */
export const fieldConflicts: FieldConflicts = {
  max_tokens: ['max_completion_tokens'],
  max_completion_tokens: ['max_tokens'],
  reasoning: ['reasoning_effort'],
  reasoning_effort: ['reasoning'],
  include_reasoning: ['reasoning'],
  tools: ['functions'],
  functions: ['tools'],
  tool_choice: ['function_call', 'functions'],
  parallel_tool_calls: ['functions'],
  function_call: ['tool_choice', 'tools'],
};
