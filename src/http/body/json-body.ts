import { isUtf8 } from 'node:buffer';
import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { PresetdError } from '../../core/errors.ts';
import {
  countValues,
  describePosition,
  inspectJson,
  nestingLevelsMax,
  parseExact,
} from '../../core/json/json-text.ts';

export interface JsonBody {
  readonly value: unknown;
  /**
   * The same value with numbers that stringify digit for digit. It is `value` itself unless a plain
   * number would be rounded.
   */
  readonly exactValue: unknown;
}

/** A value can be sent in two bytes but takes far more memory once parsed. */
const valuesMax = 1_000_000;

/**
 * Parses a request body strictly. What a lenient parser would accept silently (duplicate keys, bad
 * UTF-8, deep nesting) is rejected with its position. The CLI uses it too, and replaces the leading
 * "The request body" of messages by a file name.
 */
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

/**
 * Rejects bodies with too many values before they are parsed. In a body that is not valid JSON the
 * count is wrong, but such a body is rejected anyway.
 */
export function assertValueCount(bytes: Buffer): void {
  // Latin-1 decodes any bytes, and keeps the punctuation of JSON.
  if (bytes.length <= valuesMax || countValues(bytes.toString('latin1')) <= valuesMax) return;
  throw new PresetdError('too_large', `The request body has more than ${valuesMax} JSON values. Send fewer.`);
}

/** A UTF-8 byte order mark is allowed at the start and is not part of the text. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
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

/**
 * Describes the first syntax error with its position, which `JSON.parse` does not always report. A
 * second parser finds it and is stopped there, since a hostile body may have millions of errors.
 */
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
    // The parser is recursive, so a body made of brackets overflows its stack.
    if (found instanceof RangeError) return `, and nests deeper than ${nestingLevelsMax} levels`;
    throw found;
  }
  return '';
}

/** Thrown out of the parser's callback to stop it. */
class SyntaxProblem extends Error {
  readonly code: ParseErrorCode;
  readonly offset: number;

  constructor(code: ParseErrorCode, offset: number) {
    super();
    this.code = code;
    this.offset = offset;
  }
}

/** Turns "CommaExpected" into "comma expected". */
function inWords(code: string): string {
  return code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
