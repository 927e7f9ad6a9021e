/** What the server did with one person. */
export interface ImportedMember {
  readonly email: string;
  readonly outcome: Outcome;
  readonly message?: string;
}

/** The values of the API; messages for people say "rejected" for `refused`. */
export type Outcome = 'added' | 'unchanged' | 'updated' | 'differs' | 'refused';

/** Counts the outcomes of an import for its summary, in the command line and in the dashboard. */
export class MemberTally {
  readonly #counts: Record<Outcome, number> = { added: 0, unchanged: 0, updated: 0, differs: 0, refused: 0 };

  add(outcome: Outcome, count = 1): void {
    this.#counts[outcome] += count;
  }

  /** Whether the server now matches the file: nothing was rejected or skipped. */
  get isComplete(): boolean {
    return this.#counts.differs + this.#counts.refused === 0;
  }

  count(outcome: Outcome): number {
    return this.#counts[outcome];
  }

  /** Whether the server processed at least one person. */
  get hasImported(): boolean {
    const { added, unchanged, updated, differs } = this.#counts;
    return added + unchanged + updated + differs > 0;
  }

  /**
   * `updateHint` tells how to update the members who differ. Outcomes that did not occur are
   * omitted.
   */
  summarize(updateHint: string): string {
    const { added, unchanged, updated, differs, refused } = this.#counts;
    const parts = [
      `Added ${counted(added, 'person', 'people')}`,
      ...(updated > 0 ? [`updated ${grouped(updated)}`] : []),
      ...(unchanged > 0 ? [counted(unchanged, 'was already a member', 'were already members')] : []),
      ...(differs > 0
        ? [`${counted(differs, 'differs and was skipped', 'differ and were skipped')} (${updateHint})`]
        : []),
      ...(refused > 0 ? [counted(refused, 'line was rejected', 'lines were rejected')] : []),
    ];
    return `${parts.join('; ')}.`;
  }
}

function counted(count: number, one: string, many: string): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** With thousands separators: files may have a hundred thousand people. */
function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
