import { expect, it, vi } from 'vitest';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';

it('lets as many go at once as it may, and the others in their order', () => {
  const turns = new ConcurrencyLimiter(1, 2);
  const [first, second, third, fourth] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()];
  expect([first, second, third, fourth].map((begin) => turns.take(begin))).toEqual([true, true, true, false]);
  expect(first).toHaveBeenCalledOnce();
  expect(second).not.toHaveBeenCalled();
  turns.giveBack();
  expect(second).toHaveBeenCalledOnce();
  expect(third).not.toHaveBeenCalled();
  turns.giveBack();
  expect(third).toHaveBeenCalledOnce();
  turns.giveBack();
  expect(turns.take(fourth)).toBe(true);
  expect(fourth).toHaveBeenCalledOnce();
});

it('passes over somebody who has left', () => {
  const turns = new ConcurrencyLimiter(1, 2);
  const [first, second, third] = [vi.fn(), vi.fn(), vi.fn()];
  for (const begin of [first, second, third]) turns.take(begin);
  turns.leave(second);
  turns.giveBack();
  expect(second).not.toHaveBeenCalled();
  expect(third).toHaveBeenCalledOnce();
});
