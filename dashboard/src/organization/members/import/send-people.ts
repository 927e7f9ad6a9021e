import {
  batchSize,
  importBatch,
  type LocatedPerson,
  type PersonOutcome,
} from '../../../../../src/client/member-import/import-batch.ts';
import type { ImportedMember } from '../../../../../src/client/member-import/member-tally.ts';
import type { Person } from '../../../../../src/client/member-import/people-parser.ts';
import { ApiError } from '../../../api/api-error.ts';

interface Sending {
  readonly people: readonly LocatedPerson[];
  readonly post: (people: readonly Person[]) => Promise<readonly ImportedMember[]>;
  /** What became of a group, as soon as it is known. */
  readonly onGroup: (outcomes: readonly PersonOutcome[], groupLength: number) => void;
  readonly signal: AbortSignal;
  /** Ends early, without an error, when the signal is given. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Sends people group by group. When it is told to stop, the group that is under way is still heard of; one that waits
 * for a busy server is not sent again.
 */
export async function sendPeople({ people, post, onGroup, signal, wait = delay }: Sending): Promise<void> {
  const patiently = withPatience(post, signal, wait);
  for (let start = 0; start < people.length && !signal.aborted; start += batchSize) {
    const group = people.slice(start, start + batchSize);
    try {
      onGroup(await importBatch(group, patiently), group.length);
    } catch (error) {
      if (!signal.aborted || !isBusy(error)) throw error;
    }
  }
}

const waitsMs = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000];

/** A server that has too much to do right now is asked again. */
function withPatience(
  post: Sending['post'],
  signal: AbortSignal,
  wait: NonNullable<Sending['wait']>,
): Sending['post'] {
  return async (people) => {
    for (const ms of waitsMs) {
      try {
        return await post(people);
      } catch (error) {
        if (!isBusy(error) || signal.aborted) throw error;
        await wait(ms, signal);
        if (signal.aborted) throw error;
      }
    }
    return post(people);
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 429 || error.status === 503);
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
