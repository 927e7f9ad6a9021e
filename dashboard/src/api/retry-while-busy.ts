import { ApiError } from './api-error.ts';

/** While the server sheds load. About a minute in total. */
const delaysMs = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000];

export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>;

interface RetryOptions {
  /** Ends the waiting; the last error is thrown. */
  readonly signal?: AbortSignal | undefined;
  readonly wait?: Wait | undefined;
}

/** Repeats what the server was too busy for. Throws any other error at once. */
export async function retryWhileBusy<Result>(
  attempt: () => Promise<Result>,
  { signal, wait = delay }: RetryOptions = {},
): Promise<Result> {
  for (const ms of delaysMs) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      await wait(ms, signal);
      if (signal?.aborted) throw error;
    }
  }
  return attempt();
}

function isBusy(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 429 || error.status === 503);
}

/** Ends early when the signal is aborted. */
function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });
}
