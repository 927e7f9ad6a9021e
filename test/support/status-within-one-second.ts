import { setTimeout as delay } from 'node:timers/promises';

/**
 * Changes to a key take effect within a second. Repeats the attempt until its status is not 200, or
 * until an attempt that started a second after this call has returned.
 */
export async function statusWithinOneSecond(
  attempt: () => Promise<{ readonly status: number }>,
): Promise<number> {
  const deadline = performance.now() + 1_000;
  for (;;) {
    const isLast = performance.now() >= deadline;
    const { status } = await attempt();
    if (status !== 200 || isLast) return status;
    await delay(20);
  }
}
