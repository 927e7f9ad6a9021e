import type { CapturedPreset } from '../../core/preset.ts';
import { captureFields, type ExclusionReason } from '../capture-fields.ts';
import { joinSystemPrompt } from '../system-prompt.ts';
import type { ResponsesRequest } from './schema.ts';

/** The system prompt is `instructions`; without it, the text of the `system` and `developer` items. */
export function capturePreset(body: ResponsesRequest): CapturedPreset {
  return {
    ...captureFields(body, fields),
    systemPrompt: body.instructions || joinSystemPrompt(systemContents(body.input)),
  };
}

function systemContents(input: ResponsesRequest['input']): unknown[] {
  const items: readonly object[] = Array.isArray(input) ? input : [];
  return items.filter(isInstruction).map(({ content }) => content);
}

/** A message may leave out its type; an item with another type is none, whatever its role. */
function isInstruction(item: object): item is { content: unknown } {
  if (!('content' in item) || !('role' in item)) return false;
  if ('type' in item && item.type !== 'message') return false;
  return item.role === 'system' || item.role === 'developer';
}

/** Kept is what configures generation and routing; content, identity, transport and the single call are not. */
export const fields = {
  input: 'conversation',
  instructions: 'system_prompt',
  prompt: 'conversation',
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
  frequency_penalty: 'kept',
  presence_penalty: 'kept',
  top_logprobs: 'kept',
  stop: 'kept',
  max_output_tokens: 'kept',

  tools: 'kept',
  tool_choice: 'kept',
  parallel_tool_calls: 'kept',
  max_tool_calls: 'kept',

  reasoning: 'kept',
  text: 'kept',
  modalities: 'kept',
  image_config: 'kept',
  image: 'kept',
  moderation: 'kept',
  access_programs: 'kept',
  include: 'kept',
  truncation: 'kept',
  context_management: 'kept',
  service_tier: 'kept',
  cache_control: 'kept',
  prompt_cache_options: 'kept',
  prompt_cache_retention: 'kept',
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
} as const satisfies Record<keyof ResponsesRequest, 'kept' | ExclusionReason>;
