import { expect, it } from 'vitest';
import { runCooperatively } from './cooperative-scheduler.ts';
import type { CooperativeTask } from './cooperative-task.ts';

/** Counts event-loop ticks until it is stopped. */
function watchTicks() {
  let ticks = 0;
  let next = setImmediate(function count() {
    ticks += 1;
    next = setImmediate(count);
  });
  return { count: () => ticks, stop: () => clearImmediate(next) };
}

function* steps(count: number, onStep: () => void): CooperativeTask<number> {
  for (let step = 1; step < count; step += 1) {
    onStep();
    yield;
  }
  onStep();
  return count;
}

it('many tasks together run one step per event-loop tick', async () => {
  const ticks = watchTicks();
  const stepsInTick = new Map<number, number>();
  const countStep = () => stepsInTick.set(ticks.count(), (stepsInTick.get(ticks.count()) ?? 0) + 1);
  const results = await Promise.all(Array.from({ length: 20 }, () => runCooperatively(steps(50, countStep))));
  ticks.stop();
  expect(results).toEqual(Array(20).fill(50));
  expect([...stepsInTick.values()].reduce((sum, count) => sum + count)).toBe(1_000);
  expect(Math.max(...stepsInTick.values())).toBe(1);
});

it('a short task does not wait for the long ones that started before it', async () => {
  let stepsOfOthers = 0;
  const long = Array.from({ length: 20 }, () => runCooperatively(steps(50, () => (stepsOfOthers += 1))));
  await runCooperatively(steps(2, () => {}));
  expect(stepsOfOthers).toBeLessThanOrEqual(60);
  await Promise.all(long);
});

it('an error rejects its own task and no other', async () => {
  const failing = runCooperatively(
    (function* (): CooperativeTask<never> {
      yield;
      throw new Error('broken');
    })(),
  );
  const other = runCooperatively(steps(5, () => {}));
  await expect(failing).rejects.toThrow('broken');
  expect(await other).toBe(5);
});
