import {
  addInstruction,
  enforceSystemPrompt,
  joinContent,
  type SystemText,
} from '../extension/system-prompt-policy.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { type AppliedRequest, mergePreset, reportSystemPromptOverride } from '../merge-preset.ts';
import type { FieldConflicts, PreparedPreset } from '../prepared-preset.ts';
import { joinSystemPrompt } from '../system-prompt.ts';

/**
 * Merges a preset into a request. The preset's system prompt becomes `instructions`, unless the
 * request has `instructions` or system or developer items of its own or a policy says otherwise.
 */
export function applyPreset(request: JsonObject, preset: PreparedPreset): AppliedRequest {
  const applied = mergePreset(request, preset);
  const mode = preset.policy?.systemPrompt;
  if (mode !== undefined) return enforceSystemPrompt(applied, request, preset.systemPrompt, mode, systemText);
  if (preset.systemPrompt === null) return applied;
  const items = instructionsIn(request.input);
  if (request.instructions === undefined && items.length === 0) {
    applied.body.instructions = preset.systemPrompt;
    return applied;
  }
  if (request.instructions === null) delete applied.body.instructions;
  return reportSystemPromptOverride(applied, preset, request.instructions || joinSystemPrompt(items));
}

/** No fields of this dialect conflict with each other. */
export const fieldConflicts: FieldConflicts = {};

export const systemText: SystemText = {
  find: ({ instructions, input }) => {
    const items = instructionsIn(input);
    if (instructions === undefined && items.length === 0) return undefined;
    return typeof instructions === 'string' && instructions !== '' ? instructions : joinSystemPrompt(items);
  },
  remove: (body) => {
    delete body.instructions;
    if (Array.isArray(body.input)) body.input = body.input.filter((each) => !isInstruction(each));
  },
  // `instructions` come before all items. A text after system items has to be among them.
  add: (body, text, position) => {
    const { instructions, input } = body;
    const isAmongItems = position === 'after' && joinSystemPrompt([instructions]) === null;
    if (isAmongItems && Array.isArray(input) && input.some(isInstruction)) {
      delete body.instructions;
      body.input = addInstruction(input, isInstruction, text, position, 'input_text');
    } else body.instructions = joinContent(instructions, text, position, 'input_text');
    return true;
  },
};

function instructionsIn(input: unknown): readonly unknown[] {
  return Array.isArray(input) ? input.filter(isInstruction).map(({ content }) => content) : [];
}

/** Messages may lack a type. An item of another type is not a message, whatever its role. */
function isInstruction(item: unknown): item is JsonObject {
  if (!isJsonObject(item) || (item.type !== undefined && item.type !== 'message')) return false;
  return item.role === 'system' || item.role === 'developer';
}
