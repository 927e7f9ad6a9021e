/**
 * The input of tool calls. It is JSON text in both OpenAI dialects and an object in messages. The
 * free text of a custom tool becomes an argument where there are only functions.
 */

import { isJsonObject, type JsonObject } from '../json-object.ts';
import { parseJsonObject } from '../server-sent-events.ts';

/** Anthropic's documented form for input that is not a valid object, which models can produce. */
const invalidInput = 'INVALID_JSON';

/** The only argument of a function that stands for a custom tool. */
const textArgument = 'input';

/** The arguments of a function as an object. No text means no arguments. */
export function inputObject(text: string): JsonObject {
  if (text.trim() === '') return {};
  return parseJsonObject(text) ?? { [invalidInput]: text };
}

/** The arguments of a function as text. Some servers send an object although it should be text. */
export function inputText(input: unknown): string {
  if (typeof input === 'string') return input;
  if (input === undefined || input === null) return '{}';
  const invalid = isJsonObject(input) && Object.keys(input).length === 1 ? input[invalidInput] : undefined;
  return typeof invalid === 'string' ? invalid : JSON.stringify(input);
}

/** The free text of a custom tool that the upstream called as a function. */
export function customInput(argumentsText: string): string {
  const text = parseJsonObject(argumentsText)?.[textArgument];
  return typeof text === 'string' ? text : argumentsText;
}

/** The arguments of a function that stands for a custom tool. */
export function customArguments(text: string): JsonObject {
  return { [textArgument]: text };
}
