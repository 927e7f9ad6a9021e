import { setTimeout as delay } from 'node:timers/promises';
import type { Operation } from './operation.ts';

/** One request, and what its sender knows about the result. */
export interface Entry {
  readonly slug: string;
  readonly operation: Operation;
  /** From the same clock as `EntryResponse.at`, so that the two can be ordered. */
  readonly sentAt: number;
  /** Undefined without a response, or if the response does not say whether the change was made. */
  readonly response: EntryResponse | undefined;
}

export interface EntryResponse {
  readonly at: number;
  readonly text: string;
  /** The preset's revision after the change, from the ETag: the number of its last event. */
  readonly revision: number;
}

/**
 * Records every request sent to a server, and its response.
 *
 * An entry with a response is an acknowledged write: `verifyJournal` checks that it exists. A write
 * without a response may or may not have happened. Rejected requests are only counted: they must
 * not have any effect.
 */
export class Journal {
  readonly #entries = new Map<string, Entry[]>();
  /** Responses that are always a defect, such as 500, or 401 for a valid key. */
  readonly unexpectedResponses: string[] = [];
  readonly counts = { acknowledged: 0, unknown: 0, rejected: 0 };
  #number = 0;

  /** A unique number for each request, so that no two write the same content. */
  nextNumber(): number {
    this.#number += 1;
    return this.#number;
  }

  record(entry: Entry): void {
    const recorded = this.#entries.get(entry.slug) ?? [];
    recorded.push(entry);
    this.#entries.set(entry.slug, recorded);
    this.counts[entry.response === undefined ? 'unknown' : 'acknowledged'] += 1;
  }

  /** Waits until this many more writes are acknowledged. Throws after two minutes. */
  async untilAcknowledged(more: number): Promise<void> {
    const wanted = this.counts.acknowledged + more;
    const deadline = performance.now() + 120_000;
    while (this.counts.acknowledged < wanted) {
      if (performance.now() > deadline)
        throw new Error(`too few writes after two minutes: ${JSON.stringify(this.counts)}`);
      await delay(5);
    }
  }

  slugs(): readonly string[] {
    return [...this.#entries.keys()].sort();
  }

  /** The entries of a preset from index `from` on, in the order in which they were recorded. */
  entries(slug: string, from = 0): readonly Entry[] {
    return (this.#entries.get(slug) ?? []).slice(from);
  }
}
