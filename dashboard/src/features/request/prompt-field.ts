/**
 * The system prompt of a request, wherever its dialect has it.
 *
 * Reading follows the captures, which join the text of several messages and parts. Writing puts the
 * whole prompt into one string, since a version stores nothing else of it.
 */

import { isJsonObject, type JsonObject } from '../../../../src/core/json-object.ts';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { joinSystemPrompt } from '../../../../src/dialects/model/system-prompt.ts';
import { changeField, insertItem, type JSONPath, removeField, setField } from './request-text.ts';

/** Empty for none. */
export function readPrompt(body: JsonObject, dialect: Dialect): string {
  return promptOf[dialect](body) ?? '';
}

/** The text with another prompt. `body` is what it was parsed from. */
export function writePrompt(text: string, body: JsonObject, dialect: Dialect, prompt: string): string {
  const value = prompt === '' ? undefined : prompt;
  if (dialect === 'chat-completions') return writeMessages(text, body, value);
  const [field, list] =
    dialect === 'messages' ? (['system', 'messages'] as const) : (['instructions', 'input'] as const);
  const cleaned = withoutItems(text, [list], systemItems(body[list]));
  // Removing the last item also removes the list, which messages require.
  const isListLost = dialect === 'messages' && countOthers(body[list]) === 0 && Array.isArray(body[list]);
  return changeField(isListLost ? setField(cleaned, [list], []) : cleaned, [field], value);
}

const promptOf: Readonly<Record<Dialect, (body: JsonObject) => string | null>> = {
  'chat-completions': ({ messages }) => joinSystemPrompt(contentsOf(messages)),
  messages: ({ system, messages }) => joinSystemPrompt([system, ...contentsOf(messages)]),
  responses: ({ instructions, input }) =>
    typeof instructions === 'string' && instructions !== ''
      ? instructions
      : joinSystemPrompt(contentsOf(input)),
};

function contentsOf(messages: unknown): readonly unknown[] {
  return systemItems(messages).map((index) => (messages as readonly JsonObject[])[index]?.content);
}

/** The positions of the messages that belong to the system prompt. */
function systemItems(messages: unknown): readonly number[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message, index) => (isSystemMessage(message) ? [index] : []));
}

/** Whether a message belongs to the system prompt. */
export function isSystemMessage(message: unknown): boolean {
  if (!isJsonObject(message)) return false;
  const { role, type } = message;
  return (role === 'system' || role === 'developer') && (type === undefined || type === 'message');
}

/**
 * Chat completions need at least one message. A request without a prompt has an empty one of the
 * user, which a prompt replaces.
 */
function writeMessages(text: string, { messages }: JsonObject, prompt: string | undefined): string {
  const [first, ...others] = systemItems(messages);
  if (prompt === undefined) {
    const cleaned = withoutItems(text, ['messages'], systemItems(messages));
    return countOthers(messages) === 0
      ? setField(cleaned, ['messages'], [{ role: 'user', content: '' }])
      : cleaned;
  }
  if (first !== undefined)
    return setField(withoutItems(text, ['messages'], others), ['messages', first, 'content'], prompt);
  const message = { role: 'system', content: prompt };
  if (Array.isArray(messages) && messages.length === 1 && isPlaceholder(messages[0]))
    return setField(text, ['messages', 0], message);
  return insertItem(text, ['messages'], 0, message);
}

function isPlaceholder(message: unknown): boolean {
  return isJsonObject(message) && message.role === 'user' && message.content === '';
}

/** Removes items from last to first, so that positions stay valid. */
function withoutItems(text: string, list: JSONPath, indexes: readonly number[]): string {
  return indexes.toReversed().reduce((rest, index) => removeField(rest, [...list, index]), text);
}

/** The number of messages that do not belong to the system prompt. */
function countOthers(messages: unknown): number {
  return Array.isArray(messages) ? messages.length - systemItems(messages).length : 0;
}
