import { oneLine } from '../../client/printable.ts';
import type { ImportResult, Outcome } from './import-tally.ts';

const linesMax = 20;

interface Kind {
  readonly title: string;
  readonly reason: string;
}

const kinds: Readonly<Partial<Record<Outcome, Kind>>> = {
  ahead: { title: 'Ahead', reason: 'It has more versions on the server.' },
  conflict: { title: 'Conflict', reason: 'It differs.' },
};

/** Names the presets that the server left as they are, a few of each kind: a long list would bury the summary. */
export class SkippedReport {
  readonly #counts = new Map<Kind, number>();

  /** The line about a preset, or none. */
  add({ slug, outcome, message }: ImportResult, line: number | undefined): readonly string[] {
    const kind = kinds[outcome];
    if (kind === undefined) return [];
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    return count > linesMax
      ? []
      : [oneLine(`${kind.title}: ${slug} (line ${line}): ${message ?? kind.reason}`)];
  }

  /** How many have not been named. */
  remainder(): readonly string[] {
    return [...this.#counts]
      .filter(([, count]) => count > linesMax)
      .map(([{ title }, count]) => `${title}: and ${count - linesMax} more`);
  }
}
