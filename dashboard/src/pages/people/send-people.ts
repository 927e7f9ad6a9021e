import { importedMembersMax } from '../../../../src/api/limits.ts';
import type { ImportedMember } from '../../../../src/api/members.ts';
import {
  importBatch,
  type LocatedPerson,
  type PersonOutcome,
} from '../../../../src/member-import/import-batch.ts';
import type { ListedPerson } from '../../../../src/member-import/people-parser.ts';
import { ApiError } from '../../api/api-error.ts';

interface SendOptions {
  readonly people: readonly LocatedPerson[];
  readonly post: (people: readonly ListedPerson[]) => Promise<readonly ImportedMember[]>;
  /** Called with the outcomes of each batch as it completes. */
  readonly onGroup: (outcomes: readonly PersonOutcome[], groupLength: number) => void;
  readonly signal: AbortSignal;
  /** Resolves early, without an error, when the signal is aborted. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Sends people in batches. Aborting lets the batch in flight complete, so that its outcomes are
 * known, but does not retry one that the server was too busy for.
 */
export async function sendPeople({
  people,
  post,
  onGroup,
  signal,
  wait = delay,
}: SendOptions): Promise<void> {
  const postWithRetry = withRetry(post, signal, wait);
  for (let start = 0; start < people.length && !signal.aborted; start += importedMembersMax) {
    const group = people.slice(start, start + importedMembersMax);
    try {
      onGroup(await importBatch(group, postWithRetry), group.length);
    } catch (error) {
      if (!signal.aborted || !isBusy(error)) throw error;
    }
  }
}

/** About a minute in total, after which the user can resume by hand. */
const retryDelaysMs = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000];

/** Retries while the server sheds load, with 429 or 503. */
function withRetry(
  post: SendOptions['post'],
  signal: AbortSignal,
  wait: NonNullable<SendOptions['wait']>,
): SendOptions['post'] {
  return async (people) => {
    for (const ms of retryDelaysMs) {
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
