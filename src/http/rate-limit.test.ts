import fastify from 'fastify';
import { expect, it } from 'vitest';
import type { Caller } from '../core/authenticate.ts';
import { PresetdError } from '../core/errors.ts';
import { requireKey } from './authentication.ts';
import { sendError } from './error-response.ts';
import { FailedAuthentications } from './failed-authentications.ts';

/** Keys are looked up until the test says what was found. */
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
    const answers = Array.from({ length: count }, () => attempt());
    await expect.poll(() => lookups.length).toBe(count);
    return answers;
  };
  return { lookups, attempt, begin };
}

const good = { id: 'key' } as Caller;
const unknown = new PresetdError('unauthenticated', 'Unknown API key.');

it('how an attempt ends is not told once others of its address have used up the limit', async () => {
  const { lookups, begin } = await startAttempts(1);
  const answers = await begin(3);
  lookups[0]?.reject(unknown);
  expect(await answers[0]).toBe(401);
  lookups[1]?.reject(unknown);
  lookups[2]?.resolve(good);
  expect(await Promise.all(answers)).toEqual([401, 429, 429]);
});

it('an attempt that ends before that is told, and nothing is looked up after it', async () => {
  const { lookups, attempt, begin } = await startAttempts(1);
  const answers = await begin(2);
  lookups[0]?.resolve(good);
  expect(await answers[0]).toBe(200);
  lookups[1]?.reject(unknown);
  expect(await answers[1]).toBe(401);
  expect(await attempt()).toBe(429);
  expect(lookups).toHaveLength(2);
});

it.each(['forbidden', 'unavailable'] as const)('an attempt that ends as %s is no failure', async (kind) => {
  const { lookups, begin } = await startAttempts(1);
  const answers = await begin(2);
  lookups[0]?.reject(new PresetdError(kind, 'Not now.'));
  expect(await answers[0]).toBe(kind === 'forbidden' ? 403 : 503);
  lookups[1]?.resolve(good);
  expect(await answers[1]).toBe(200);
});
