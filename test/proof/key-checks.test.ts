import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { hashSecret, newSecret } from '../../src/core/organization/api-key.ts';
import { createAuthenticator, hashRequestSecret } from '../../src/core/organization/authenticate.ts';
import type { KeyUsageRecorder } from '../../src/core/organization/key-usage.ts';
import type { KeyStore } from '../../src/core/storage.ts';
import { engines } from '../support/engines.ts';
import { makeKey } from '../support/organizations.ts';
import { startTestServer } from '../support/server.ts';
import { isLong, logProgress, scale } from './scale.ts';

/** The same beginning as the secret, and something else from there on. */
const near = (secret: string, from: number) =>
  secret.slice(0, from) + [...secret.slice(from)].map((letter) => (letter === '0' ? '1' : '0')).join('');

describe('a key', () => {
  it('is compared by nobody: what is looked up is a hash, which tells nothing of how near a guess is', async () => {
    const asked: string[] = [];
    const find = async (secretHash: string) => void asked.push(secretHash);
    const store = { find } as unknown as KeyStore;
    const uses = { record: () => undefined } as unknown as KeyUsageRecorder;
    const authenticator = createAuthenticator(store, systemClock, 1_000, uses);
    const secret = newSecret();
    for (let from = 0; from < secret.length; from += 1) {
      const guess = near(secret, from);
      const attempt = async () => authenticator.authenticate(hashRequestSecret(`Bearer ${guess}`, undefined));
      await expect(attempt()).rejects.toThrow('Unknown API key');
    }
    expect(asked).toHaveLength(secret.length);
    expect(asked.filter((hash) => !/^[0-9a-f]{64}$/.test(hash))).toEqual([]);
    // The more of the secret a guess has right, the more of the hash it would have, were there a way to come nearer.
    const right = asked.map((hash) => commonStart(hash, hashSecret(secret)));
    expect(Math.max(...right)).toBeLessThan(8);
    expect(new Set(asked).size).toBe(asked.length);
  });

  it.each(engines)(
    'that is wrong by its last letter is as unknown as any other, on one connection too: %s',
    async (engine) => {
      const server = await startTestServer(engine, { PRESETD_AUTH_FAILURE_LIMIT: '0' });
      const { secret } = await makeKey(server);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      try {
        const bodies = new Set<string>();
        for (const from of [0, 1, 20, secret.length - 1]) {
          expect((await ask(server.url, secret, agent)).status).toBe(200);
          const { status, body } = await ask(server.url, near(secret, from), agent);
          expect(status).toBe(401);
          bodies.add(body);
        }
        expect(bodies.size).toBe(1);
        expect((await ask(server.url, `${secret}0`, agent)).status).toBe(401);
        expect((await ask(server.url, secret, agent)).status).toBe(200);
      } finally {
        agent.destroy();
        await server.stop();
      }
    },
  );

  it.runIf(isLong)('is refused after the same time, however much of it is right', async () => {
    const server = await startTestServer(engines[0] ?? 'sqlite', { PRESETD_AUTH_FAILURE_LIMIT: '0' });
    const { secret } = await makeKey(server);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const guesses = [near(secret, 0), near(secret, secret.length - 1)] as const;
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < scale(10, 3_000); round += 1) {
      for (const index of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        // What the connection sent last is the secret itself.
        await ask(server.url, secret, agent);
        const startedAt = performance.now();
        await ask(server.url, guesses[index], agent);
        times[index].push(performance.now() - startedAt);
      }
    }
    const [wrong, nearly] = times.map((each) => each.toSorted((a, b) => a - b));
    const at = (sorted: readonly number[] | undefined, part: number) =>
      ((sorted?.[Math.floor((sorted.length - 1) * part)] ?? 0) * 1_000).toFixed(1);
    for (const part of [0.1, 0.5, 0.9])
      logProgress(
        `refusal, p${part * 100}: ${at(wrong, part)} µs all wrong, ${at(nearly, part)} µs all right but one letter`,
      );
    agent.destroy();
    await server.stop();
  });
});

function commonStart(one: string, other: string): number {
  const end = [...one].findIndex((letter, index) => letter !== other[index]);
  return end === -1 ? one.length : end;
}

async function ask(url: string, key: string, agent: Agent): Promise<{ status: number; body: string }> {
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
