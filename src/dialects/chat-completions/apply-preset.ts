import { addInstruction, enforceSystemPrompt, type SystemText } from '../extension/system-prompt-policy.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { type AppliedRequest, mergePreset, reportSystemPromptOverride } from '../merge-preset.ts';
import type { FieldConflicts, PreparedPreset } from '../prepared-preset.ts';
import { joinSystemPrompt } from '../system-prompt.ts';

/**
 * Merges a preset into a request. The preset's system prompt becomes the first message, unless the
 * request has system or developer messages of its own or a policy says otherwise.
 */
export function applyPreset(request: JsonObject, preset: PreparedPreset): AppliedRequest {
  const applied = mergePreset(request, preset);
  const mode = preset.policy?.systemPrompt;
  if (mode !== undefined) return enforceSystemPrompt(applied, request, preset.systemPrompt, mode, systemText);
  if (preset.systemPrompt === null) return applied;
  const instructions = instructionsIn(request.messages);
  if (instructions.length > 0)
    return reportSystemPromptOverride(applied, preset, joinSystemPrompt(instructions));
  const messages = messagesOf(request);
  // The request has no message list to add it to. Rejecting such a request is up to the upstream.
  if (messages === undefined)
    return { ...applied, droppedFields: [...applied.droppedFields, 'system_prompt'] };
  applied.body.messages = [{ role: 'system', content: preset.systemPrompt }, ...messages];
  return applied;
}

/**
 * Most of these are the old and the new name of the same setting. `reasoning` covers both of the
 * older `reasoning_effort` and `include_reasoning`, which do not affect each other; a request that
 * only sets `include_reasoning` keeps the preset's `reasoning`, because visibility says nothing
 * about effort. A tool list in one form also replaces the tool choice in the other.
 */
export const fieldConflicts: FieldConflicts = {
  max_tokens: ['max_completion_tokens'],
  max_completion_tokens: ['max_tokens'],
  reasoning: ['reasoning_effort'],
  reasoning_effort: ['reasoning'],
  include_reasoning: ['reasoning'],
  tools: ['functions'],
  functions: ['tools'],
  tool_choice: ['function_call', 'functions'],
  parallel_tool_calls: ['functions'],
  function_call: ['tool_choice', 'tools'],
};

export const systemText: SystemText = {
  find: ({ messages }) => {
    const instructions = instructionsIn(messages);
    return instructions.length === 0 ? undefined : joinSystemPrompt(instructions);
  },
  remove: (body) => {
    if (Array.isArray(body.messages)) body.messages = body.messages.filter((each) => !isInstruction(each));
  },
  add: (body, text, position) => {
    const messages = messagesOf(body);
    if (messages === undefined) return false;
    body.messages = addInstruction(messages, isInstruction, text, position, 'text');
    return true;
  },
};

function instructionsIn(messages: unknown): readonly unknown[] {
  return Array.isArray(messages) ? messages.filter(isInstruction).map(({ content }) => content) : [];
}

function isInstruction(message: unknown): message is JsonObject {
  return isJsonObject(message) && (message.role === 'system' || message.role === 'developer');
}

/**
 * The messages to put the system prompt in front of; undefined if there can be none. OpenRouter
 * accepts `prompt` instead of messages and would ignore it if presetd added messages.
 */
function messagesOf({ messages, prompt }: JsonObject): readonly unknown[] | undefined {
  if (messages === undefined && prompt === undefined) return [];
  return Array.isArray(messages) ? messages : undefined;
}
