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

/** Reads a request body strictly: every problem that a lenient reader would paper over is refused with its place. */
export function parseJsonBody(bytes: Buffer): JsonBody {
  if (!isUtf8(bytes)) {
    throw new PresetdError(
      'invalid_request',
      'The request body is not valid UTF-8. Send JSON encoded in UTF-8.',
    );
  }
  const text = withoutByteOrderMark(bytes).toString('utf8');
  const value = parseText(text);
  const { hasInexactNumber } = inspectJson(text);
  return { value, exactValue: hasInexactNumber ? parseExact(text) : value };
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
          throw new FoundProblem(code, offset);
        },
      },
      { disallowComments: true },
    );
  } catch (found) {
    if (found instanceof FoundProblem) {
      return ` at ${describePosition(text, found.offset)}: ${inWords(printParseErrorCode(found.code))}`;
    }
    // It recurses, so that a body made of brackets ends it.
    if (found instanceof RangeError) return `, and nests deeper than ${nestingLevelsMax} levels`;
    throw found;
  }
  return '';
}

class FoundProblem extends Error {
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
