import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { PresetdError } from '../core/errors.ts';
import { describePosition, inspectJson, nestingLevelsMax, parseExact } from '../core/json-text.ts';

export interface JsonBody {
  readonly value: unknown;
  /** The same value with numbers that stringify digit for digit; only where the plain value would round one. */
  readonly exactValue: unknown;
}

/** Each takes far more memory than the two bytes that it can be sent in. */
const valuesMax = 1_000_000;

/** Reads a request body strictly: every problem that a lenient reader would paper over is refused with its place. */
export function parseJsonBody(bytes: Buffer): JsonBody {
  if (!isUtf8(bytes)) {
    throw new PresetdError(
      'invalid_request',
      'The request body is not valid UTF-8. Send JSON encoded in UTF-8.',
    );
  }
  assertValueCount(bytes);
  const text = withoutByteOrderMark(bytes).toString('utf8');
  const value = parseText(text);
  const { hasInexactNumber } = inspectJson(text);
  return { value, exactValue: hasInexactNumber ? parseExact(text) : value };
}

/** Before they are made of the text. In what is no JSON they are miscounted, which is no worse than what is the matter with it. */
export function assertValueCount(bytes: Buffer): void {
  if (bytes.length <= valuesMax) return;
  let count = 0;
  for (let position = 0; position < bytes.length; position += 1) {
    const byte = bytes[position];
    if (byte === quote) position = endOfString(bytes, position);
    else if (byte === comma || byte === openBrace || byte === openBracket) count += 1;
  }
  if (count <= valuesMax) return;
  throw new PresetdError(
    'too_large',
    `The request body has more than ${valuesMax} values: objects, lists and what is in them. Send fewer.`,
  );
}

const quote = 0x22;
const comma = 0x2c;
const openBrace = 0x7b;
const openBracket = 0x5b;
const backslash = 0x5c;

function endOfString(bytes: Buffer, start: number): number {
  const next = bytes.indexOf(quote, start + 1);
  if (bytes[next - 1] !== backslash) return next === -1 ? bytes.length : next;
  // Many of them are sooner gone through one by one than looked for.
  for (let position = start + 1; position < bytes.length; position += 1) {
    if (bytes[position] === backslash) position += 1;
    else if (bytes[position] === quote) return position;
  }
  return bytes.length;
}

/** It is allowed to stand in front, and is not part of the text. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

export function assertNotCompressed({ headers }: { headers: IncomingHttpHeaders }): void {
  if ((headers['content-encoding'] ?? 'identity') === 'identity') return;
  throw new PresetdError(
    'unsupported_media_type',
    'The request body is compressed. Send it as it is, without a Content-Encoding.',
  );
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed(text);
  }
}

function malformed(text: string): PresetdError {
  if (text.trim() === '') {
    return new PresetdError('invalid_request', 'The request body is empty. Send a JSON object.');
  }
  const problem = `is not valid JSON${firstProblem(text)}`;
  return new PresetdError('invalid_request', `The request body ${problem}.`, {
    issues: [{ path: '', message: problem }],
  });
}

/** JSON.parse does not always say where; a second parser does, up to the first problem and no further. */
function firstProblem(text: string): string {
  try {
    visit(
      text,
      {
        onError: (code, offset) => {
          throw new SyntaxProblem(code, offset);
        },
      },
      { disallowComments: true },
    );
  } catch (found) {
    if (found instanceof SyntaxProblem) {
      return ` at ${describePosition(text, found.offset)}: ${inWords(printParseErrorCode(found.code))}`;
    }
    // It recurses, so that a body made of brackets ends it.
    if (found instanceof RangeError) return `, and nests deeper than ${nestingLevelsMax} levels`;
    throw found;
  }
  return '';
}

class SyntaxProblem extends Error {
  readonly code: ParseErrorCode;
  readonly offset: number;

  constructor(code: ParseErrorCode, offset: number) {
    super();
    this.code = code;
    this.offset = offset;
  }
}

/** "CommaExpected" becomes "comma expected". */
function inWords(code: string): string {
  return code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
