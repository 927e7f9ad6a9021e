import { addedFields, type FieldKind } from '../model/capture-fields.ts';
import type { ResponsesRequest } from './schema.ts';

/**
 * Captures save what configures generation and routing, but not content, identity, transport or
 * what applies to a single call. It only compiles with an entry for every field of the schema.
 */
export const fields = {
  input: 'conversation',
  instructions: 'system_prompt',
  prompt: 'conversation',
  model: 'captured',
  ...addedFields,

  temperature: 'captured',
  top_p: 'captured',
  top_k: 'captured',
  frequency_penalty: 'captured',
  presence_penalty: 'captured',
  top_logprobs: 'captured',
  stop: 'captured',
  max_output_tokens: 'captured',

  tools: 'captured',
  tool_choice: 'captured',
  parallel_tool_calls: 'captured',
  max_tool_calls: 'captured',

  reasoning: 'captured',
  text: 'captured',
  modalities: 'captured',
  image_config: 'captured',
  image: 'captured',
  moderation: 'captured',
  access_programs: 'captured',
  include: 'captured',
  truncation: 'captured',
  context_management: 'captured',
  service_tier: 'captured',
  cache_control: 'captured',
  prompt_cache_options: 'captured',
  prompt_cache_retention: 'captured',
  prompt_cache_key: 'call',

  previous_response_id: 'conversation',
  conversation: 'conversation',
  background: 'delivery',
  stream: 'delivery',
  stream_options: 'delivery',
  store: 'delivery',
  user: 'identity',
  safety_identifier: 'identity',
  metadata: 'identity',
  debug: 'delivery',
} as const satisfies Record<keyof ResponsesRequest | 'presetd', FieldKind>;
