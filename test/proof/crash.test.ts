import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkingDirectory } from '../support/command.ts';
import { createDatabase, createPostgresIn, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { createRandom } from '../support/random.ts';
import { managementKey } from '../support/server.ts';
import { Journal } from './journal.ts';
import { type KillableServer, startKillable } from './killable-server.ts';
import { isLong, logProgress, scale } from './scale.ts';
import { assertSound } from './soundness.ts';
import { createVerifier, verifyJournal } from './verify.ts';
import { startWriters } from './writers.ts';

const killsWanted = scale(2, 100);

/** So long that only a hang fails, not a slow machine. */
const timeout = scale(600_000, 3_600_000);

/**
 * The short run kills presetd on SQLite, which has to recover a file by itself. On PostgreSQL,
 * test/proof/cluster.test.ts kills the primary.
 */
const crashedEngines = isLong ? engines : engines.slice(0, 1);

describe.each(crashedEngines)('presetd on %s', (engine) => {
  const directory = createWorkingDirectory();
  let database: TestDatabase;
  let server: KillableServer | undefined;
  let url: string | undefined;
  const journal = new Journal();
  const target = { url: () => url, key: managementKey };
  const spawnServer = () => {
    server = startKillable(directory.path, {
      environment: {
        DATABASE_URL: database.url,
        PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
        // Without a key, every start logs a warning.
        OPENROUTER_API_KEY: 'not-used',
      },
      args: (process.env.PROOF_SERVE_ARGS ?? '').split(' ').filter((arg) => arg !== ''),
    });
    return server;
  };
  const kill = async () => {
    const exited = server?.kill();
    url = undefined;
    await exited;
  };

  beforeEach(async () => {
    database = await createDatabase(engine);
  });
  afterEach(async () => {
    await kill();
    await database.drop();
    directory.remove();
  });

  it(`loses no acknowledged write and restarts without repair when killed at least ${killsWanted} times`, {
    timeout,
  }, async () => {
    const random = createRandom(7);
    const verifier = createVerifier(target, journal);
    let kills = 0;
    let startMs = 300;

    /** Kills it at a random moment during startup. The first time, it is creating its tables. */
    async function killEarly(): Promise<void> {
      spawnServer();
      await delay(random.below(startMs));
      await kill();
      kills += 1;
    }

    async function start(): Promise<KillableServer> {
      const started = performance.now();
      const starting = spawnServer();
      url = await starting.url;
      startMs = Math.ceil(performance.now() - started);
      return starting;
    }

    for (let attempt = 0; attempt < scale(1, 10); attempt += 1) await killEarly();
    await start();
    const migrations = await database.sql('SELECT * FROM schema_migrations ORDER BY number');

    // A kill can fall between two requests. It proves nothing then, so another one follows.
    const isEnough = () => kills >= killsWanted && journal.counts.unknown > 0;
    for (let round = 1; !isEnough() && round < killsWanted + 20; round += 1) {
      const writers = startWriters(target, journal, { seed: round });
      await journal.untilAcknowledged(random.below(scale(30, 120)));
      await delay(random.below(20));
      await kill();
      kills += 1;
      if (round % 4 === 2) await killEarly();
      const { stdout } = await start();
      // Writers that retry interrupted requests get their response now.
      await journal.untilAcknowledged(16);
      await writers.stop();
      const verified = await verifier.verify();
      await assertSound(database);
      expect(unexpectedLogLines(stdout())).toEqual([]);
      logProgress(`${engine}: ${kills} kills, ${JSON.stringify({ ...journal.counts, ...verified })}`);
    }

    // `unacknowledged` may differ: if several writers set the same label, knowing all requests from
    // the start can attribute the event to another one.
    const { unacknowledged: _, ...counted } = await verifyJournal(target, journal);
    expect(await verifier.verify()).toMatchObject(counted);
    expect(await database.sql('SELECT * FROM schema_migrations ORDER BY number')).toEqual(migrations);
    expect(journal.counts.unknown).toBeGreaterThan(0);
  });
});

const postgresCrashes = 20;

describe.runIf(isLong && engines.includes('postgres'))('presetd while PostgreSQL crashes', () => {
  it(`loses no acknowledged write and keeps running when PostgreSQL is killed ${postgresCrashes} times`, {
    timeout,
  }, async () => {
    const postgres = await startPostgres({ durable: true });
    if (postgres === undefined) throw new Error('PostgreSQL is not available for this platform');
    const directory = createWorkingDirectory();
    const database = await createPostgresIn(postgres.url);
    const server = startKillable(directory.path, {
      environment: { DATABASE_URL: database.url, PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey },
    });
    try {
      const url = await server.url;
      const target = { url: () => url, key: managementKey };
      const journal = new Journal();
      const verifier = createVerifier(target, journal);
      const random = createRandom(7);
      for (let crashes = 1; crashes <= postgresCrashes; crashes += 1) {
        const writers = startWriters(target, journal, { seed: crashes });
        await journal.untilAcknowledged(10 + random.below(120));
        await postgres.crash();
        await postgres.start();
        await journal.untilAcknowledged(16);
        await writers.stop();
        const verified = await verifier.verify();
        await assertSound(database);
        logProgress(`PostgreSQL: ${crashes} crashes, ${JSON.stringify({ ...journal.counts, ...verified })}`);
      }
      const { unacknowledged: _, ...counted } = await verifyJournal(target, journal);
      expect(await verifier.verify()).toMatchObject(counted);
      expect(journal.counts.unknown).toBeGreaterThan(0);
      expect((await server.stop()).code).toBe(0);
    } finally {
      await server.kill();
      await postgres.stop();
      directory.remove();
    }
  });
});

/** Log lines of a restart that a clean restart would not have: migrations, warnings and errors. */
function unexpectedLogLines(stdout: string): readonly string[] {
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .filter((line) => {
      const { level, msg } = JSON.parse(line) as { level: number | string; msg: string };
      return (
        msg === 'upgraded the database schema' || !['info', 'debug', 'trace', 10, 20, 30].includes(level)
      );
    });
}
