import { setTimeout as delay } from 'node:timers/promises';

/**
 * Whether a promise settles before this many timers have fired, one after the other. Use it in
 * place of a limit on the clock: a busy machine delays these timers, too.
 */
export async function settlesWithin(
  promise: Promise<unknown>,
  { timers, ms }: { readonly timers: number; readonly ms: number },
): Promise<boolean> {
  const settled = new AbortController();
  const end = () => settled.abort();
  promise.then(end, end);
  for (let fired = 0; fired < timers && !settled.signal.aborted; fired += 1)
    await delay(ms, undefined, { signal: settled.signal }).catch(() => undefined);
  return settled.signal.aborted;
}
