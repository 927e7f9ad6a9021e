import type { CapturedPreset } from '../../core/presets/preset.ts';
import { captureExtension, captureFields, type FieldKind } from '../capture-fields.ts';
import { joinSystemPrompt } from '../system-prompt.ts';
import type { ResponsesRequest } from './schema.ts';

/**
 * Extracts the preset from a request. The system prompt is `instructions`; without it, the text of
 * the `system` and `developer` items.
 */
export function capturePreset(body: ResponsesRequest): CapturedPreset {
  return {
    ...captureFields(body, fields),
    ...captureExtension(body.presetd),
    systemPrompt: body.instructions || joinSystemPrompt(systemContents(body.input)),
  };
}

function systemContents(input: ResponsesRequest['input']): unknown[] {
  const items: readonly object[] = Array.isArray(input) ? input : [];
  return items.filter(isInstruction).map(({ content }) => content);
}

/** Messages may lack a type. An item of another type is not a message, whatever its role. */
function isInstruction(item: object): item is { content: unknown } {
  if (!('content' in item) || !('role' in item)) return false;
  if ('type' in item && item.type !== 'message') return false;
  return item.role === 'system' || item.role === 'developer';
}

/**
 * Captures save what configures generation and routing, but not content, identity, transport or
 * what applies to a single call. It does not compile without an entry for every field of the schema.
 */
export const fields = {
  input: 'conversation',
  instructions: 'system_prompt',
  prompt: 'conversation',
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
} as const satisfies Record<keyof ResponsesRequest, FieldKind>;
