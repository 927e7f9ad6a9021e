import type { CapturedPreset } from '../../core/preset.ts';
import { captureFields, type ExclusionReason } from '../capture-fields.ts';
import { joinSystemPrompt } from '../system-prompt.ts';
import type { ChatCompletionsRequest } from './schema.ts';

/** The system prompt is the text of all `system` and `developer` messages, wherever they stand. */
export function capturePreset(body: ChatCompletionsRequest): CapturedPreset {
  const instructions = body.messages.filter(({ role }) => role === 'system' || role === 'developer');
  return {
    ...captureFields(body, fields),
    systemPrompt: joinSystemPrompt(instructions.map(({ content }) => content)),
  };
}

/** Kept is what configures generation and routing; content, identity, transport and the single call are not. */
export const fields = {
  messages: 'conversation',
  model: 'kept',
  models: 'kept',
  provider: 'kept',
  plugins: 'kept',
  route: 'kept',
  deferred_tools: 'kept',
  stop_server_tools_when: 'kept',
  session_id: 'identity',
  trace: 'identity',
  preset: 'preset',

  temperature: 'kept',
  top_p: 'kept',
  top_k: 'kept',
  top_a: 'kept',
  min_p: 'kept',
  frequency_penalty: 'kept',
  presence_penalty: 'kept',
  repetition_penalty: 'kept',
  logit_bias: 'kept',
  logprobs: 'kept',
  top_logprobs: 'kept',
  seed: 'kept',
  n: 'kept',
  stop: 'kept',
  max_tokens: 'kept',
  max_completion_tokens: 'kept',

  tools: 'kept',
  tool_choice: 'kept',
  parallel_tool_calls: 'kept',
  max_tool_calls: 'kept',
  functions: 'kept',
  function_call: 'kept',
  web_search_options: 'kept',

  reasoning: 'kept',
  reasoning_effort: 'kept',
  include_reasoning: 'kept',
  verbosity: 'kept',
  response_format: 'kept',
  structured_outputs: 'kept',
  modalities: 'kept',
  audio: 'kept',
  image_config: 'kept',
  moderation: 'kept',
  service_tier: 'kept',
  cache_control: 'kept',
  prompt_cache_options: 'kept',
  prompt_cache_retention: 'kept',
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
} as const satisfies Record<keyof ChatCompletionsRequest, 'kept' | ExclusionReason>;
