import { oneLine } from '../printable.ts';

const linesMax = 1_000;

/** The place of somebody in the file. */
export interface Place {
  readonly line: number;
  readonly lastLine: number;
}

/** Says what is the matter with lines of a file, for as many as can be read: a long list would bury the summary. */
export class LineReport {
  readonly #rest: string;
  #count = 0;

  /** `rest` continues "and 3 more lines …". */
  constructor(rest: string) {
    this.#rest = rest;
  }

  /** The sentence about a line, or none. */
  tell(place: Place, problem: string): readonly string[] {
    this.#count += 1;
    if (this.#count > linesMax) return [];
    return [describeLine(place, problem)];
  }

  /** How many have not been told. */
  rest(): readonly string[] {
    const count = this.#count - linesMax;
    return count > 0 ? [`And ${count} more ${count === 1 ? 'line' : 'lines'} ${this.#rest}.`] : [];
  }
}

export function describeLine(place: Place, problem: string): string {
  return `${describePlace(place)}: ${oneLine(problem).replace(/\.$/, '')}.`;
}

export function describePlace({ line, lastLine }: Place): string {
  return line === lastLine ? `Line ${line}` : `Lines ${line} to ${lastLine}`;
}
