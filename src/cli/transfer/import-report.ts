import type { ImportResult } from '../../api/transfer.ts';
import { oneLine } from '../../core/text/printable.ts';
import { pluralize } from '../ui/text.ts';

export type Outcome = ImportResult['outcome'];

/**
 * By precedence: if the parts of a split preset differ in outcome, the later one in this list
 * counts.
 */
const outcomes: readonly Outcome[] = ['unchanged', 'ahead', 'updated', 'created', 'conflict'];

/**
 * Counts the outcomes of an import for its summary. Only presets that were split over several
 * requests are remembered by slug, so memory does not grow with the size of the file.
 */
export class ImportTally {
  readonly #counts: Record<Outcome, number> = { unchanged: 0, ahead: 0, updated: 0, created: 0, conflict: 0 };
  readonly #splitPresets = new Map<string, Outcome>();
  #versions = 0;

  /** Returns false if an earlier part of the same preset already had this outcome. */
  add(result: ImportResult, isPart: boolean): boolean {
    this.#versions += result.versions_added;
    const earlier = isPart ? this.#splitPresets.get(result.slug) : undefined;
    const outcome = earlier === undefined ? result.outcome : higherPrecedence(earlier, result.outcome);
    if (earlier !== undefined) this.#counts[earlier] -= 1;
    this.#counts[outcome] += 1;
    if (isPart) this.#splitPresets.set(result.slug, outcome);
    return outcome !== earlier;
  }

  get hasConflicts(): boolean {
    return this.#counts.conflict > 0;
  }

  get presets(): number {
    return Object.values(this.#counts).reduce((sum, number) => sum + number, 0);
  }

  summarize(): string {
    const { created, updated, unchanged, ahead, conflict } = this.#counts;
    return (
      `Read ${pluralize(this.presets, 'preset')}, imported ${pluralize(this.#versions, 'new version')}: ${created} created, ` +
      `${updated} updated, ${unchanged} unchanged, ${ahead} ahead on the server, ${pluralize(conflict, 'conflict')}.`
    );
  }
}

function higherPrecedence(one: Outcome, other: Outcome): Outcome {
  return outcomes.indexOf(one) > outcomes.indexOf(other) ? one : other;
}

/**
 * Reports the presets and drafts that an import skipped: the first few of each kind by name, the
 * rest as a count.
 */
export class SkippedReport {
  readonly #counts = new Map<Kind, number>();

  /** Returns the line to print, or none if the preset was not skipped or the limit is reached. */
  add(result: ImportResult, line: number | undefined): readonly string[] {
    const { slug, outcome, message, draft_skipped: isDraftSkipped } = result;
    // A preset that is ahead or in conflict has no other reason for its draft.
    const kind = kinds[outcome] ?? (isDraftSkipped ? skippedDraft : undefined);
    if (kind === undefined) return [];
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count > linesMax) return [];
    const place = line === undefined ? '' : ` (line ${line})`;
    return [oneLine(`${kind.title}: ${slug}${place}: ${message ?? kind.reason}`)];
  }

  /** One line for each kind that exceeded the limit. */
  remainder(): readonly string[] {
    return [...this.#counts]
      .filter(([, count]) => count > linesMax)
      .map(([{ title }, count]) => `${title}: and ${count - linesMax} more`);
  }
}

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

const skippedDraft: Kind = {
  title: 'Draft skipped',
  reason: 'You have another draft of it on the server.',
};
