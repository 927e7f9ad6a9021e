/**
 * Whether the server can be reached.
 *
 * A part of the page that gets no response calls `serverIsBack`, which asks the server at once. If
 * it responds, the failure was about that one request. Otherwise the server counts as unreachable,
 * `ConnectionNotice` says so, and it is asked every few seconds until it responds. All parts wait
 * for the same answer.
 */

import { createStore, useStore } from './store.ts';

const isUnreachable = createStore(false);
const intervalMs = 2_000;
let waiting: Promise<boolean> | undefined;

/** Resolves once the server responds: to true if it did not at first, so that a retry may help. */
export function serverIsBack(): Promise<boolean> {
  waiting ??= waitForServer().finally(() => {
    waiting = undefined;
  });
  return waiting;
}

export function useIsUnreachable(): boolean {
  return useStore(isUnreachable, (value) => value);
}

async function waitForServer(): Promise<boolean> {
  if (await responds()) return false;
  isUnreachable.set(true);
  do await new Promise((resolve) => setTimeout(resolve, intervalMs));
  while (!(await responds()));
  isUnreachable.set(false);
  return true;
}

/** Whatever it responds, the server is there. */
function responds(): Promise<boolean> {
  const request = fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(10_000) });
  return request.then(
    () => true,
    () => false,
  );
}
