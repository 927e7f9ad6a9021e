/**
 * Checks a request body in the browser, before anything is sent.
 *
 * It applies the server's JSON rules. When they are violated it finds the first problem, the range
 * of text to mark, and what to do about it.
 */

import { printParseErrorCode, visit } from 'jsonc-parser';
import { PresetdError } from '../../../../src/core/errors.ts';
import { isJsonObject, type JsonObject } from '../../../../src/core/json/json-object.ts';
import { inspectJson } from '../../../../src/core/json/json-text.ts';
import { isSlug } from '../../../../src/core/preset-slug.ts';

/** A problem and the range of the text that it marks. */
export interface TextProblem {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** An empty text is not an error: the page shows an introduction instead. */
export type CheckedText =
  | { readonly kind: 'empty' }
  | { readonly kind: 'invalid'; readonly problem: TextProblem }
  | { readonly kind: 'valid'; readonly body: JsonObject };

/** Whether the text is a JSON object, and if not, the first problem. Does not check its fields. */
export function checkRequestText(text: string): CheckedText {
  if (text.trim() === '') return { kind: 'empty' };
  const command = /^\s*curl\b/.exec(text)?.[0];
  if (command !== undefined)
    return { kind: 'invalid', problem: { from: 0, to: command.length, message: curlMessage } };
  const body = parseStrictly(text);
  if (body === undefined) return { kind: 'invalid', problem: firstProblem(text) };
  if (isJsonObject(body)) return { kind: 'valid', body };
  const from = text.search(/\S/);
  return {
    kind: 'invalid',
    problem: { from, to: from + 1, message: 'The request must be an object: { … }.' },
  };
}

const curlMessage = 'This is a curl command. Paste only the body: the quoted text after -d.';

/**
 * Parses with the server's rules; undefined if it would reject the text. Takes milliseconds for a
 * text of megabytes.
 */
function parseStrictly(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    inspectJson(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof PresetdError) return undefined;
    throw error;
  }
}

/**
 * Scans a text that is known to be invalid. Slower than `JSON.parse`, which does not always say
 * where the error is.
 */
function firstProblem(text: string): TextProblem {
  const objects: Set<string>[] = [];
  try {
    visit(
      text,
      {
        onError: (code, offset, length) => {
          throw new ProblemFound(describe(text, printParseErrorCode(code), offset, length));
        },
        onObjectBegin: () => void objects.push(new Set()),
        onObjectEnd: () => void objects.pop(),
        onObjectProperty: (name, offset, length) => {
          const names = objects.at(-1);
          if (names?.has(name)) throw new ProblemFound(duplicateField(name, offset, length));
          names?.add(name);
        },
      },
      { disallowComments: true },
    );
  } catch (error) {
    if (error instanceof ProblemFound) return error.problem;
    if (!(error instanceof RangeError)) throw error;
  }
  return { from: 0, to: 1, message: 'Invalid JSON, or nested too deeply.' };
}

/** Thrown to leave the visitor at the first problem. */
class ProblemFound extends Error {
  readonly problem: TextProblem;

  constructor(problem: TextProblem) {
    super();
    this.problem = problem;
  }
}

function duplicateField(name: string, from: number, length: number): TextProblem {
  const message = `Duplicate field ${JSON.stringify(name)}. Remove one of the two.`;
  return { from, to: from + length, message };
}

/** At the end of the text there is nothing to mark, so the range may be empty. */
function describe(text: string, code: string, from: number, length: number): TextProblem {
  const to = Math.min(from + Math.max(length, 1), text.length);
  return { from: Math.min(from, to), to, message: messageFor(text, code, from, to) };
}

/** The parser's codes describe its state, not the mistake. Recognize common mistakes first. */
function messageFor(text: string, code: string, from: number, to: number): string {
  // A thousand characters back are enough to skip any reasonable indentation.
  const isClosing = /[\]}]/.test(text.charAt(from));
  if (isClosing && /,\s*$/.test(text.slice(Math.max(0, from - 1_000), from)))
    return 'Trailing comma. Remove the comma before this.';
  if (code === 'InvalidSymbol') return symbolMessage(text.slice(from, to));
  if (code === 'CommaExpected' && /0\d/.test(text.slice(from - 1, from + 1)))
    return 'Numbers cannot start with 0.';
  return messages[code] ?? 'Invalid JSON.';
}

/** Recognizes what people paste from word processors, JavaScript and Python. */
function symbolMessage(symbol: string): string {
  if (/^[\u00a0\u2000-\u200b\u202f\u3000\ufeff]/.test(symbol))
    return 'Not a regular space. Replace it with one.';
  if (/^['“”„‘’`]/.test(symbol)) return 'Use straight double quotes: "…".';
  if (/^(true|false|null|none)$/i.test(symbol)) return 'Write true, false or null in lower case.';
  if (/^[-.\d]/.test(symbol)) return 'Invalid number. Write it like 0.5.';
  return 'Unexpected text. Put names and strings in double quotes: "…".';
}

/** By the error codes of jsonc-parser. */
const messages: Readonly<Record<string, string>> = {
  InvalidNumberFormat: 'Invalid number. Write it like 0.5.',
  UnexpectedEndOfNumber: 'Incomplete number. Add the missing digit.',
  PropertyNameExpected: 'Expected a field name in double quotes.',
  ValueExpected: 'Missing value.',
  ColonExpected: 'Missing colon between name and value.',
  CommaExpected: 'Missing comma.',
  CloseBraceExpected: 'Missing closing brace: }.',
  CloseBracketExpected: 'Missing closing bracket: ].',
  EndOfFileExpected: 'Unexpected text after the end of the request. Remove it.',
  InvalidCommentToken: 'JSON does not allow comments. Remove this one.',
  UnexpectedEndOfComment: 'JSON does not allow comments. Remove this one.',
  UnexpectedEndOfString: 'Missing closing quote. Write line breaks inside a string as \\n.',
  InvalidUnicode: 'Invalid escape. \\u must be followed by four hex digits.',
  InvalidEscapeCharacter: 'Invalid escape. Write a backslash as \\\\.',
  InvalidCharacter: 'Control character in a string. Write a tab as \\t.',
};

/** One-based, as editors count. */
interface LineAndColumn {
  readonly line: number;
  readonly column: number;
}

/** Converts an offset. Line endings match the editor's, which include a lone carriage return. */
export function lineAndColumn(text: string, offset: number): LineAndColumn {
  let line = 1;
  let start = 0;
  for (const { index, 0: lineEnd } of text.slice(0, offset).matchAll(/\r\n|\r|\n/g)) {
    line += 1;
    start = index + lineEnd.length;
  }
  return { line, column: offset - start + 1 };
}

/** The problem with a slug; undefined for a valid one. */
export function slugProblem(slug: string, isRequired = true): string | undefined {
  if (slug === '') return isRequired ? 'Enter a slug. Calls use it to find the preset.' : undefined;
  if (isSlug(slug)) return undefined;
  if (slug.length > 128) return 'Use at most 128 characters.';
  if (slug === '.' || slug === '..') return 'A slug cannot be "." or "..".';
  return 'Use only letters A to Z, digits and - . _ ~.';
}
