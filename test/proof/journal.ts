import { setTimeout as delay } from 'node:timers/promises';
import type { Operation } from './operation.ts';

/** One request that was sent, and what its sender knows of it. */
export interface Entry {
  readonly slug: string;
  readonly operation: Operation;
  /** In milliseconds of one clock, to tell what was answered before something else was sent. */
  readonly sentAt: number;
  /** Undefined where no answer came, or one that leaves open whether the change was made. */
  readonly answer: EntryAnswer | undefined;
}

export interface EntryAnswer {
  readonly at: number;
  readonly text: string;
  /** Of the preset after the change, as its ETag tells: the number of its last event. */
  readonly revision: number;
}

/**
 * What was asked of a server and what it answered. An entry with an answer is a promise: `verifyJournal` finds it kept.
 * One without may have come to pass or not. Requests that were turned down are not in it: nothing may come of them.
 */
export class Journal {
  readonly #entries = new Map<string, Entry[]>();
  /** Answers that nothing explains, such as 401 for a good key or 500. */
  readonly surprises: string[] = [];
  readonly counts = { answered: 0, unknown: 0, turnedDown: 0 };
  #number = 0;

  /** So that everything that is written can be told from everything else. */
  nextNumber(): number {
    this.#number += 1;
    return this.#number;
  }

  note(entry: Entry): void {
    const known = this.#entries.get(entry.slug) ?? [];
    known.push(entry);
    this.#entries.set(entry.slug, known);
    this.counts[entry.answer === undefined ? 'unknown' : 'answered'] += 1;
  }

  /** Resolves when there are so many more answers than now; throws where none come any more. */
  async untilAnswered(more: number): Promise<void> {
    const wanted = this.counts.answered + more;
    const deadline = performance.now() + 120_000;
    while (this.counts.answered < wanted) {
      if (performance.now() > deadline) throw new Error(`after two minutes: ${JSON.stringify(this.counts)}`);
      await delay(5);
    }
  }

  slugs(): readonly string[] {
    return [...this.#entries.keys()].sort();
  }

  /** In the order in which they ended; those from the given one on. */
  entries(slug: string, from = 0): readonly Entry[] {
    return (this.#entries.get(slug) ?? []).slice(from);
  }
}
