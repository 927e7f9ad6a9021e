import { expect, it } from 'vitest';
import { RetryAfterTracker } from './retry-after-tracker.ts';

it.each([
  ['2', 2_000],
  ['0.5', 500],
  [new Date(1_000_000_003_000).toUTCString(), 3_000],
  ['3600', 60_000],
])('a model that said "Retry-After: %s" is left alone for %i ms', (retryAfter, ms) => {
  let now = 1_000_000_000_000;
  const tracker = new RetryAfterTracker(() => now);
  tracker.note('a', retryAfter);
  expect(tracker.mustWait('a')).toBe(true);
  expect(tracker.mustWait('b')).toBe(false);
  now += ms - 1;
  expect(tracker.mustWait('a')).toBe(true);
  now += 1;
  expect(tracker.mustWait('a')).toBe(false);
});

it.each([undefined, '', 'soon', '-1', '0', ['1']])('nothing follows from "Retry-After: %j"', (retryAfter) => {
  const tracker = new RetryAfterTracker(() => 0);
  tracker.note(undefined, retryAfter);
  expect(tracker.mustWait(undefined)).toBe(false);
});

it('remembers no more than a thousand', () => {
  const tracker = new RetryAfterTracker(() => 0);
  for (let index = 0; index <= 1_000; index += 1) tracker.note(String(index), '60');
  expect(tracker.mustWait('0')).toBe(false);
  expect(tracker.mustWait('1')).toBe(true);
});
