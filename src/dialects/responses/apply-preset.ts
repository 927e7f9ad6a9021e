import { isJsonObject, type JsonObject } from '../json-object.ts';
import { type AppliedRequest, mergePreset, reportSystemPromptOverride } from '../merge-preset.ts';
import { type AppliedVersion, preparePreset } from '../prepared-preset.ts';
import { joinSystemPrompt } from '../system-prompt.ts';

/**
 * Merges a preset into a request. The preset's system prompt becomes `instructions`, unless the
 * request has `instructions` or system or developer items of its own.
 */
export function applyPreset(request: JsonObject, preset: AppliedVersion): AppliedRequest {
  // No fields of this dialect conflict with each other.
  const applied = mergePreset(request, preparePreset(preset, 'responses', {}));
  if (preset.systemPrompt === null) return applied;
  const items = instructionsIn(request.input);
  if (request.instructions === undefined && items.length === 0) {
    applied.body.instructions = preset.systemPrompt;
    return applied;
  }
  if (request.instructions === null) delete applied.body.instructions;
  return reportSystemPromptOverride(applied, preset, request.instructions || joinSystemPrompt(items));
}

function instructionsIn(input: unknown): readonly unknown[] {
  return Array.isArray(input) ? input.filter(isInstruction).map(({ content }) => content) : [];
}

/** Messages may lack a type. An item of another type is not a message, whatever its role. */
function isInstruction(item: unknown): item is JsonObject {
  if (!isJsonObject(item) || (item.type !== undefined && item.type !== 'message')) return false;
  return item.role === 'system' || item.role === 'developer';
}
