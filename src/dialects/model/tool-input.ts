/**
 * The input of tool calls. It is JSON text in both OpenAI dialects and an object in messages. The
 * free text of a custom tool becomes an argument where there are only functions.
 */

import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { parseExactObject } from '../../core/json/loose-json.ts';

/** Anthropic's documented form for input that is not a valid object, which models can produce. */
const invalidInput = 'INVALID_JSON';

/** The only argument of a function that stands for a custom tool. */
const textArgument = 'input';

export const noArguments = '{}';

/**
 * Parses the arguments of a function. No text means no arguments. Returns undefined if they are not
 * a JSON object. Numbers keep all their digits.
 */
export function parseArguments(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  // A number with many digits is parsed into an object, too.
  return /^\s*\{/.test(text) ? parseExactObject(text) : undefined;
}

/** The arguments of a function as an object. */
export function inputObject(text: string): JsonObject {
  return parseArguments(text) ?? { [invalidInput]: text };
}

/**
 * The arguments of a function as text, which is always JSON unless the model made a mistake. Some
 * servers send an object although it should be text, or no text for no arguments.
 */
export function argumentsText(input: unknown): string {
  if (typeof input === 'string') return input.trim() === '' ? noArguments : input;
  return input === undefined || input === null ? noArguments : JSON.stringify(input);
}

/** Like `argumentsText`, for an object that `inputObject` may have made. */
export function inputText(input: unknown): string {
  const invalid = isJsonObject(input) && Object.keys(input).length === 1 ? input[invalidInput] : undefined;
  return typeof invalid === 'string' ? invalid : argumentsText(input);
}

/**
 * The free text of a custom tool that the upstream called as a function. Without the argument, it
 * is all that the model wrote.
 */
export function customInput(argumentsText: string): string {
  const given = parseArguments(argumentsText);
  if (given === undefined) return argumentsText;
  const text = given[textArgument];
  if (typeof text === 'string') return text;
  return Object.keys(given).length === 0 ? '' : argumentsText;
}

/** The arguments of a function that stands for a custom tool. */
export function customArguments(text: string): JsonObject {
  return { [textArgument]: text };
}
