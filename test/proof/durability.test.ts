import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PostgresDatabase } from '../../src/storage/postgres/database.ts';
import { statement } from '../../src/storage/statement.ts';
import { createWorkingDirectory } from '../support/command.ts';
import { createDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { managementKey, startTestServer } from '../support/server.ts';
import { spawnInTest } from '../support/test-scope.ts';
import { Journal } from './journal.ts';
import { startKillable } from './killable-server.ts';
import { isLong } from './scale.ts';
import { startWriters } from './writers.ts';

// Killing a process does not lose data in the page cache, but a power loss does. So these tests
// check that every commit is flushed to disk.

afterEach(() => vi.restoreAllMocks());

describe.runIf(engines.includes('sqlite'))('a server on SQLite', () => {
  it('flushes the write-ahead log at every commit, on every open connection', async () => {
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
    const server = await startTestServer('sqlite');
    const used = [...new Set(prepare.mock.contexts as DatabaseSync[])].filter(({ isOpen }) => isOpen);
    const full = 2;
    expect(used.map((database) => database.prepare('PRAGMA synchronous').get())).toEqual([
      { synchronous: full },
    ]);
    await server.stop();
  });

  it.runIf(isLong)('flushes a write to disk before it responds', { timeout: 600_000 }, async () => {
    if (!existsSync('/usr/bin/strace')) execFileSync('apt-get', ['install', '--yes', 'strace']);
    const directory = createWorkingDirectory();
    const trace = join(directory.path, 'trace');
    const server = startKillable(directory.path, {
      environment: { PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey },
    });
    const url = await server.url;
    const calls = 'trace=pwrite64,write,writev,fsync,fdatasync';
    const args = ['-f', '-y', '-s', '16', '-e', calls, '-o', trace, '-p', String(server.pid)];
    const traced = once(spawnInTest('strace', args), 'exit');
    while (!existsSync(trace)) await delay(10);
    const journal = new Journal();
    const writers = startWriters({ url: () => url, key: managementKey }, journal);
    try {
      await journal.untilAcknowledged(300);
      await writers.stop();
    } finally {
      await server.kill();
      await traced;
    }
    const { responses, commits, early } = responsesIn(readFileSync(trace, 'utf8'));
    directory.remove();
    expect(responses).toBeGreaterThanOrEqual(300);
    expect(commits).toBeGreaterThan(30);
    expect(early).toEqual([]);
  });
});

/** The number of 200 responses and log flushes, and the responses sent before a flush. */
function responsesIn(trace: string): { responses: number; commits: number; early: readonly string[] } {
  let isFlushed = true;
  let responses = 0;
  let commits = 0;
  const early: string[] = [];
  for (const line of trace.split('\n')) {
    if (/pwrite64\(.*-wal>/.test(line)) isFlushed = false;
    if (/f(data)?sync\(.*-wal>\) += 0/.test(line)) {
      isFlushed = true;
      commits += 1;
    }
    if (/"HTTP\/1\.1 200/.test(line)) {
      responses += 1;
      if (!isFlushed) early.push(line);
    }
  }
  return { responses, commits, early };
}

describe.runIf(engines.includes('postgres'))('a server on PostgreSQL', () => {
  it('waits for the disk at every commit, even if the database is configured not to', async () => {
    const database = await createDatabase('postgres');
    const [row] = await database.sql('SELECT current_database() AS name');
    await database.sql(`ALTER DATABASE ${row?.name} SET synchronous_commit = off`);
    const options = { url: database.url, poolSize: 2, timeoutMs: 5_000, writesWaitingMax: 10 };
    const connection = new PostgresDatabase(options);
    const shown = statement('setting', `SELECT current_setting('synchronous_commit') AS setting`);
    expect(await connection.write(shown)).toEqual([{ setting: 'on' }]);
    expect(await connection.transaction((query) => query(shown))).toEqual([{ setting: 'on' }]);
    await connection.close();
    await database.drop();
  });
});
