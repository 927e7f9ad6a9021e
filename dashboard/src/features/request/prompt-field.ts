/**
 * The system prompt of a request, wherever its dialect has it.
 *
 * Reading follows the captures, which join the text of several messages and parts. Writing puts the
 * whole prompt into one string, since a version stores nothing else of it.
 */

import { isJsonObject, type JsonObject } from '../../../../src/core/json/json-object.ts';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { allDialects, dialectOf } from '../../../../src/dialects/dialects.ts';
import { changeField, insertItem, type JSONPath, removeField, setField } from './request-text.ts';

/** Empty for none. */
export function readPrompt(body: JsonObject, dialect: Dialect): string {
  return dialectOf[dialect].conversation.findSystemPrompt(body) ?? '';
}

/** The text with another prompt. `body` is what it was parsed from. */
export function writePrompt(text: string, body: JsonObject, dialect: Dialect, prompt: string): string {
  const value = prompt === '' ? undefined : prompt;
  const { list, promptField } = dialectOf[dialect].conversation;
  if (promptField === undefined) return writeMessages(text, body, dialect, value);
  const cleaned = withoutItems(text, [list], systemItems(body[list]));
  // Removing the last item also removes the list.
  const isListLost = isListRequired(dialect) && countOthers(body[list]) === 0 && Array.isArray(body[list]);
  return changeField(isListLost ? setField(cleaned, [list], []) : cleaned, [promptField], value);
}

/** Whether requests need a list of messages, if only an empty one. */
export function isListRequired(dialect: Dialect): boolean {
  const { conversation, request } = dialectOf[dialect];
  return Object.hasOwn(request.minimalConversation, conversation.list);
}

/** The fields that have messages, in any dialect. */
export const messageLists = [...new Set(allDialects.map(({ conversation }) => conversation.list))];

/** The fields that have nothing but the system prompt, in any dialect. */
export const promptFields = allDialects.flatMap(({ conversation }) => conversation.promptField ?? []);

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
 * Writes the prompt as a message, of which there has to be at least one. A request without a prompt
 * has an empty one of the user, which a prompt replaces.
 */
function writeMessages(text: string, body: JsonObject, dialect: Dialect, prompt: string | undefined): string {
  const { conversation, request } = dialectOf[dialect];
  const { list } = conversation;
  const messages = body[list];
  const [first, ...others] = systemItems(messages);
  if (prompt === undefined) {
    const cleaned = withoutItems(text, [list], systemItems(messages));
    return countOthers(messages) === 0
      ? setField(cleaned, [list], request.minimalConversation[list])
      : cleaned;
  }
  if (first !== undefined)
    return setField(withoutItems(text, [list], others), [list, first, 'content'], prompt);
  const message = { role: 'system', content: prompt };
  if (Array.isArray(messages) && messages.length === 1 && isPlaceholder(messages[0]))
    return setField(text, [list, 0], message);
  return insertItem(text, [list], 0, message);
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
