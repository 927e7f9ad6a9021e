import type { Dialect } from '../../core/presets/preset.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { unsealReasoning } from './sealed-reasoning.ts';

/**
 * Removes reasoning that presetd has sealed from a request that is not translated: it belongs to an
 * upstream of another dialect, and providers reject what they did not sign. Returns the same object
 * if there is none.
 */
export function removeSealedReasoning(
  body: JsonObject,
  dialect: Dialect,
): { readonly body: JsonObject; readonly droppedFields: readonly string[] } {
  const { list, path, keep } = conversations[dialect];
  const { [list]: given }: Readonly<Record<string, unknown>> = body;
  if (!Array.isArray(given)) return { body, droppedFields: [] };
  const kept = given.flatMap((entry: unknown): readonly unknown[] =>
    isJsonObject(entry) ? keep(entry) : [entry],
  );
  const isSame = kept.length === given.length && kept.every((entry, index) => entry === given[index]);
  return isSame ? { body, droppedFields: [] } : { body: { ...body, [list]: kept }, droppedFields: [path] };
}

interface Conversation {
  readonly list: string;
  /** The name of what is removed. */
  readonly path: string;
  /** The message or item without sealed reasoning; empty if nothing is left of it. */
  readonly keep: (entry: JsonObject) => readonly JsonObject[];
}

const isSealed = (value: unknown) => unsealReasoning(value) !== undefined;

const conversations: Readonly<Record<Dialect, Conversation>> = {
  'chat-completions': {
    list: 'messages',
    path: 'messages.*.reasoning_details',
    keep: (message) => [withoutParts(message, 'reasoning_details', ({ data }) => isSealed(data))],
  },
  messages: {
    list: 'messages',
    path: 'messages.*.content.*.thinking',
    keep: (message) => {
      const kept = withoutParts(message, 'content', ({ signature }) => isSealed(signature));
      return Array.isArray(kept.content) && kept.content.length === 0 && kept !== message ? [] : [kept];
    },
  },
  responses: {
    list: 'input',
    path: 'input.*.reasoning',
    keep: (item) => (isSealed(item.encrypted_content) ? [] : [item]),
  },
};

function withoutParts(
  message: JsonObject,
  name: string,
  isRemoved: (part: JsonObject) => boolean,
): JsonObject {
  const parts = message[name];
  if (!Array.isArray(parts)) return message;
  const kept = parts.filter((part: unknown) => !isJsonObject(part) || !isRemoved(part));
  return kept.length === parts.length ? message : { ...message, [name]: kept };
}
