import fastify from 'fastify';
import { expect, it } from 'vitest';
import { PresetdError } from '../../core/errors.ts';
import type { Caller } from '../../core/organization/api-key.ts';
import { requireKey } from '../authentication.ts';
import { sendError } from '../errors/error-response.ts';
import { FailedAuthentications } from './failed-authentications.ts';

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
  requireKey(app, { authenticate, invalidateAfter: (work) => work }, failures);
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

it('hides the result of an attempt if its address reached the limit meanwhile', async () => {
  const { lookups, begin } = await startAttempts(1);
  const statuses = await begin(3);
  lookups[0]?.reject(unknownKey);
  expect(await statuses[0]).toBe(401);
  lookups[1]?.reject(unknownKey);
  lookups[2]?.resolve(validKey);
  expect(await Promise.all(statuses)).toEqual([401, 429, 429]);
});

it('returns the result of an attempt that ends before the limit is reached, and looks up no key after that', async () => {
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
  'does not count an attempt that ends as %s as a failure',
  async (kind) => {
    const { lookups, begin } = await startAttempts(1);
    const statuses = await begin(2);
    lookups[0]?.reject(new PresetdError(kind, 'Not now.'));
    expect(await statuses[0]).toBe(kind === 'forbidden' ? 403 : 503);
    lookups[1]?.resolve(validKey);
    expect(await statuses[1]).toBe(200);
  },
);
