import type { AppliedRequest, AppliedVersion } from '../applied-request.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { mergePreset } from '../merge-preset.ts';
import { preparePreset, type Rivals } from '../prepared-preset.ts';

/** Merges a preset into a request. Its system prompt becomes `system`, unless the request has one of its own. */
export function applyPreset(request: JsonObject, preset: AppliedVersion): AppliedRequest {
  const applied = mergePreset(request, preparePreset(preset, 'messages', rivals));
  if (preset.systemPrompt === null) return applied;
  if (request.system === null) delete applied.body.system;
  else if (request.system === undefined && !hasSystemMessage(request.messages))
    applied.body.system = preset.systemPrompt;
  return applied;
}

/**
 * A request may hold only one of `models` and `fallbacks`. `output_format` is what the format in `output_config` was
 * called before; as with any other field, what the request gives replaces the preset's whole.
 */
const rivals: Rivals = {
  models: ['fallbacks'],
  fallbacks: ['models'],
  output_config: ['output_format'],
  output_format: ['output_config'],
};

function hasSystemMessage(messages: unknown): boolean {
  return (
    Array.isArray(messages) && messages.some((message) => isJsonObject(message) && message.role === 'system')
  );
}
