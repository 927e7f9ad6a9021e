import { expect, it } from 'vitest';
import { callsByDay } from './preset-calls.tsx';

it('calls of a preset are counted for each of 30 days, and days without calls are zero', () => {
  const rows = [
    { preset: 'a', date: '2026-11-01T00:00:00.000Z', request_count: 5 },
    { preset: 'b', date: '2026-11-02T00:00:00.000Z', request_count: 1 },
    { preset: 'a', date: '2026-11-30T00:00:00.000Z', request_count: 7 },
  ];
  const calls = callsByDay(rows, '2026-11-01T00:00:00.000Z');
  expect(calls.get('a')?.total).toBe(12);
  expect(calls.get('a')?.days).toEqual([5, ...Array.from({ length: 28 }, () => 0), 7]);
  expect(calls.get('b')?.days?.slice(0, 3)).toEqual([0, 1, 0]);
  expect(calls.get('c')).toBeUndefined();
});
