import type { CapturedPreset } from '../../core/presets/preset.ts';
import { captureExtension, captureFields, type FieldKind } from '../capture-fields.ts';
import { joinSystemPrompt } from '../system-prompt.ts';
import type { ChatCompletionsRequest } from './schema.ts';

/**
 * Extracts the preset from a request. The system prompt is the text of all `system` and `developer`
 * messages, regardless of their position.
 */
export function capturePreset(body: ChatCompletionsRequest): CapturedPreset {
  const instructions = body.messages.filter(({ role }) => role === 'system' || role === 'developer');
  return {
    ...captureFields(body, fields),
    ...captureExtension(body.presetd),
    systemPrompt: joinSystemPrompt(instructions.map(({ content }) => content)),
  };
}

/**
 * Captures save what configures generation and routing, but not content, identity, transport or
 * what applies to a single call. It does not compile without an entry for every field of the schema.
 */
export const fields = {
  messages: 'conversation',
  model: 'captured',
  models: 'captured',
  provider: 'captured',
  plugins: 'captured',
  route: 'captured',
  deferred_tools: 'captured',
  stop_server_tools_when: 'captured',
  session_id: 'identity',
  trace: 'identity',
  preset: 'preset',
  presetd: 'extension',

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
} as const satisfies Record<keyof ChatCompletionsRequest, FieldKind>;
