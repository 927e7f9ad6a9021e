import type { AppliedRequest, AppliedVersion } from '../applied-request.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { mergePreset } from '../merge-preset.ts';
import { preparePreset } from '../prepared-preset.ts';

/** Merges a preset into a request. Its system prompt becomes `instructions`, unless the request has its own. */
export function applyPreset(request: JsonObject, preset: AppliedVersion): AppliedRequest {
  // No two fields of this dialect say the same.
  const applied = mergePreset(request, preparePreset(preset, 'responses', {}));
  if (preset.systemPrompt === null) return applied;
  if (request.instructions === null) delete applied.body.instructions;
  else if (request.instructions === undefined && !hasInstructions(request.input))
    applied.body.instructions = preset.systemPrompt;
  return applied;
}

function hasInstructions(input: unknown): boolean {
  return Array.isArray(input) && input.some(isInstruction);
}

/** A message may leave out its type; an item with another type is none, whatever its role. */
function isInstruction(item: unknown): boolean {
  if (!isJsonObject(item) || (item.type !== undefined && item.type !== 'message')) return false;
  return item.role === 'system' || item.role === 'developer';
}
