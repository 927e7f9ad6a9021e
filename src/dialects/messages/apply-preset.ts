import { isJsonObject, type JsonObject } from '../json-object.ts';
import { type AppliedRequest, mergePreset, reportSystemPromptOverride } from '../merge-preset.ts';
import { type AppliedVersion, type FieldConflicts, preparePreset } from '../prepared-preset.ts';
import { joinSystemPrompt } from '../system-prompt.ts';

/**
 * Merges a preset into a request. The preset's system prompt becomes `system`, unless the request
 * has `system` or system messages of its own.
 */
export function applyPreset(request: JsonObject, preset: AppliedVersion): AppliedRequest {
  const applied = mergePreset(request, preparePreset(preset, 'messages', conflicts));
  if (preset.systemPrompt === null) return applied;
  const instructions = instructionsIn(request.messages);
  if (request.system === undefined && instructions.length === 0) {
    applied.body.system = preset.systemPrompt;
    return applied;
  }
  if (request.system === null) delete applied.body.system;
  return reportSystemPromptOverride(applied, preset, joinSystemPrompt([request.system, ...instructions]));
}

/**
 * A request may have only one of `models` and `fallbacks`. `output_format` is the predecessor of
 * the format in `output_config`; like any other field, either replaces the other as a whole.
 */
const conflicts: FieldConflicts = {
  models: ['fallbacks'],
  fallbacks: ['models'],
  output_config: ['output_format'],
  output_format: ['output_config'],
};

/** Anthropic also accepts system messages within the conversation; there is no developer role. */
function instructionsIn(messages: unknown): readonly unknown[] {
  return Array.isArray(messages) ? messages.filter(isInstruction).map(({ content }) => content) : [];
}

function isInstruction(message: unknown): message is JsonObject {
  return isJsonObject(message) && message.role === 'system';
}
