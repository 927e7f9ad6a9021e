import type { CapturedPreset } from '../../core/presets/preset.ts';
import { captureExtension, captureFields, type FieldKind } from '../capture-fields.ts';
import { joinSystemPrompt } from '../system-prompt.ts';
import type { MessagesRequest } from './schema.ts';

/** Extracts the preset from a request. The system prompt is `system` plus any system messages. */
export function capturePreset(body: MessagesRequest): CapturedPreset {
  const instructions = (body.messages ?? []).filter(({ role }) => role === 'system');
  return {
    ...captureFields(body, fields),
    ...captureExtension(body.presetd),
    systemPrompt: joinSystemPrompt([body.system, ...instructions.map(({ content }) => content)]),
  };
}

/**
 * Captures save what configures generation and routing, but not content, identity, transport or
 * what applies to a single call: `compaction` asks for a summary of the messages, `thread` and
 * `fallback_credit_token` refer to an earlier call. It does not compile without an entry for every
 * field of the schema.
 */
export const fields = {
  model: 'captured',
  messages: 'conversation',
  system: 'system_prompt',
  prompt: 'conversation',
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
  fallbacks: 'captured',

  max_tokens: 'captured',
  temperature: 'captured',
  top_p: 'captured',
  top_k: 'captured',
  stop_sequences: 'captured',

  tools: 'captured',
  tool_choice: 'captured',
  mcp_servers: 'captured',
  container: 'captured',

  thinking: 'captured',
  output_config: 'captured',
  output_format: 'captured',
  context_management: 'captured',
  cache_control: 'captured',
  safeguards: 'captured',
  speed: 'captured',
  service_tier: 'captured',
  inference_geo: 'captured',

  stream: 'delivery',
  user: 'identity',
  metadata: 'identity',
  compaction: 'conversation',
  thread: 'conversation',
  diagnostics: 'delivery',
  fallback_credit_token: 'call',
} as const satisfies Record<keyof MessagesRequest, FieldKind>;
