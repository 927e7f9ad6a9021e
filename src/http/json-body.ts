import { isUtf8 } from 'node:buffer';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { PresetdError } from '../core/errors.ts';
import { describePosition, inspectJson, parseExact } from '../core/json-text.ts';

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
  // A byte order mark is allowed to stand in front, and is not part of the text.
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const value = parseText(text);
  const { hasInexactNumber } = inspectJson(text);
  return { value, exactValue: hasInexactNumber ? parseExact(text) : value };
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
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  // The lenient parser has no objection to a few things that JSON forbids, such as raw control characters.
  const place = first === undefined ? '' : ` at ${describePosition(text, first.offset)}`;
  const problem = first === undefined ? '' : `: ${inWords(printParseErrorCode(first.error))}`;
  return new PresetdError('invalid_request', `The request body is not valid JSON${place}${problem}.`, {
    issues: [{ path: '', message: `is not valid JSON${place}${problem}` }],
  });
}

/** "CommaExpected" becomes "comma expected". */
function inWords(code: string): string {
  return code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
