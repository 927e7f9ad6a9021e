import { PresetdError } from '../core/errors.ts';
import { parseJsonBody } from './json-body.ts';

/** The media type of JSON values, each on a line of its own. */
export const ndjson = 'application/x-ndjson';

const newline = 0x0a;

export interface JsonLines {
  readonly values: readonly unknown[];
  /** The same with numbers that stringify digit for digit. */
  readonly exactValues: readonly unknown[];
}

/** Reads a body of JSON lines as strictly as any other; none of them may be empty. */
export function parseJsonLines(bytes: Buffer): JsonLines {
  const values: unknown[] = [];
  const exactValues: unknown[] = [];
  for (const [index, line] of linesOf(bytes).entries()) {
    try {
      const { value, exactValue } = parseJsonBody(line);
      values.push(value);
      exactValues.push(exactValue);
    } catch (error) {
      throw error instanceof PresetdError ? atLine(error, index + 1) : error;
    }
  }
  return { values, exactValues };
}

function linesOf(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(newline, start);
    lines.push(bytes.subarray(start, end === -1 ? bytes.length : end));
    start = end === -1 ? bytes.length : end + 1;
  }
  return lines;
}

function atLine(error: PresetdError, line: number): PresetdError {
  const issues = error.issues?.map((issue) => ({ ...issue, path: `/${line - 1}${issue.path}` }));
  return new PresetdError(
    error.kind,
    `Line ${line}: ${error.message}`,
    issues === undefined ? {} : { issues },
  );
}
