import type { CapturedPreset } from '../../core/preset.ts';
import { captureFields, type ExclusionReason } from '../capture-fields.ts';
import { joinSystemPrompt } from '../system-prompt.ts';
import type { MessagesRequest } from './schema.ts';

/** The system prompt is `system`, then the text of any `system` messages among the others. */
export function capturePreset(body: MessagesRequest): CapturedPreset {
  const instructions = (body.messages ?? []).filter(({ role }) => role === 'system');
  return {
    ...captureFields(body, fields),
    systemPrompt: joinSystemPrompt([body.system, ...instructions.map(({ content }) => content)]),
  };
}

/**
 * Kept is what configures generation and routing; content, identity, transport and the single call are not.
 * `compaction` turns the call into a summary of its own messages, `thread` and `fallback_credit_token` hang
 * on an earlier call.
 */
export const fields = {
  model: 'kept',
  messages: 'conversation',
  system: 'system_prompt',
  models: 'kept',
  provider: 'kept',
  plugins: 'kept',
  route: 'kept',
  deferred_tools: 'kept',
  stop_server_tools_when: 'kept',
  session_id: 'identity',
  trace: 'identity',
  preset: 'preset',
  fallbacks: 'kept',

  max_tokens: 'kept',
  temperature: 'kept',
  top_p: 'kept',
  top_k: 'kept',
  stop_sequences: 'kept',

  tools: 'kept',
  tool_choice: 'kept',
  mcp_servers: 'kept',
  container: 'kept',

  thinking: 'kept',
  output_config: 'kept',
  output_format: 'kept',
  context_management: 'kept',
  cache_control: 'kept',
  safeguards: 'kept',
  speed: 'kept',
  service_tier: 'kept',
  inference_geo: 'kept',

  stream: 'delivery',
  user: 'identity',
  metadata: 'identity',
  compaction: 'conversation',
  thread: 'conversation',
  diagnostics: 'delivery',
  fallback_credit_token: 'call',
} as const satisfies Record<keyof MessagesRequest, 'kept' | ExclusionReason>;
