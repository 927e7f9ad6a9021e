import { isJsonObject, type JsonObject } from '../../../../../src/core/json/json-object.ts';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import { dialectOf } from '../../../../../src/dialects/dialects.ts';
import { isKnownField } from '../../../../../src/dialects/known-fields.ts';
import { findCounterparts } from '../../../../../src/dialects/translate/field-concepts.ts';
import { translateUnfitted } from '../../../../../src/dialects/translate/translate-request.ts';
import { readPrompt, writePrompt } from '../../../features/request/prompt-field.ts';
import { valueAt } from '../draft-content.ts';
import { outputFormats } from './output-formats.ts';

interface ConvertedRequest {
  readonly text: string;
  /** Paths of what the other format cannot express. */
  readonly dropped: readonly string[];
}

/** Throws if the request refers to something that is stored at a provider. */
export function convertRequest(body: JsonObject, from: Dialect, to: Dialect): ConvertedRequest {
  const { presetd, ...request } = body;
  const { body: converted, droppedFields } = translateUnfitted(request, from, to);
  const dropped = [...droppedFields, ...lostNames(body, from, to)];
  const whole = isJsonObject(presetd)
    ? { ...converted, presetd: convertExtension(presetd, from, to, dropped) }
    : converted;
  // Chat completions need a message, also without a prompt.
  const text = writePrompt(JSON.stringify(whole, null, 2), whole, to, readPrompt(whole, to));
  return { text, dropped };
}

/** Not every dialect names the schema of structured output. */
function lostNames(body: JsonObject, from: Dialect, to: Dialect): readonly string[] {
  const path = [...outputFormats[from].definition, 'name'];
  return outputFormats[to].isNamed || valueAt(body, path) === undefined ? [] : [path.join('.')];
}

/** Locks name fields of the format, and few-shot messages have parts of it. */
function convertExtension(presetd: JsonObject, from: Dialect, to: Dialect, dropped: string[]): JsonObject {
  const { policy, messages } = presetd;
  return {
    ...presetd,
    ...(isJsonObject(policy) &&
      Array.isArray(policy.locked) && {
        policy: { ...policy, locked: convertLocks(policy.locked, from, to, dropped) },
      }),
    ...(Array.isArray(messages) && { messages: convertMessages(messages, from, to, dropped) }),
  };
}

function convertLocks(
  locked: readonly unknown[],
  from: Dialect,
  to: Dialect,
  dropped: string[],
): readonly unknown[] {
  const names = locked.flatMap((name) => {
    if (typeof name !== 'string') return [name];
    if (isKnownField(name, to)) return [name];
    const fields = findCounterparts(name, from, to).map(([field]) => field);
    const known = fields.filter((field) => isKnownField(field, to));
    if (known.length === 0) dropped.push(`presetd.policy.locked: ${name}`);
    return known;
  });
  return [...new Set(names)];
}

function convertMessages(
  messages: readonly unknown[],
  from: Dialect,
  to: Dialect,
  dropped: string[],
): readonly unknown[] {
  const isText = (message: unknown) => isJsonObject(message) && typeof message.content === 'string';
  // Anything else cannot be saved anyway, and has to stay for the user to correct it.
  if (!messages.every((message) => isText(message) || hasParts(message))) return messages;
  const { list, startsWithUser } = dialectOf[to].conversation;
  const { body, droppedFields } = messages.every(isText)
    ? { body: { [list]: messages }, droppedFields: [] }
    : translateUnfitted({ [dialectOf[from].conversation.list]: messages }, from, to);
  dropped.push(...droppedFields.map((path) => `presetd.${path}`));
  const converted = [body[list] ?? []].flat().filter(isJsonObject);
  const start = startsWithUser ? converted.findIndex(({ role }) => role === 'user') : 0;
  if (start !== 0) dropped.push('presetd.messages before the first turn of the user');
  const kept = start === -1 ? [] : converted.slice(start);
  return kept.map(({ role, content }) => ({ role, content }));
}

function hasParts(message: unknown): boolean {
  return isJsonObject(message) && Array.isArray(message.content) && message.tool_calls === undefined;
}
