/** What the server did with one person. */
export interface ImportedMember {
  readonly email: string;
  readonly outcome: Outcome;
  readonly message?: string;
}

export type Outcome = 'added' | 'unchanged' | 'updated' | 'differs' | 'refused';

/** Counts what became of the people of a file. */
export class MemberTally {
  readonly #counts: Record<Outcome, number> = { added: 0, unchanged: 0, updated: 0, differs: 0, refused: 0 };

  add(outcome: Outcome, count = 1): void {
    this.#counts[outcome] += count;
  }

  /** Everything in the file is so on the server now. */
  get isComplete(): boolean {
    return this.#counts.differs + this.#counts.refused === 0;
  }

  count(outcome: Outcome): number {
    return this.#counts[outcome];
  }

  /** The server has heard of somebody at least. */
  get hasImported(): boolean {
    const { added, unchanged, updated, differs } = this.#counts;
    return added + unchanged + updated + differs > 0;
  }

  /** `wayToUpdate` says how those are changed who differ. */
  summarize(wayToUpdate: string): string {
    const { added, unchanged, updated, differs, refused } = this.#counts;
    const parts = [
      `Added ${counted(added, 'person', 'people')}`,
      ...(updated > 0 ? [`updated ${number(updated)}`] : []),
      ...(unchanged > 0 ? [`${counted(unchanged, 'was a member', 'were members')} already`] : []),
      ...(differs > 0
        ? [
            `${counted(differs, 'differs and was left as it is', 'differ and were left as they are')} (${wayToUpdate})`,
          ]
        : []),
      ...(refused > 0 ? [counted(refused, 'line was refused', 'lines were refused')] : []),
    ];
    return `${parts.join('; ')}.`;
  }
}

function counted(count: number, one: string, many: string): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
