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
 * Merges a preset into a request. The preset's system prompt becomes `system`, unless the request
 * has `system` or system messages of its own or a policy says otherwise.
 */
export function applyPreset(request: JsonObject, preset: PreparedPreset): AppliedRequest {
  const applied = mergePreset(request, preset);
  const mode = preset.policy?.systemPrompt;
  if (mode !== undefined) return enforceSystemPrompt(applied, request, preset.systemPrompt, mode, systemText);
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
export const fieldConflicts: FieldConflicts = {
  models: ['fallbacks'],
  fallbacks: ['models'],
  output_config: ['output_format'],
  output_format: ['output_config'],
};

export const systemText: SystemText = {
  find: ({ system, messages }) => {
    const instructions = instructionsIn(messages);
    return system === undefined && instructions.length === 0
      ? undefined
      : joinSystemPrompt([system, ...instructions]);
  },
  remove: (body) => {
    delete body.system;
    if (Array.isArray(body.messages)) body.messages = body.messages.filter((each) => !isInstruction(each));
  },
  // `system` comes before all messages. A text after system messages has to be among them.
  add: (body, text, position) => {
    const { system, messages } = body;
    const isAmongMessages = position === 'after' && joinSystemPrompt([system]) === null;
    if (isAmongMessages && Array.isArray(messages) && messages.some(isInstruction)) {
      delete body.system;
      body.messages = addInstruction(messages, isInstruction, text, position, 'text');
    } else body.system = joinContent(system, text, position, 'text');
    return true;
  },
};

/** Anthropic also accepts system messages within the conversation; there is no developer role. */
function instructionsIn(messages: unknown): readonly unknown[] {
  return Array.isArray(messages) ? messages.filter(isInstruction).map(({ content }) => content) : [];
}

function isInstruction(message: unknown): message is JsonObject {
  return isJsonObject(message) && message.role === 'system';
}
