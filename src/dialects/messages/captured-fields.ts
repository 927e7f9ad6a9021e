import { addedFields, type FieldKind } from '../model/capture-fields.ts';
import type { MessagesRequest } from './schema.ts';

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
  ...addedFields,
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
} as const satisfies Record<keyof MessagesRequest | 'presetd', FieldKind>;

/**
 * A request may have only one of `models` and `fallbacks`. `output_format` is the predecessor of
 * the format in `output_config`; like any other field, either replaces the other as a whole.
 */
export const conflicts = {
  models: ['fallbacks'],
  fallbacks: ['models'],
  output_config: ['output_format'],
  output_format: ['output_config'],
};
