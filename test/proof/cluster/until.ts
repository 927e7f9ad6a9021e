import { setTimeout as delay } from 'node:timers/promises';

/** Waits for a condition, far longer than it ever takes, so that only a hang fails. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  otherwise: string | (() => string),
  withinMs = 120_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(typeof otherwise === 'string' ? otherwise : otherwise());
    await delay(20);
  }
}
