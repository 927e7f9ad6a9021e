import type { JsonObject } from '../json-object.ts';
import type { AppliedRequest } from '../merge-preset.ts';
import type { SystemPromptMode } from './policy.ts';

/** Where a dialect has the system text of a request. */
export interface SystemText {
  /** Null if the request has only empty text, or removes it; undefined if it has none. */
  readonly find: (request: JsonObject) => string | null | undefined;
  /** Removes all of it from a body. */
  readonly remove: (body: Record<string, unknown>) => void;
  /** Adds a text before or after it. Returns false if the body has no place for it. */
  readonly add: (body: Record<string, unknown>, text: string, position: TextPosition) => boolean;
}

export type TextPosition = 'before' | 'after';

/** Adds the preset's system prompt to a merged request, next to or instead of the request's. */
export function enforceSystemPrompt(
  applied: AppliedRequest,
  request: JsonObject,
  systemPrompt: string | null,
  mode: SystemPromptMode,
  { find, remove, add }: SystemText,
): AppliedRequest {
  const requested = find(request);
  if (mode === 'lock') remove(applied.body);
  // Nothing to add, or the request already has it.
  else if (systemPrompt === null || requested === systemPrompt) return applied;
  const position = mode === 'append' ? 'after' : 'before';
  if (systemPrompt !== null && !add(applied.body, systemPrompt, position))
    return { ...applied, droppedFields: [...applied.droppedFields, 'system_prompt'] };
  if (requested === undefined || requested === systemPrompt) return applied;
  const winner = mode === 'lock' || requested === null ? 'preset' : 'both';
  return {
    ...applied,
    policyFields: [{ name: 'system_prompt', winner }, ...(applied.policyFields ?? [])],
  };
}

export function withoutSystemText(request: JsonObject, { remove }: SystemText): JsonObject {
  const body = { ...request };
  remove(body);
  return body;
}

/** Two blank lines, because paragraphs within a text are one blank line apart. */
const separator = '\n\n\n';

/** The types that dialects have for a text among the parts of a message. */
type TextPartType = 'text' | 'input_text';

/**
 * Adds a text to the content of a message or to a system field. A list keeps its parts, with their
 * cache breakpoints, and gets one more.
 */
export function joinContent(
  content: unknown,
  text: string,
  position: TextPosition,
  type: TextPartType,
): unknown {
  if (Array.isArray(content))
    return position === 'before' ? [{ type, text }, ...content] : [...content, { type, text }];
  if (typeof content !== 'string' || content === '') return text;
  return position === 'before' ? text + separator + content : content + separator + text;
}

/**
 * Adds a text before all messages, or after the first run of instructions: later ones belong to the
 * conversation. Where that is a single instruction, the text becomes a part of it, because many
 * models accept only one. Several stay as they are, and the text gets a message of its own.
 */
export function addInstruction(
  messages: readonly unknown[],
  isInstruction: (message: unknown) => message is JsonObject,
  text: string,
  position: TextPosition,
  type: TextPartType,
): readonly unknown[] {
  const start = Math.max(0, messages.findIndex(isInstruction));
  let end = start;
  while (isInstruction(messages[end])) end += 1;
  const first = messages[start];
  if (isInstruction(first) && end === start + 1 && (start === 0 || position === 'after'))
    return messages.with(start, { ...first, content: joinContent(first.content, text, position, type) });
  return messages.toSpliced(position === 'before' ? 0 : end, 0, { role: 'system', content: text });
}
