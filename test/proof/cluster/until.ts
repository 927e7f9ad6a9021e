import { setTimeout as delay } from 'node:timers/promises';

/** Waits for a condition. The timeout is far longer than needed, so that only a hang fails. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  failureMessage: string | (() => string),
  timeoutMs = 120_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(typeof failureMessage === 'string' ? failureMessage : failureMessage());
    await delay(20);
  }
}
