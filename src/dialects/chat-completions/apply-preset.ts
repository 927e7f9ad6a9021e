import type { AppliedRequest, AppliedVersion } from '../applied-request.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { mergePreset } from '../merge-preset.ts';
import { reportSystemPromptOverride } from '../overridden-fields.ts';
import { type FieldConflicts, preparePreset } from '../prepared-preset.ts';
import { joinSystemPrompt } from '../system-prompt.ts';

/** Merges a preset into a request. Its system prompt comes first, unless the request has instructions of its own. */
export function applyPreset(request: JsonObject, preset: AppliedVersion): AppliedRequest {
  const applied = mergePreset(request, preparePreset(preset, 'chat-completions', rivals));
  if (preset.systemPrompt === null) return applied;
  const instructions = instructionsIn(request.messages);
  if (instructions.length > 0)
    return reportSystemPromptOverride(applied, preset, joinSystemPrompt(instructions));
  const messages = messagesOf(request);
  // There is no place for it, and whatever stands there instead is for the upstream to judge.
  if (messages === undefined)
    return { ...applied, droppedFields: [...applied.droppedFields, 'system_prompt'] };
  applied.body.messages = [{ role: 'system', content: preset.systemPrompt }, ...messages];
  return applied;
}

/**
 * `reasoning` says what the older `reasoning_effort` and `include_reasoning` say, each of which is a part of it; these two
 * say nothing of each other, and whether to show a thought nothing of how long it is. The others are old and new names of
 * the same thing; with a list of tools goes the choice among them.
 */
const rivals: FieldConflicts = {
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

function instructionsIn(messages: unknown): readonly unknown[] {
  return Array.isArray(messages) ? messages.filter(isInstruction).map(({ content }) => content) : [];
}

function isInstruction(message: unknown): message is JsonObject {
  return isJsonObject(message) && (message.role === 'system' || message.role === 'developer');
}

/** OpenRouter takes a `prompt` in the place of messages; beside messages it would be lost. */
function messagesOf({ messages, prompt }: JsonObject): readonly unknown[] | undefined {
  if (messages === undefined && prompt === undefined) return [];
  return Array.isArray(messages) ? messages : undefined;
}
