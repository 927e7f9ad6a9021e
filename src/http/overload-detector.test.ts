import { beforeEach, describe, expect, it } from 'vitest';
import { OverloadDetector } from './overload-detector.ts';

describe('Pressure', () => {
  let now = 0;
  let look: (() => void) | undefined;
  const create = (underWayMax = 2) =>
    new OverloadDetector({
      inFlightMax: underWayMax,
      now: () => now,
      every(_ms, call) {
        look = call;
        return () => {
          look = undefined;
        };
      },
    });
  beforeEach(() => {
    now = 1_000;
    look = undefined;
  });

  /** Requests that come up in one turn, each of which takes so long; which of them are refused. */
  function turn(overload: OverloadDetector, requests: number, msEach: number): boolean[] {
    const refused = Array.from({ length: requests }, () => {
      const isRefused = overload.isOverloaded();
      if (!isRefused) now += msEach;
      return isRefused;
    });
    rest(20);
    return refused;
  }

  function rest(ms: number): void {
    now += ms;
    look?.();
  }

  it('refuses nothing when the limit is 0, however long turns are and however many requests are under way', () => {
    const overload = create(0);
    for (let round = 0; round < 20; round += 1) expect(turn(overload, 10, 400)).not.toContain(true);
    overload.trackRequest();
    expect(overload.isAtCapacity).toBe(false);
  });

  it('refuses nothing while turns are short, however many requests there are', () => {
    const overload = create();
    for (let count = 0; count < 1_000; count += 1) expect(turn(overload, 9, 10)).not.toContain(true);
  });

  it('refuses nothing because of one long turn', () => {
    const overload = create();
    turn(overload, 5, 1);
    expect(turn(overload, 5, 1_000)).not.toContain(true);
    expect(turn(overload, 5, 1)).not.toContain(true);
  });

  it('refuses those who come late where one turn after the other is long, and serves the first', () => {
    const overload = create();
    for (let count = 0; count < 4; count += 1) expect(turn(overload, 30, 25)).not.toContain(true);
    const refused = turn(overload, 30, 25);
    expect(refused.slice(0, 11)).not.toContain(true);
    expect(refused.slice(11)).not.toContain(false);
  });

  it('serves some in a turn that does not end', () => {
    const overload = create();
    for (let count = 0; count < 4; count += 1) turn(overload, 30, 25);
    const ask = () => {
      now += 1;
      return overload.isOverloaded();
    };
    const refused = Array.from({ length: 10_000 }, ask).filter(Boolean);
    expect(refused.length).toBeGreaterThan(4_000);
    expect(refused.length).toBeLessThan(6_000);
  });

  it('serves everybody again after a second of short turns', () => {
    const overload = create();
    for (let count = 0; count < 9; count += 1) turn(overload, 30, 25);
    for (let count = 0; count < 50; count += 1) expect(turn(overload, 3, 10)).not.toContain(true);
    expect(turn(overload, 30, 25)).not.toContain(true);
  });

  it('counts what else is done in a turn, be there few requests in it', () => {
    const overload = create();
    for (let count = 0; count < 5; count += 1) {
      expect(overload.isOverloaded()).toBe(false);
      rest(300);
    }
    now += 260;
    expect(overload.isOverloaded()).toBe(true);
  });

  it('does not look while nobody comes, and begins anew with the next', () => {
    const overload = create();
    for (let count = 0; count < 5; count += 1) turn(overload, 30, 25);
    for (let count = 0; count < 30; count += 1) rest(20);
    expect(look).toBeUndefined();
    now += 60_000;
    expect(turn(overload, 30, 25)).not.toContain(true);
    expect(look).toBeDefined();
  });

  it('refuses more than may be under way, until one of them has ended, which counts once', () => {
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
