import { printParseErrorCode, visit } from 'jsonc-parser';
import { PresetdError } from '../../../src/core/errors.ts';
import { inspectJson } from '../../../src/core/json-text.ts';
import { isJsonObject, type JsonObject } from '../../../src/dialects/json-object.ts';

/** A place in the text, and what is wrong there. */
export interface TextProblem {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

export type CheckedText =
  | { readonly kind: 'empty' }
  | { readonly kind: 'wrong'; readonly problem: TextProblem }
  | { readonly kind: 'fine'; readonly body: JsonObject };

/** What can be told of a request body before it is sent: whether it is JSON, and if not, where it stops being so. */
export function checkRequestText(text: string): CheckedText {
  if (text.trim() === '') return { kind: 'empty' };
  const command = /^\s*curl\b/.exec(text)?.[0];
  if (command !== undefined)
    return { kind: 'wrong', problem: { from: 0, to: command.length, message: curlMessage } };
  const body = parseStrictly(text);
  if (body === undefined) return { kind: 'wrong', problem: firstProblem(text) };
  if (isJsonObject(body)) return { kind: 'fine', body };
  const from = text.search(/\S/);
  return { kind: 'wrong', problem: { from, to: from + 1, message: 'A request is an object: { … }.' } };
}

const curlMessage = 'This is a command. Paste the body alone: what stands in quotation marks after -d.';

/** As strictly as the server; undefined for what it would refuse. A text of megabytes takes some milliseconds. */
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

/** Slower than the parser of the browser, which does not always say where; so only what is known to be wrong comes here. */
function firstProblem(text: string): TextProblem {
  const objects: Set<string>[] = [];
  try {
    visit(
      text,
      {
        onError: (code, offset, length) => {
          throw new Found(describe(text, printParseErrorCode(code), offset, length));
        },
        onObjectBegin: () => void objects.push(new Set()),
        onObjectEnd: () => void objects.pop(),
        onObjectProperty: (name, offset, length) => {
          const names = objects.at(-1);
          if (names?.has(name)) throw new Found(givenTwice(name, offset, length));
          names?.add(name);
        },
      },
      { disallowComments: true },
    );
  } catch (error) {
    if (error instanceof Found) return error.problem;
    if (!(error instanceof RangeError)) throw error;
  }
  return { from: 0, to: 1, message: 'This is not valid JSON, or its parts are nested too deep.' };
}

class Found extends Error {
  readonly problem: TextProblem;

  constructor(problem: TextProblem) {
    super();
    this.problem = problem;
  }
}

function givenTwice(name: string, from: number, length: number): TextProblem {
  const message = `${JSON.stringify(name)} stands twice in the same object. Remove one of the two.`;
  return { from, to: from + length, message };
}

function describe(text: string, code: string, from: number, length: number): TextProblem {
  const to = Math.min(from + Math.max(length, 1), text.length);
  return { from: Math.min(from, to), to, message: messageFor(text, code, from, to) };
}

function messageFor(text: string, code: string, from: number, to: number): string {
  const isClosing = /[\]}]/.test(text.charAt(from));
  if (isClosing && /,\s*$/.test(text.slice(Math.max(0, from - 1_000), from)))
    return 'The comma before this is one too many: nothing follows it.';
  if (code === 'InvalidSymbol') return aboutSymbol(text.slice(from, to));
  if (code === 'CommaExpected' && /0\d/.test(text.slice(from - 1, from + 1)))
    return 'A number does not begin with a zero.';
  return messages[code] ?? 'This is not valid JSON.';
}

function aboutSymbol(symbol: string): string {
  if (/^[\u00a0\u2000-\u200b\u202f\u3000\ufeff]/.test(symbol))
    return 'This looks like a space and is another character. Replace it with a space.';
  if (/^['“”„‘’`]/.test(symbol)) return 'Names and texts stand in straight double quotes: "…".';
  if (/^(true|false|null|none)$/i.test(symbol)) return 'Write true, false or null, in small letters.';
  if (/^[-.\d]/.test(symbol)) return 'This is not a number as JSON writes it, such as 0.5.';
  return 'This is not JSON. Names and texts stand in double quotes: "…".';
}

const messages: Readonly<Record<string, string>> = {
  InvalidNumberFormat: 'This is not a number as JSON writes it, such as 0.5.',
  UnexpectedEndOfNumber: 'A digit is missing at the end of this number.',
  PropertyNameExpected: 'A name in double quotes is missing here.',
  ValueExpected: 'A value is missing here.',
  ColonExpected: 'A colon is missing here, between a name and its value.',
  CommaExpected: 'A comma is missing here.',
  CloseBraceExpected: 'The text ends before a closing brace: }.',
  CloseBracketExpected: 'The text ends before a closing bracket: ].',
  EndOfFileExpected: 'The request has ended before this. Remove what follows it.',
  InvalidCommentToken: 'JSON has no comments. Remove this one.',
  UnexpectedEndOfComment: 'JSON has no comments. Remove this one.',
  UnexpectedEndOfString:
    'The double quote at the end of this text is missing. A line break in a text is written \\n.',
  InvalidUnicode: 'After \\u come four digits or letters from a to f.',
  InvalidEscapeCharacter:
    'After a backslash comes one of " \\ / b f n r t u. A backslash itself is written \\\\.',
  InvalidCharacter: 'A tab or another control character in a text is written as \\t or \\u….',
};
