/** What the server did with one preset, or with the part of it that it was sent. */
export interface ImportResult {
  readonly slug: string;
  readonly outcome: Outcome;
  readonly versions_added: number;
  readonly message?: string;
}

/** A later one outweighs an earlier one where a preset was sent in parts. */
const outcomes = ['unchanged', 'ahead', 'updated', 'created', 'conflict'] as const;

export type Outcome = (typeof outcomes)[number];

/** Counts what became of the presets. Only those that were sent in parts are remembered by name. */
export class ImportTally {
  readonly #counts: Record<Outcome, number> = { unchanged: 0, ahead: 0, updated: 0, created: 0, conflict: 0 };
  readonly #divided = new Map<string, Outcome>();
  #versions = 0;

  /** False when an earlier part of this preset has said as much already. */
  add(result: ImportResult, isPart: boolean): boolean {
    this.#versions += result.versions_added;
    const earlier = isPart ? this.#divided.get(result.slug) : undefined;
    const outcome = earlier === undefined ? result.outcome : weightier(earlier, result.outcome);
    if (earlier !== undefined) this.#counts[earlier] -= 1;
    this.#counts[outcome] += 1;
    if (isPart) this.#divided.set(result.slug, outcome);
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
      `Read ${count(this.presets, 'preset')}, imported ${count(this.#versions, 'new version')}: ${created} created, ` +
      `${updated} updated, ${unchanged} unchanged, ${ahead} ahead on the server, ${count(conflict, 'conflict')}.`
    );
  }
}

function weightier(one: Outcome, other: Outcome): Outcome {
  return outcomes.indexOf(one) > outcomes.indexOf(other) ? one : other;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
