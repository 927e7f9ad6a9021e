import { PresetdError } from '../../core/errors.ts';
import { assertValueCount, parseJsonBody } from './json-body.ts';

const newline = 0x0a;

/** Bounds the work of one request. Our own CLI sends far fewer lines at once. */
const linesMax = 10_000;

/** Both lists have one entry per line, in order. */
interface JsonLines {
  readonly values: readonly unknown[];
  /** The same values with numbers that stringify digit for digit. */
  readonly exactValues: readonly unknown[];
}

/** Parses newline-delimited JSON as strictly as any other body. No line may be empty. */
export function parseJsonLines(bytes: Buffer): JsonLines {
  assertValueCount(bytes);
  const values: unknown[] = [];
  const exactValues: unknown[] = [];
  for (const line of linesOf(bytes)) {
    const number = values.length + 1;
    if (number > linesMax) throw tooManyLines();
    try {
      const { value, exactValue } = parseJsonBody(line);
      values.push(value);
      exactValues.push(exactValue);
    } catch (error) {
      throw error instanceof PresetdError ? atLine(error, number) : error;
    }
  }
  return { values, exactValues };
}

/** A generator, because a hostile body may consist of newlines and the limit must stop it early. */
function* linesOf(bytes: Buffer): Generator<Buffer> {
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(newline, start);
    yield bytes.subarray(start, end === -1 ? bytes.length : end);
    start = end === -1 ? bytes.length : end + 1;
  }
}

function tooManyLines(): PresetdError {
  return new PresetdError(
    'too_large',
    `The request body has more than ${linesMax} lines. Send them in several requests.`,
  );
}

/** The same error with the line number in its message and issue paths. */
function atLine(error: PresetdError, line: number): PresetdError {
  const issues = error.issues?.map(({ path, message }) => ({
    path: `/${line - 1}${path}`,
    message: withoutLine(message),
  }));
  return new PresetdError(
    error.kind,
    `Line ${line}: ${withoutLine(error.message)}`,
    issues === undefined ? {} : { issues },
  );
}

/** Each line was parsed by itself, so its messages always say "line 1". */
function withoutLine(message: string): string {
  return message.replace('line 1, column', 'column');
}
