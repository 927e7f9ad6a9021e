import { beforeEach, describe, expect, it } from 'vitest';
import { FailedAuthentications } from './failed-authentications.ts';

describe('FailedAuthentications', () => {
  let now = 0;
  const create = (limit = 2, addressesMax = 10) =>
    new FailedAuthentications({ limit, addressesMax, now: () => now });
  const fail = (failures: FailedAuthentications, ip: string, times: number) => {
    for (let count = 0; count < times; count += 1) failures.increment(ip);
  };
  beforeEach(() => {
    now = 1_000;
  });

  it('blocks an address that reaches its limit, and no other address', () => {
    const failures = create();
    fail(failures, '192.0.2.1', 1);
    expect([failures.isBlocking, failures.secondsBlocked('192.0.2.1')]).toEqual([false, 0]);
    fail(failures, '192.0.2.1', 1);
    expect([failures.isBlocking, failures.secondsBlocked('192.0.2.1')]).toEqual([true, 60]);
    expect(failures.secondsBlocked('192.0.2.2')).toBe(0);
  });

  it('checking an address does not count as a failure', () => {
    const failures = create();
    fail(failures, '192.0.2.1', 1);
    for (let count = 0; count < 5; count += 1) failures.secondsBlocked('192.0.2.1');
    expect(failures.secondsBlocked('192.0.2.1')).toBe(0);
  });

  it('blocks until a minute after the first failure', () => {
    const failures = create();
    fail(failures, '192.0.2.1', 1);
    now += 20_500;
    fail(failures, '192.0.2.1', 1);
    expect(failures.secondsBlocked('192.0.2.1')).toBe(40);
    now = 60_999;
    expect([failures.isBlocking, failures.secondsBlocked('192.0.2.1')]).toEqual([true, 1]);
    now = 61_000;
    expect([failures.isBlocking, failures.secondsBlocked('192.0.2.1')]).toEqual([false, 0]);
  });

  it('starts counting again in the next minute', () => {
    const failures = create();
    fail(failures, '192.0.2.1', 2);
    now += 60_000;
    fail(failures, '192.0.2.1', 1);
    expect(failures.secondsBlocked('192.0.2.1')).toBe(0);
    fail(failures, '192.0.2.1', 1);
    expect(failures.secondsBlocked('192.0.2.1')).toBe(60);
  });

  it('blocks each address for its own minute', () => {
    const failures = create();
    fail(failures, '192.0.2.1', 2);
    now += 30_000;
    fail(failures, '192.0.2.2', 2);
    now += 30_000;
    expect(failures.secondsBlocked('192.0.2.1')).toBe(0);
    expect([failures.isBlocking, failures.secondsBlocked('192.0.2.2')]).toEqual([true, 30]);
  });

  it('further failures neither shorten nor extend a block', () => {
    const failures = create();
    fail(failures, '192.0.2.1', 2);
    now += 10_000;
    fail(failures, '192.0.2.1', 5);
    expect(failures.secondsBlocked('192.0.2.1')).toBe(50);
  });

  it('evicts the address whose minute began first when there are too many', () => {
    const failures = create(2, 2);
    fail(failures, '192.0.2.1', 1);
    fail(failures, '192.0.2.2', 2);
    now += 60_000;
    // Both start a new minute, in the opposite order.
    fail(failures, '192.0.2.2', 2);
    fail(failures, '192.0.2.1', 2);
    fail(failures, '192.0.2.3', 2);
    expect(
      ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) => failures.secondsBlocked(address)),
    ).toEqual([60, 0, 60]);
  });

  it('never blocks with a limit of 0', () => {
    const failures = create(0);
    fail(failures, '192.0.2.1', 100);
    expect([failures.isBlocking, failures.secondsBlocked('192.0.2.1')]).toEqual([false, 0]);
  });
});
