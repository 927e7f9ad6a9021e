import { expect, it, vi } from 'vitest';
import { newId } from './identifiers.ts';

it('an id is a version 7 UUID', () => {
  for (let count = 0; count < 1_000; count += 1) {
    expect(newId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

it('ids are unique', () => {
  expect(new Set(Array.from({ length: 10_000 }, newId)).size).toBe(10_000);
});

it('an id starts with its creation time, so later ids sort later', () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1), toFake: ['Date'] });
  const earlier = newId();
  vi.advanceTimersByTime(1);
  expect(newId() > earlier).toBe(true);
  expect(Number.parseInt(earlier.replaceAll('-', '').slice(0, 12), 16)).toBe(Date.UTC(2026, 0, 1));
  vi.useRealTimers();
});

it('ids created in the same millisecond sort in creation order', () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1), toFake: ['Date'] });
  const ids = Array.from({ length: 4_096 }, newId);
  expect(ids.toSorted()).toEqual(ids);
  vi.useRealTimers();
});
