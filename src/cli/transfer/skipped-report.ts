import { oneLine } from '../../client/printable.ts';
import type { ImportResult, Outcome } from './import-tally.ts';

/** Per kind. A longer list would push the summary off the screen. */
const linesMax = 20;

interface Kind {
  readonly title: string;
  /** If the server sends no message. */
  readonly reason: string;
}

const kinds: Readonly<Partial<Record<Outcome, Kind>>> = {
  ahead: { title: 'Ahead', reason: 'It has more versions on the server.' },
  conflict: { title: 'Conflict', reason: 'It differs from the one on the server.' },
};

/**
 * Reports the presets that an import skipped: the first few of each kind by name, the rest as a
 * count.
 */
export class SkippedReport {
  readonly #counts = new Map<Kind, number>();

  /** Returns the line to print, or none if the preset was not skipped or the limit is reached. */
  add({ slug, outcome, message }: ImportResult, line: number | undefined): readonly string[] {
    const kind = kinds[outcome];
    if (kind === undefined) return [];
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    return count > linesMax
      ? []
      : [oneLine(`${kind.title}: ${slug} (line ${line}): ${message ?? kind.reason}`)];
  }

  /** One line for each kind that exceeded the limit. */
  remainder(): readonly string[] {
    return [...this.#counts]
      .filter(([, count]) => count > linesMax)
      .map(([{ title }, count]) => `${title}: and ${count - linesMax} more`);
  }
}
