import { expect, it, vi } from 'vitest';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';

it('lets as many go at once as it may, and the others in their order', () => {
  const turns = new ConcurrencyLimiter(1, 2);
  const [first, second, third, fourth] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()];
  expect([first, second, third, fourth].map((begin) => turns.acquire(begin))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(first).toHaveBeenCalledOnce();
  expect(second).not.toHaveBeenCalled();
  turns.release();
  expect(second).toHaveBeenCalledOnce();
  expect(third).not.toHaveBeenCalled();
  turns.release();
  expect(third).toHaveBeenCalledOnce();
  turns.release();
  expect(turns.acquire(fourth)).toBe(true);
  expect(fourth).toHaveBeenCalledOnce();
});

it('passes over somebody who has left', () => {
  const turns = new ConcurrencyLimiter(1, 2);
  const [first, second, third] = [vi.fn(), vi.fn(), vi.fn()];
  for (const begin of [first, second, third]) turns.acquire(begin);
  turns.cancel(second);
  turns.release();
  expect(second).not.toHaveBeenCalled();
  expect(third).toHaveBeenCalledOnce();
});
