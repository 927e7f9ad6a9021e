import { expect, it } from 'vitest';
import { RetryAfterTracker } from './retry-after-tracker.ts';

it.each([
  ['2', 2_000],
  ['0.5', 500],
  [new Date(1_000_000_003_000).toUTCString(), 3_000],
  ['3600', 60_000],
])('a model that sent "Retry-After: %s" backs off for %i ms', (retryAfter, ms) => {
  let now = 1_000_000_000_000;
  const tracker = new RetryAfterTracker(() => now);
  tracker.record('a', retryAfter);
  expect(tracker.isBackingOff('a')).toBe(true);
  expect(tracker.isBackingOff('b')).toBe(false);
  now += ms - 1;
  expect(tracker.isBackingOff('a')).toBe(true);
  now += 1;
  expect(tracker.isBackingOff('a')).toBe(false);
});

it.each([undefined, '', 'soon', '-1', '0', ['1']])(
  'the header "Retry-After: %j" is ignored',
  (retryAfter) => {
    const tracker = new RetryAfterTracker(() => 0);
    tracker.record(undefined, retryAfter);
    expect(tracker.isBackingOff(undefined)).toBe(false);
  },
);

it('the oldest of more than 1000 models is evicted', () => {
  const tracker = new RetryAfterTracker(() => 0);
  for (let index = 0; index <= 1_000; index += 1) tracker.record(String(index), '60');
  expect(tracker.isBackingOff('0')).toBe(false);
  expect(tracker.isBackingOff('1')).toBe(true);
});

it('a model that sent another Retry-After is not the oldest any more', () => {
  const tracker = new RetryAfterTracker(() => 0);
  for (let index = 0; index < 1_000; index += 1) tracker.record(String(index), '60');
  tracker.record('0', '60');
  tracker.record('1000', '60');
  expect(['0', '1'].map((model) => tracker.isBackingOff(model))).toEqual([true, false]);
});
