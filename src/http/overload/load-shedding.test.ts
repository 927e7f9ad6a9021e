import { beforeEach, describe, expect, it } from 'vitest';
import { OverloadDetector } from './load-shedding.ts';

describe('OverloadDetector', () => {
  let now = 0;
  let sample: (() => void) | undefined;
  const create = (inFlightMax = 2) =>
    new OverloadDetector({
      inFlightMax,
      now: () => now,
      schedule(_ms, callback) {
        sample = callback;
        return () => {
          sample = undefined;
        };
      },
    });
  beforeEach(() => {
    now = 1_000;
    sample = undefined;
  });

  /** Simulates one event-loop tick with this many requests; returns which of them are rejected. */
  function tick(overload: OverloadDetector, requests: number, msEach: number): boolean[] {
    const rejected = Array.from({ length: requests }, () => {
      const isRejected = overload.isOverloaded();
      if (!isRejected) now += msEach;
      return isRejected;
    });
    rest(20);
    return rejected;
  }

  function rest(ms: number): void {
    now += ms;
    sample?.();
  }

  it('rejects nothing when the limit is 0, however long ticks are and however many requests are in flight', () => {
    const overload = create(0);
    for (let round = 0; round < 20; round += 1) expect(tick(overload, 10, 400)).not.toContain(true);
    overload.trackRequest();
    expect(overload.isAtCapacity).toBe(false);
  });

  it('rejects nothing while ticks are short, however many requests arrive', () => {
    const overload = create();
    for (let count = 0; count < 1_000; count += 1) expect(tick(overload, 9, 10)).not.toContain(true);
  });

  it('rejects nothing because of a single long tick', () => {
    const overload = create();
    tick(overload, 5, 1);
    expect(tick(overload, 5, 1_000)).not.toContain(true);
    expect(tick(overload, 5, 1)).not.toContain(true);
  });

  it('rejects late requests of a tick once several ticks in a row are long, and serves the early ones', () => {
    const overload = create();
    for (let count = 0; count < 4; count += 1) expect(tick(overload, 30, 25)).not.toContain(true);
    const rejected = tick(overload, 30, 25);
    expect(rejected.slice(0, 11)).not.toContain(true);
    expect(rejected.slice(11)).not.toContain(false);
  });

  it('keeps serving about half of the requests in a tick that never ends', () => {
    const overload = create();
    for (let count = 0; count < 4; count += 1) tick(overload, 30, 25);
    const isRejected = () => {
      now += 1;
      return overload.isOverloaded();
    };
    const rejected = Array.from({ length: 10_000 }, isRejected).filter(Boolean);
    expect(rejected.length).toBeGreaterThan(4_000);
    expect(rejected.length).toBeLessThan(6_000);
  });

  it('serves every request again after a second of short ticks', () => {
    const overload = create();
    for (let count = 0; count < 9; count += 1) tick(overload, 30, 25);
    for (let count = 0; count < 50; count += 1) expect(tick(overload, 3, 10)).not.toContain(true);
    expect(tick(overload, 30, 25)).not.toContain(true);
  });

  it('detects long ticks that are caused by other work than requests', () => {
    const overload = create();
    for (let count = 0; count < 5; count += 1) {
      expect(overload.isOverloaded()).toBe(false);
      rest(300);
    }
    now += 260;
    expect(overload.isOverloaded()).toBe(true);
  });

  it('stops sampling while no requests arrive, and starts over with the next one', () => {
    const overload = create();
    for (let count = 0; count < 5; count += 1) tick(overload, 30, 25);
    for (let count = 0; count < 30; count += 1) rest(20);
    expect(sample).toBeUndefined();
    now += 60_000;
    expect(tick(overload, 30, 25)).not.toContain(true);
    expect(sample).toBeDefined();
  });

  it('rejects requests at the in-flight limit until one ends, and counts each end once', () => {
    const overload = create(2);
    const [first] = [overload.trackRequest(), overload.trackRequest()];
    expect([overload.isAtCapacity, overload.isOverloaded()]).toEqual([true, true]);
    first();
    first();
    expect([overload.isAtCapacity, overload.isOverloaded()]).toEqual([false, false]);
    overload.trackRequest();
    expect(overload.isAtCapacity).toBe(true);
  });
});
