import { oneLine } from '../printable.ts';

/** Enough to fix a file by; a longer list would bury the summary. */
const linesMax = 1_000;

/** Where something is in the file. A quoted value may span several lines. */
export interface LineRange {
  readonly line: number;
  readonly lastLine: number;
}

/** Formats problems with lines of a file, up to a limit, and counts the rest. */
export class LineReport {
  readonly #remainderText: string;
  #count = 0;

  /** `remainderText` completes "And 3 more lines …", such as "were rejected". */
  constructor(remainderText: string) {
    this.#remainderText = remainderText;
  }

  /** Returns the sentence to show, or none once the limit is reached. */
  add(lines: LineRange, problem: string): readonly string[] {
    this.#count += 1;
    if (this.#count > linesMax) return [];
    return [formatLineProblem(lines, problem)];
  }

  /** Returns a sentence with the number of problems beyond the limit, or none. */
  remainder(): readonly string[] {
    const count = this.#count - linesMax;
    return count > 0 ? [`And ${count} more ${count === 1 ? 'line' : 'lines'} ${this.#remainderText}.`] : [];
  }
}

/** "Line 7: the e-mail address is missing." Always one line, with exactly one full stop. */
export function formatLineProblem(lines: LineRange, problem: string): string {
  return `${describeLines(lines)}: ${oneLine(problem).replace(/\.$/, '')}.`;
}

/** "Line 7" or "Lines 7 to 9" */
export function describeLines({ line, lastLine }: LineRange): string {
  return line === lastLine ? `Line ${line}` : `Lines ${line} to ${lastLine}`;
}
