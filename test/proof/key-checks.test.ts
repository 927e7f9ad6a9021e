import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { hashSecret, newSecret } from '../../src/core/organization/api-key.ts';
import { createAuthenticator } from '../../src/core/organization/authenticate.ts';
import type { KeyStore } from '../../src/core/organization/organization-storage.ts';
import { secretHashOf } from '../../src/http/request-key.ts';
import { engines } from '../support/engines.ts';
import { makeKey } from '../support/organizations.ts';
import { startTestServer } from '../support/server.ts';
import { isLong, logProgress, scale } from './scale.ts';

/** A guess that equals the secret up to index `from` and differs after it. */
const guessFor = (secret: string, from: number) =>
  secret.slice(0, from) + [...secret.slice(from)].map((letter) => (letter === '0' ? '1' : '0')).join('');

describe('an API key', () => {
  it('is looked up by its hash, which does not reveal how close a guess is', async () => {
    const lookedUp: string[] = [];
    const find = async (secretHash: string) => void lookedUp.push(secretHash);
    const store = { find } as unknown as KeyStore;
    const usage = { record: () => undefined };
    const authenticator = createAuthenticator({
      keys: store,
      sessions: { find: () => expect.fail('a key is no session') },
      clock: systemClock,
      sessionIdleMs: 1,
      cacheEntriesMax: 1_000,
      keyUses: usage,
      sessionUses: usage,
    });
    const secret = newSecret();
    for (let from = 0; from < secret.length; from += 1) {
      const guess = guessFor(secret, from);
      const attempt = async () =>
        authenticator.authenticate(secretHashOf({}, { authorization: `Bearer ${guess}` }));
      await expect(attempt()).rejects.toThrow('Unknown API key');
    }
    expect(lookedUp).toHaveLength(secret.length);
    expect(lookedUp.filter((hash) => !/^[0-9a-f]{64}$/.test(hash))).toEqual([]);
    // A better guess must not share more of the hash.
    const commonLengths = lookedUp.map((hash) => commonPrefixLength(hash, hashSecret(secret)));
    expect(Math.max(...commonLengths)).toBeLessThan(8);
    expect(new Set(lookedUp).size).toBe(lookedUp.length);
  });

  it.each(engines)(
    'an almost correct API key gets the same 401 as any other, even on a reused connection: %s',
    async (engine) => {
      const server = await startTestServer(engine, { PRESETD_AUTH_FAILURE_LIMIT: '0' });
      const { secret } = await makeKey(server);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      try {
        const bodies = new Set<string>();
        for (const from of [0, 1, 20, secret.length - 1]) {
          expect((await send(server.url, secret, agent)).status).toBe(200);
          const { status, body } = await send(server.url, guessFor(secret, from), agent);
          expect(status).toBe(401);
          bodies.add(body);
        }
        expect(bodies.size).toBe(1);
        expect((await send(server.url, `${secret}0`, agent)).status).toBe(401);
        expect((await send(server.url, secret, agent)).status).toBe(200);
      } finally {
        agent.destroy();
        await server.stop();
      }
    },
  );

  it.runIf(isLong)('is rejected in the same time, regardless of how much of it is correct', async () => {
    const server = await startTestServer(engines[0] ?? 'sqlite', { PRESETD_AUTH_FAILURE_LIMIT: '0' });
    const { secret } = await makeKey(server);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const guesses = [guessFor(secret, 0), guessFor(secret, secret.length - 1)] as const;
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < scale(10, 3_000); round += 1) {
      for (const index of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        // The previous request on this connection has the correct secret.
        await send(server.url, secret, agent);
        const startedAt = performance.now();
        await send(server.url, guesses[index], agent);
        times[index].push(performance.now() - startedAt);
      }
    }
    const [allWrong, almostRight] = times.map((each) => each.toSorted((a, b) => a - b));
    const at = (sorted: readonly number[] | undefined, part: number) =>
      ((sorted?.[Math.floor((sorted.length - 1) * part)] ?? 0) * 1_000).toFixed(1);
    for (const part of [0.1, 0.5, 0.9])
      logProgress(
        `rejection, p${part * 100}: ${at(allWrong, part)} µs all wrong, ${at(almostRight, part)} µs one character wrong`,
      );
    agent.destroy();
    await server.stop();
  });
});

function commonPrefixLength(one: string, other: string): number {
  const end = [...one].findIndex((letter, index) => letter !== other[index]);
  return end === -1 ? one.length : end;
}

async function send(url: string, key: string, agent: Agent): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  request(`${url}/api/v1/key`, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
    buffer(response).then(
      (body) => resolve({ status: response.statusCode ?? 0, body: body.toString() }),
      reject,
    );
  })
    .on('error', reject)
    .end();
  return promise;
}
