import type { ImportedMember } from '../api/members.ts';
import { oneLine } from '../core/text/printable.ts';

/** Messages for people say "rejected" for `refused`. */
export type Outcome = ImportedMember['outcome'];

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

/** Enough to fix a file by; a longer list would bury the summary. */
const linesMax = 1_000;

/** "Line 7: the email address is missing." Always one line, with exactly one full stop. */
export function formatLineProblem(lines: LineRange, problem: string): string {
  return `${describeLines(lines)}: ${oneLine(problem).replace(/\.$/, '')}.`;
}

/** "Line 7" or "Lines 7 to 9" */
export function describeLines({ line, lastLine }: LineRange): string {
  return line === lastLine ? `Line ${line}` : `Lines ${line} to ${lastLine}`;
}
