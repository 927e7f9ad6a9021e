import { expect, it, vi } from 'vitest';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';

it('the limiter runs up to the limit, queues the rest in order and rejects beyond the queue', () => {
  const limiter = new ConcurrencyLimiter(1, 2);
  const [first, second, third, fourth] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()];
  expect([first, second, third, fourth].map((onAcquired) => limiter.acquire(onAcquired))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(first).toHaveBeenCalledOnce();
  expect(second).not.toHaveBeenCalled();
  limiter.release();
  expect(second).toHaveBeenCalledOnce();
  expect(third).not.toHaveBeenCalled();
  limiter.release();
  expect(third).toHaveBeenCalledOnce();
  limiter.release();
  expect(limiter.acquire(fourth)).toBe(true);
  expect(fourth).toHaveBeenCalledOnce();
});

it('the limiter skips a queued request that was canceled', () => {
  const limiter = new ConcurrencyLimiter(1, 2);
  const [first, second, third] = [vi.fn(), vi.fn(), vi.fn()];
  for (const onAcquired of [first, second, third]) limiter.acquire(onAcquired);
  limiter.cancel(second);
  limiter.release();
  expect(second).not.toHaveBeenCalled();
  expect(third).toHaveBeenCalledOnce();
});
