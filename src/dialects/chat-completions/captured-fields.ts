import { addedFields, type FieldKind } from '../model/capture-fields.ts';
import type { ChatCompletionsRequest } from './schema.ts';

/**
 * Captures save what configures generation and routing, but not content, identity, transport or
 * what applies to a single call. It only compiles with an entry for every field of the schema.
 */
export const fields = {
  messages: 'conversation',
  model: 'captured',
  ...addedFields,

  temperature: 'captured',
  top_p: 'captured',
  top_k: 'captured',
  top_a: 'captured',
  min_p: 'captured',
  frequency_penalty: 'captured',
  presence_penalty: 'captured',
  repetition_penalty: 'captured',
  logit_bias: 'captured',
  logprobs: 'captured',
  top_logprobs: 'captured',
  seed: 'captured',
  n: 'captured',
  stop: 'captured',
  max_tokens: 'captured',
  max_completion_tokens: 'captured',

  tools: 'captured',
  tool_choice: 'captured',
  parallel_tool_calls: 'captured',
  max_tool_calls: 'captured',
  functions: 'captured',
  function_call: 'captured',
  web_search_options: 'captured',

  reasoning: 'captured',
  reasoning_effort: 'captured',
  include_reasoning: 'captured',
  verbosity: 'captured',
  response_format: 'captured',
  structured_outputs: 'captured',
  modalities: 'captured',
  audio: 'captured',
  image_config: 'captured',
  moderation: 'captured',
  service_tier: 'captured',
  cache_control: 'captured',
  prompt_cache_options: 'captured',
  prompt_cache_retention: 'captured',
  prompt_cache_key: 'call',

  prompt: 'conversation',
  prediction: 'conversation',
  stream: 'delivery',
  stream_options: 'delivery',
  usage: 'delivery',
  store: 'delivery',
  user: 'identity',
  safety_identifier: 'identity',
  metadata: 'identity',
  debug: 'delivery',
} as const satisfies Record<keyof ChatCompletionsRequest | 'presetd', FieldKind>;

/**
 * Most of these are the old and the new name of the same setting. `reasoning` covers both of the
 * older `reasoning_effort` and `include_reasoning`, which do not affect each other; a request that
 * only sets `include_reasoning` keeps the preset's `reasoning`, because visibility says nothing
 * about effort. A tool list in one form also replaces the tool choice in the other.
 */
export const conflicts = {
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
