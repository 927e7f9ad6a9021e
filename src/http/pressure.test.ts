import { beforeEach, describe, expect, it } from 'vitest';
import { Pressure } from './pressure.ts';

describe('Pressure', () => {
  let now = 0;
  let endTurn: (() => void) | undefined;
  const create = (underWayMax = 2) =>
    new Pressure({
      underWayMax,
      now: () => now,
      atEndOfTurn: (done) => {
        endTurn = done;
      },
    });
  beforeEach(() => {
    now = 1_000;
    endTurn = undefined;
  });

  /** Requests that come up in one turn, each of which takes so long; which of them are refused. */
  function turn(pressure: Pressure, requests: number, msEach: number): boolean[] {
    const refused = Array.from({ length: requests }, () => {
      const isRefused = pressure.isTooHigh();
      if (!isRefused) now += msEach;
      return isRefused;
    });
    endTurn?.();
    return refused;
  }

  it('refuses nothing while turns are short, however many requests there are', () => {
    const pressure = create();
    for (let count = 0; count < 1_000; count += 1) expect(turn(pressure, 9, 10)).not.toContain(true);
  });

  it('refuses nothing because of one long turn', () => {
    const pressure = create();
    turn(pressure, 5, 1);
    expect(turn(pressure, 5, 1_000)).not.toContain(true);
    expect(turn(pressure, 5, 1)).not.toContain(true);
  });

  it('refuses those who come late where one turn after the other is long, and serves the first', () => {
    const pressure = create();
    for (let count = 0; count < 5; count += 1) expect(turn(pressure, 30, 10)).not.toContain(true);
    const refused = turn(pressure, 30, 10);
    expect(refused.slice(0, 11)).not.toContain(true);
    expect(refused.slice(11)).not.toContain(false);
  });

  it('serves everybody again as soon as a turn is short', () => {
    const pressure = create();
    for (let count = 0; count < 5; count += 1) turn(pressure, 30, 10);
    turn(pressure, 5, 10);
    expect(turn(pressure, 30, 10)).not.toContain(true);
  });

  it('forgets long turns while nobody comes', () => {
    const pressure = create();
    for (let count = 0; count < 5; count += 1) turn(pressure, 30, 10);
    now += 60_000;
    expect(turn(pressure, 30, 10)).not.toContain(true);
  });

  it('refuses more than may be under way, until one of them has ended, which counts once', () => {
    const pressure = create(2);
    const [first] = [pressure.begin(), pressure.begin()];
    expect([pressure.isFull, pressure.isTooHigh()]).toEqual([true, true]);
    first();
    first();
    expect([pressure.isFull, pressure.isTooHigh()]).toEqual([false, false]);
    pressure.begin();
    expect(pressure.isFull).toBe(true);
  });
});
