/** Where the conversation of a request starts, after the instructions of its system prompt. */

import type { Dialect } from '../core/presets/preset.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import { isEmpty } from './responses/item-reference.ts';

/**
 * How many instructions a list of messages starts with: system and developer messages before any
 * other. They are the request's system prompt. Later ones belong to the conversation.
 */
export function countLeadingInstructions(messages: readonly unknown[], dialect: Dialect): number {
  const end = messages.findIndex((message) => !isInstruction(message, dialect));
  return end === -1 ? messages.length : end;
}

function isInstruction(message: unknown, dialect: Dialect): boolean {
  if (!isMessage(message, dialect)) return false;
  return message.role === 'system' || message.role === 'developer';
}

/**
 * Whether a message takes part in the conversation, by a role that is known to. Templates of open
 * models write any role into the prompt as it is, so that an unknown one, such as `System`, can
 * instruct the model just like `system`.
 */
export function isPartOfConversation(message: unknown, dialect: Dialect): boolean {
  if (!isMessage(message, dialect) || !Object.hasOwn(message, 'role')) return true;
  return conversationRoles.includes(message.role);
}

/** All other roles of the schemas are those of instructions. */
const conversationRoles: readonly unknown[] = ['user', 'assistant', 'tool', 'function'];

/**
 * In responses, an item with a type of its own is not a message, whatever its role. Servers read an
 * empty type like a missing one.
 */
function isMessage(message: unknown, dialect: Dialect): message is JsonObject {
  if (!isJsonObject(message)) return false;
  const { type } = message;
  return dialect !== 'responses' || typeof type !== 'string' || type === '' || /^message$/i.test(type);
}

/**
 * Whether a request continues a conversation that is stored, and so is not its start. Some clients
 * send an empty id for a new conversation.
 */
export function continuesConversation(request: JsonObject, dialect: Dialect): boolean {
  if (dialect !== 'responses') return false;
  return !isEmpty(request.previous_response_id) || !isEmpty(request.conversation);
}
