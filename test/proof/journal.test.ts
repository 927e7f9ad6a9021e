import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { Journal } from './journal.ts';
import { createVerifier, verifyJournal } from './verify.ts';
import { startWriters } from './writers.ts';

/** What the proofs of faults rest on: a server that keeps its word is found to do so, and no other. */

const targetOf = (server: TestServer) => ({ url: () => server.url, key: managementKey });

async function write(server: TestServer, journal: Journal, requests: number, seed = 1): Promise<void> {
  const before = journal.counts.answered;
  const writers = startWriters(targetOf(server), journal, { seed, presets: 4 });
  await expect.poll(() => journal.counts.answered - before, { timeout: 30_000 }).toBeGreaterThan(requests);
  await writers.stop();
}

describe.each(engines)('the journal of what was written on %s', (engine) => {
  it('is kept, whether it is read piece by piece or from the beginning', async () => {
    const server = await startTestServer(engine);
    const journal = new Journal();
    const verifier = createVerifier(targetOf(server), journal);
    for (const seed of [1, 2]) {
      await write(server, journal, 100, seed);
      await verifier.verify();
    }
    const { events, unanswered } = await verifier.verify();
    expect(events).toBeGreaterThan(150);
    expect(unanswered).toBe(0);
    expect(await verifyJournal(targetOf(server), journal)).toEqual(await verifier.verify());
    await server.stop();
  });
});
