/** Where the conversation of a request starts, after the instructions of its system prompt. */

import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { ConversationFormat } from '../model/dialect.ts';

/**
 * How many instructions a list of messages starts with: system and developer messages before any
 * other. They are the request's system prompt. Later ones belong to the conversation.
 */
export function countLeadingInstructions(messages: readonly unknown[], format: ConversationFormat): number {
  const end = messages.findIndex((message) => !isInstruction(message, format));
  return end === -1 ? messages.length : end;
}

function isInstruction(message: unknown, format: ConversationFormat): boolean {
  if (!isMessage(message, format)) return false;
  return message.role === 'system' || message.role === 'developer';
}

/**
 * Whether a message takes part in the conversation, by a role that is known to. Templates of open
 * models write any role into the prompt as it is, so that an unknown one, such as `System`, can
 * instruct the model just like `system`.
 */
export function isPartOfConversation(message: unknown, format: ConversationFormat): boolean {
  if (!isMessage(message, format) || !Object.hasOwn(message, 'role')) return true;
  return conversationRoles.includes(message.role);
}

/** All other roles of the schemas are those of instructions. */
const conversationRoles: readonly unknown[] = ['user', 'assistant', 'tool', 'function'];

function isMessage(message: unknown, format: ConversationFormat): message is JsonObject {
  return isJsonObject(message) && format.isMessage?.(message) !== false;
}
