import fastify from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { PresetdError } from '../../core/errors.ts';
import type { Caller } from '../../core/organization/caller.ts';
import { requireCaller } from '../authentication.ts';
import { sendError } from '../errors/error-response.ts';
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

const unchanged = <T>(write: Promise<T>) => write;

/** Key lookups stay pending until the test resolves or rejects them. */
async function startAttempts(limit: number) {
  const lookups: PromiseWithResolvers<Caller>[] = [];
  const failures = new FailedAuthentications({ limit, now: () => 1_000 });
  const authenticate = () => {
    const lookup = Promise.withResolvers<Caller>();
    lookups.push(lookup);
    return lookup.promise;
  };
  const app = fastify();
  app.decorateRequest('caller', null);
  app.setErrorHandler(sendError);
  const authenticator = {
    authenticate,
    authenticateSession: authenticate,
    reauthenticate: authenticate,
    invalidateAfter: unchanged,
  };
  requireCaller(app, authenticator, undefined, failures);
  app.get('/', () => 'served');
  await app.ready();
  const attempt = async () => {
    const headers = { authorization: 'Bearer some-key' };
    return (await app.inject({ url: '/', headers })).statusCode;
  };
  const begin = async (count: number) => {
    const statuses = Array.from({ length: count }, () => attempt());
    await expect.poll(() => lookups.length).toBe(count);
    return statuses;
  };
  return { lookups, attempt, begin };
}

const validKey = { id: 'key' } as Caller;
const unknownKey = new PresetdError('unauthenticated', 'Unknown API key.');

it('an attempt gets 429 if its address reaches the limit in the meantime', async () => {
  const { lookups, begin } = await startAttempts(1);
  const statuses = await begin(3);
  lookups[0]?.reject(unknownKey);
  expect(await statuses[0]).toBe(401);
  lookups[1]?.reject(unknownKey);
  lookups[2]?.resolve(validKey);
  expect(await Promise.all(statuses)).toEqual([401, 429, 429]);
});

it('an attempt that ends before the limit is reached keeps its result, and later keys are not looked up', async () => {
  const { lookups, attempt, begin } = await startAttempts(1);
  const statuses = await begin(2);
  lookups[0]?.resolve(validKey);
  expect(await statuses[0]).toBe(200);
  lookups[1]?.reject(unknownKey);
  expect(await statuses[1]).toBe(401);
  expect(await attempt()).toBe(429);
  expect(lookups).toHaveLength(2);
});

it.each(['forbidden', 'unavailable'] as const)(
  'an attempt that ends as %s is not counted as a failure',
  async (kind) => {
    const { lookups, begin } = await startAttempts(1);
    const statuses = await begin(2);
    lookups[0]?.reject(new PresetdError(kind, 'Not now.'));
    expect(await statuses[0]).toBe(kind === 'forbidden' ? 403 : 503);
    lookups[1]?.resolve(validKey);
    expect(await statuses[1]).toBe(200);
  },
);
