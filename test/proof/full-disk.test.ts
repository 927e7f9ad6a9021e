import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { checkout, createWorkingDirectory, spawnCommand } from '../support/command.ts';
import { createPostgresIn, sqliteAt, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { runCommand } from '../support/run-command.ts';
import { managementKey } from '../support/server.ts';
import { Journal } from './journal.ts';
import { type KillableServer, startKillable } from './killable-server.ts';
import { isLong, logProgress, scale } from './scale.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';
import { assertSound } from './soundness.ts';
import { verifyJournal } from './verify.ts';
import { startWriters } from './writers.ts';

/** So long that only a hang fails, not a slow machine. */
const timeout = scale(600_000, 3_600_000);

const directory = createWorkingDirectory();
afterAll(() => directory.remove());
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function smallDisk(mebibytes: number): SmallDisk {
  const disk = mountSmallDisk(mebibytes);
  cleanups.push(() => disk.remove());
  return disk;
}

function serve(databaseUrl: string): KillableServer {
  const server = startKillable(directory.path, {
    environment: { DATABASE_URL: databaseUrl, PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey },
  });
  cleanups.push(() => server.kill());
  return server;
}

const headers = { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' };

/** Creates a version that does not fit into the free space in existing database pages. */
const createBig = (url: string) =>
  fetch(`${url}/api/v1/presets/big/responses`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model: 'm', instructions: 'x'.repeat(200_000) }),
  });

const readPathsOf = (slug: string) => [
  '/healthz',
  '/api/v1/presets?status=all',
  '/api/v1/presets?q=preset',
  `/api/v1/presets/${slug}`,
  `/api/v1/presets/${slug}/versions`,
  `/api/v1/presets/${slug}/events`,
  `/api/v1/presets/${slug}/labels`,
  `/api/v1/presets/${slug}/aliases`,
  '/api/v1/audit',
  '/api/v1/export',
];

/** Reads that fail, and how. */
async function failedReads(url: string, slug: string): Promise<readonly string[]> {
  const failures = readPathsOf(slug).map(async (path) => {
    const response = await fetch(url + path, { headers });
    const text = await response.text();
    return response.status === 200 ? [] : [`${path}: ${response.status} ${text}`];
  });
  return (await Promise.all(failures)).flat();
}

describe.runIf(engines.includes('sqlite'))('SQLite on a full disk', () => {
  it('rejects writes with 503, serves reads, loses no acknowledged write and recovers when space is freed', {
    timeout,
  }, async () => {
    // Enough space for what the rounds store.
    const disk = smallDisk(scale(8, 64));
    const database = sqliteAt(join(disk.path, 'data', 'presetd.db'));
    const server = serve(database.url);
    const url = await server.url;
    const target = { url: () => url, key: managementKey };
    const journal = new Journal();

    for (let round = 1; round <= scale(1, 20); round += 1) {
      const writers = startWriters(target, journal, { seed: round });
      await journal.untilAcknowledged(30);
      // Fills the disk repeatedly, also during writes: a failed write frees some space again.
      const unknownBefore = journal.counts.unknown;
      while (journal.counts.unknown < unknownBefore + 10) {
        disk.fill();
        await createBig(url);
      }
      const response = await createBig(url);
      expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
        503,
        '5',
        {
          error: {
            code: 503,
            message: 'The database disk is full. Writes fail until space is freed; reads still work.',
            metadata: { request_id: expect.any(String) },
          },
          user_id: expect.any(String),
        },
      ]);
      const [slug = ''] = journal.slugs();
      expect(await failedReads(url, slug)).toEqual([]);
      expect((await fetch(`${url}/readyz`)).status).toBe(503);
      disk.free();
      await journal.untilAcknowledged(20);
      await writers.stop();
    }

    const verified = await verifyJournal(target, journal);
    logProgress(`SQLite on a full disk: ${JSON.stringify({ ...journal.counts, ...verified })}`);
    // No rejected write was stored.
    expect(verified.unacknowledged).toBe(0);
    await assertSound(database);
    expect((await server.stop()).code).toBe(0);
  });

  it('fails to start with a clear message', { timeout }, async () => {
    const disk = smallDisk(1);
    disk.fill();
    const file = join(disk.path, 'presetd.db');
    expect(await failedStart(file)).toEqual([
      1,
      `presetd cannot use its database (DATABASE_URL): ${file}: the disk is full\n`,
    ]);
  });
});

describe.runIf(engines.includes('sqlite'))('a database without write access', () => {
  it('a database on a read-only file system is reported at startup with a remedy', { timeout }, async () => {
    const disk = smallDisk(1);
    disk.makeReadOnly();
    const message = `presetd cannot use its database (DATABASE_URL): ${disk.path} is on a read-only file system. Mount it read-write, or set DATABASE_URL to a different file.\n`;
    for (const file of ['presetd.db', 'data/presetd.db'])
      expect(await failedStart(join(disk.path, file))).toEqual([1, message]);
  });

  it('a database without write permission is reported at startup with a remedy', { timeout }, async () => {
    const folder = createWorkingDirectory();
    cleanups.push(() => folder.remove());
    const file = join(folder.path, 'presetd.db');
    const start = async () => {
      const environment = { PORT: '0', DATABASE_URL: `sqlite:${file}` };
      const { code, stderr } = await spawnCommand(command, directory.path, environment, '', ordinaryUser);
      return [code, stderr];
    };
    const message = (path: string) =>
      `presetd cannot use its database (DATABASE_URL): User ${process.getuid?.()}, which presetd runs as, cannot write to ${path}. Change its owner or mode, or set DATABASE_URL to a different file.\n`;
    // SQLite itself would open the file and fail at the first write.
    writeFileSync(file, '', { mode: 0o444 });
    expect(await start()).toEqual([1, message(file)]);
    rmSync(file);
    chmodSync(folder.path, 0o555);
    expect(await start()).toEqual([1, message(folder.path)]);
  });
});

/** Root can write everything, so the test drops the capabilities that allow it. */
const isRoot = process.getuid?.() === 0;
const ordinaryUser = isRoot
  ? { node: 'setpriv', script: '--bounding-set=-dac_override,-dac_read_search' }
  : checkout;
const command = isRoot ? [checkout.node, checkout.script, 'serve'] : ['serve'];

async function failedStart(file: string) {
  const environment = { PORT: '0', LOG_LEVEL: 'warn', DATABASE_URL: `sqlite:${file}` };
  const { code, stderr } = await runCommand(['serve'], directory.path, environment);
  return [code, stderr];
}

describe.runIf(isLong && engines.includes('postgres'))('PostgreSQL on a full disk', () => {
  it('rejects writes with 503, and recovers when space is freed and PostgreSQL restarted', {
    timeout,
  }, async () => {
    const disk = smallDisk(160);
    const postgres = await startPostgres({ durable: true, data: join(disk.path, 'data') });
    if (postgres === undefined) throw new Error('PostgreSQL is not available for this platform');
    cleanups.push(() => postgres.stop());
    const database: TestDatabase = await createPostgresIn(postgres.url);
    const server = serve(database.url);
    const url = await server.url;
    const target = { url: () => url, key: managementKey };
    const journal = new Journal();

    for (let round = 1; round <= 5; round += 1) {
      const writers = startWriters(target, journal, { seed: round });
      await journal.untilAcknowledged(30);
      const unknownBefore = journal.counts.unknown;
      const messages = new Set<string>();
      while (journal.counts.unknown < unknownBefore + 10) {
        disk.fill();
        const response = await createBig(url);
        const { error } = (await response.json()) as { error?: { message: string } };
        if (error !== undefined) messages.add(`${response.status} ${error.message}`);
      }
      logProgress(`PostgreSQL on a full disk: ${[...messages].join('; ')}`);
      for (const message of messages) expect(message).toMatch(/^503 /);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      disk.free();
      // PostgreSQL exits when it has no space for its write-ahead log, so the operator restarts it.
      await postgres.start();
      await journal.untilAcknowledged(20);
      await writers.stop();
    }

    const verified = await verifyJournal(target, journal);
    logProgress(`PostgreSQL on a full disk: ${JSON.stringify({ ...journal.counts, ...verified })}`);
    await assertSound(database);
    expect((await server.stop()).code).toBe(0);
  });
});
