/**
 * Why a capture excludes a known field from the config: it belongs to the conversation, becomes the
 * system prompt, identifies the caller, controls how the response is delivered or stored, applies
 * to a single call, or refers to a preset.
 */
export type ExclusionReason = 'conversation' | 'system_prompt' | 'identity' | 'delivery' | 'call' | 'preset';

/** `extension` is the `presetd` object, which a capture saves beside the config. */
export type FieldKind = 'captured' | 'extension' | ExclusionReason;

/** For every field of a dialect, whether a capture saves it in the config, or why not. */
export type FieldTable = Readonly<Record<string, FieldKind>>;

/** The fields that OpenRouter and presetd add to every dialect. */
export const addedFields = {
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
} as const satisfies FieldTable;
