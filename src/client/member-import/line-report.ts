import { oneLine } from '../printable.ts';

const linesMax = 1_000;

/** The place of somebody in the file. */
export interface LineRange {
  readonly line: number;
  readonly lastLine: number;
}

/** Says what is the matter with lines of a file, for as many as can be read: a long list would bury the summary. */
export class LineReport {
  readonly #rest: string;
  #count = 0;

  /** `rest` continues "and 3 more lines …". */
  constructor(remainder: string) {
    this.#rest = remainder;
  }

  /** The sentence about a line, or none. */
  add(place: LineRange, problem: string): readonly string[] {
    this.#count += 1;
    if (this.#count > linesMax) return [];
    return [formatLineProblem(place, problem)];
  }

  /** How many have not been told. */
  rest(): readonly string[] {
    const count = this.#count - linesMax;
    return count > 0 ? [`And ${count} more ${count === 1 ? 'line' : 'lines'} ${this.#rest}.`] : [];
  }
}

export function formatLineProblem(place: LineRange, problem: string): string {
  return `${describeLines(place)}: ${oneLine(problem).replace(/\.$/, '')}.`;
}

export function describeLines({ line, lastLine }: LineRange): string {
  return line === lastLine ? `Line ${line}` : `Lines ${line} to ${lastLine}`;
}
