import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkingDirectory, type ServerProcess, startServerProcess } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import type { Engine } from '../support/engines.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { until } from './cluster/until.ts';
import { Journal } from './journal.ts';
import { checkOutLastRelease, type ReleasedVersion } from './released-version.ts';
import { isLong, logProgress, sampledEngines, scale } from './scale.ts';
import { verifyJournal } from './verify.ts';
import { startWriters } from './writers.ts';

/** What is acknowledged between two steps of an upgrade. */
const answersPerStep = scale(30, 500);

describe.each(sampledEngines)('the last release and this version side by side on %s', (engine: Engine) => {
  let released: ReleasedVersion;
  let database: TestDatabase;
  const directory = createWorkingDirectory();
  const journal = new Journal();
  /** Those that requests are sent to, in turn. */
  let serving: ServerProcess[] = [];
  let turn = 0;
  const nextUrl = () => {
    turn += 1;
    return serving[turn % serving.length]?.url ?? '';
  };

  beforeAll(async () => {
    released = checkOutLastRelease();
    database = await createDatabase(engine);
  });
  afterAll(async () => {
    await Promise.all(serving.map((server) => server.stop()));
    await database?.drop();
    released?.remove();
    directory.remove();
  });

  const start = (which: 'old' | 'new', on = database) =>
    startServerProcess(
      directory.path,
      {
        DATABASE_URL: on.url,
        PRESETD_BOOTSTRAP_API_KEY: apiKey,
        PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
      },
      which === 'old' ? released.program : undefined,
    );
  const add = async (which: 'old' | 'new') => {
    const server = await start(which);
    serving.push(server);
    return server;
  };
  /** First nobody is sent there any more, as a balancer sees to; then it finishes what it has. */
  const retire = async (server: ServerProcess) => {
    serving = serving.filter((each) => each !== server);
    expect((await server.stop()).code).toBe(0);
  };
  const written = () => {
    const goal = journal.counts.answered + answersPerStep;
    return until(
      () => journal.counts.answered >= goal,
      'nothing is acknowledged any more',
      scale(120_000, 600_000),
    );
  };

  /** What a version after this one may do to the tables while both serve: add to them, and mark it as harmless. */
  /** As a migration does: it gives way to those who use the tables, and tries again. */
  const expand = async (): Promise<void> => {
    try {
      await addColumns();
    } catch (error) {
      // Somebody held a table, or waited for one that this held.
      if (!/lock timeout|deadlock/.test(String(error))) throw error;
      await expand();
    }
  };
  const addColumns = () =>
    database.transaction(
      ...(engine === 'postgres' ? [`SET LOCAL lock_timeout = '500ms'`] : []),
      ...['presets', 'preset_versions', 'audit_events', 'api_keys', 'workspaces'].map(
        (table) => `ALTER TABLE ${table} ADD COLUMN added_later text DEFAULT 'x'`,
      ),
      `INSERT INTO schema_migrations VALUES (9000, '9000-later', false, '2027-01-01T00:00:00Z')`,
    );

  it('find members that the last release adds, renames and removes', async () => {
    const shared = await createDatabase(engine);
    const started: ServerProcess[] = [];
    const startOn = async (which: 'old' | 'new') => {
      const server = await start(which, shared);
      started.push(server);
      return server;
    };
    try {
      const members = '/api/v1/organization/members';
      const old = await startOn('old');
      const send = (method: string, path: string, body?: object) =>
        fetch(`${old.url}${members}${path}`, {
          method,
          headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        });
      await send('POST', '', { email: 'before@example.com', first_name: 'Grace' });
      const current = await startOn('new');
      const find = async (q: string) => {
        const headers = { authorization: `Bearer ${managementKey}` };
        const answer = await fetch(`${current.url}${members}?q=${q}`, { headers });
        const { data } = (await answer.json()) as { data: readonly { email: string }[] };
        return data.map(({ email }) => email);
      };
      expect(await find('gra')).toEqual(['before@example.com']);
      await send('POST', '', { email: 'beside@example.com', first_name: 'Grace' });
      expect(await find('gra')).toEqual(['before@example.com', 'beside@example.com']);
      await send('PATCH', '/before@example.com', { first_name: 'Ada' });
      expect(await find('gra')).toEqual(['beside@example.com']);
      expect(await find('ada')).toEqual(['before@example.com']);
      await send('DELETE', '/beside@example.com');
      expect(await find('gra')).toEqual([]);
    } finally {
      for (const server of started) await server.stop();
      await shared.drop();
    }
  });

  it.runIf(isLong || engine === 'postgres')(
    'serve one database while each takes the place of the other, and no request fails',
    {
      timeout: scale(120_000, 3_600_000),
    },
    async () => {
      const oldest = await add('old');
      const writers = startWriters({ url: nextUrl, key: managementKey }, journal, {
        writers: scale(2, 4),
        timeoutMs: 60_000,
      });
      await written();
      await add('new');
      await written();
      await expand();
      await written();
      await retire(oldest);
      await written();
      // As where an upgrade is taken back: the older one starts on what the newer one has made.
      const back = await add('old');
      await written();
      await writers.stop();
      expect(journal.surprises).toEqual([]);
      // Not one of them was without an answer.
      expect(journal.counts.unknown).toBe(0);
      // The older one reads what the newer one has written; the long run asks both.
      for (const { url } of isLong ? serving : [back]) {
        const verified = await verifyJournal({ url: () => url, key: managementKey }, journal);
        logProgress(
          `${url === back.url ? released.version : 'this version'} on ${engine}: ${JSON.stringify(verified)}`,
        );
      }
    },
  );
});
