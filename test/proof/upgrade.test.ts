import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkingDirectory, type ServerProcess, startServerProcess } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import type { Engine } from '../support/engines.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey, type TestResponse } from '../support/server.ts';
import { ownPage, tokenOf } from '../support/sign-in.ts';
import { statusWithinOneSecond } from '../support/status-within-one-second.ts';
import { until } from './cluster/until.ts';
import { Journal } from './journal.ts';
import { checkOutLastRelease, type ReleasedVersion } from './released-version.ts';
import { isLong, logProgress, sampledEngines, scale } from './scale.ts';
import { verifyJournal } from './verify.ts';
import { startWriters } from './writers.ts';

type SentResponse = Pick<TestResponse, 'status' | 'body'>;
type Send = (method: string, path: string, body?: object, key?: string) => Promise<SentResponse>;

/** Writes that must be acknowledged between two steps of an upgrade. */
const writesPerStep = scale(15, 500);

describe.each(sampledEngines)('the last release and this version side by side on %s', (engine: Engine) => {
  let released: ReleasedVersion;
  let database: TestDatabase;
  const directory = createWorkingDirectory();
  const journal = new Journal();
  /** Servers that get requests, round robin. */
  let serving: ServerProcess[] = [];
  let requests = 0;
  const nextUrl = () => {
    requests += 1;
    return serving[requests % serving.length]?.url ?? '';
  };

  beforeAll(async () => {
    released = await checkOutLastRelease();
    database = await createDatabase(engine);
  });
  afterAll(async () => {
    await Promise.all(serving.map((server) => server.stop()));
    await database?.drop();
    released?.remove();
    directory.remove();
  });

  const start = (which: 'old' | 'new', on = database, settings: Readonly<Record<string, string>> = {}) =>
    startServerProcess(
      directory.path,
      {
        DATABASE_URL: on.url,
        PRESETD_BOOTSTRAP_API_KEY: apiKey,
        PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
        ...settings,
      },
      which === 'old' ? released.program : undefined,
    );
  const add = async (which: 'old' | 'new') => {
    const server = await start(which);
    serving.push(server);
    return server;
  };
  /** As with a balancer, it gets no new requests, then finishes those in flight and exits. */
  const retire = async (server: ServerProcess) => {
    serving = serving.filter((each) => each !== server);
    expect((await server.stop()).code).toBe(0);
  };
  const untilAcknowledged = () => {
    const goal = journal.counts.acknowledged + writesPerStep;
    return until(
      () => journal.counts.acknowledged >= goal,
      'writes are no longer acknowledged',
      scale(120_000, 600_000),
    );
  };

  /**
   * Applies an expanding migration that a later version could have. Like a real one, it gives up
   * quickly when a table is locked, and retries.
   */
  const expand = async (): Promise<void> => {
    try {
      await addColumns();
    } catch (error) {
      // A writer had a lock on a table, or waited for one of ours.
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

  describe('data created by the last release', () => {
    let shared: TestDatabase;
    let upstream: ScriptedUpstream;
    let old: Send;
    let current: Send;
    let leaver: string;
    let keyOfLeaver: string;
    const started: ServerProcess[] = [];
    const startOn = async (which: 'old' | 'new'): Promise<Send> => {
      const server = await start(which, shared, {
        PRESETD_UPSTREAM_URL: upstream.url,
        OPENROUTER_API_KEY: 'a-key-of-the-upstream',
      });
      started.push(server);
      return async (method, path, body, key = managementKey) => {
        const response = await fetch(`${server.url}/api/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        });
        return { status: response.status, body: (await response.json()) as SentResponse['body'] };
      };
    };

    beforeAll(async () => {
      shared = await createDatabase(engine);
      upstream = await startScriptedUpstream();
      old = await startOn('old');
      await old('POST', '/organization/members', { email: 'before@example.com', first_name: 'Grace' });
      await old('POST', '/presets/first/responses', { model: 'one' });
      await old('POST', '/presets/shared/responses', { model: 'm' });
      await old('POST', '/presets/before/responses', { model: 'm', instructions: 'Falcons only' });
      // Traffic from before the upgrade, which nothing was recorded of.
      const call = { model: '@preset/before', messages: [{ role: 'user', content: 'Hi' }] };
      expect((await old('POST', '/chat/completions', call, apiKey)).status).toBe(200);
      const member = await old('POST', '/organization/members', { email: 'leaver@example.com' });
      leaver = member.body.data.id;
      const created = await old('POST', '/keys', { name: 'Of the leaver', creator_user_id: leaver });
      keyOfLeaver = created.body.key ?? '';
      current = await startOn('new');
    });
    afterAll(async () => {
      for (const server of started) await server.stop();
      await upstream?.stop();
      await shared?.drop();
    });

    it('this version finds members that the last release added, renamed or removed', async () => {
      const members = '/organization/members';
      const find = async (q: string) =>
        (await current('GET', `${members}?q=${q}`)).body.data.map(({ email }: { email: string }) => email);
      expect(await find('gra')).toEqual(['before@example.com']);
      await old('POST', members, { email: 'beside@example.com', first_name: 'Grace' });
      expect(await find('gra')).toEqual(['before@example.com', 'beside@example.com']);
      await old('PATCH', `${members}/before@example.com`, { first_name: 'Ada' });
      expect(await find('gra')).toEqual(['beside@example.com']);
      expect(await find('ada')).toEqual(['before@example.com']);
      await old('DELETE', `${members}/beside@example.com`);
      expect(await find('gra')).toEqual([]);
    });

    it('a member whom the last release removes is signed out of this version within a second', async () => {
      const invitation = await current('POST', '/organization/invitations', {
        email: 'signed-in@example.com',
      });
      const { url } = started[1] as ServerProcess;
      const signedIn = await fetch(`${url}/api/v1/sign-in/link`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...ownPage },
        body: JSON.stringify({ token: tokenOf(invitation.body.url) }),
      });
      const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      const account = () => fetch(`${url}/api/v1/account`, { headers: { cookie, ...ownPage } });
      expect((await account()).status).toBe(200);
      expect((await old('DELETE', '/organization/members/signed-in@example.com')).status).toBe(200);
      expect(await statusWithinOneSecond(account)).toBe(401);
    });

    it('both versions find a renamed preset by its former names', async () => {
      await current('PUT', '/presets/first/aliases/other');
      await current('PATCH', '/presets/first', { slug: 'second' });
      const change = async (send: Send, name: string, model: string) =>
        expect((await send('POST', `/presets/${name}/responses`, { model })).status).toBe(200);
      await change(old, 'first', 'two');
      await change(current, 'other', 'three');
      for (const name of ['first', 'other', 'second'])
        for (const send of [old, current])
          await expect
            .poll(async () => (await send('GET', `/presets/${name}`)).body.data)
            .toMatchObject({
              slug: 'second',
              designated_version: { version: 3, config: { model: 'three' } },
            });
    });

    it('this version finds presets by the contents that the last release writes', async () => {
      const create = (slug: string, instructions: string) =>
        old('POST', `/presets/${slug}/responses`, { model: 'm', instructions });
      const find = async (query: string) =>
        (await current('GET', `/presets${query}`)).body.data.map(({ slug }: { slug: string }) => slug);
      const expectFound = (query: string) => expect.poll(() => find(query));
      await expectFound('?q=falcons').toEqual(['before']);
      await create('beside', 'Falcons, too');
      await expectFound('?q=falcons').toEqual(['beside', 'before']);
      await create('before', 'Herons only');
      await expectFound('?q=herons').toEqual(['before']);
      await expectFound('?q=falcons').toEqual(['beside']);
      // The older one renames a preset with words that its prompt and its tags have.
      await current('PATCH', '/presets/before', { tags: ['birds'] });
      await expectFound('?q=birds').toEqual(['before']);
      expect((await old('PATCH', '/presets/before', { name: 'Herons and birds' })).status).toBe(200);
      expect(await find('?tag=birds&q=herons')).toEqual(['before']);
    });

    it('the last release answers calls beside this version, which records its own only', async () => {
      const call = async (send: Send) => {
        const request = { model: '@preset/before', messages: [{ role: 'user', content: 'Hi' }] };
        expect((await send('POST', '/chat/completions', request, apiKey)).status).toBe(200);
      };
      const recorded = async () =>
        (await current('GET', '/generations?limit=100')).body.data.map(
          ({ presetd }: { presetd: { preset: string } }) => presetd.preset,
        );
      expect(await recorded()).toEqual([]);
      for (const send of [old, current, old, current, old]) await call(send);
      await expect.poll(recorded).toEqual(['before', 'before']);
      const counted = await current('POST', '/analytics/query', { metrics: ['request_count'] });
      expect(counted.body.data.data).toEqual([{ request_count: 2 }]);
    });

    it('the last release changes presets with test cases, drafts and calls, and ends drafts of leavers', async () => {
      const draft = { text: '{"model": ', dialect: null, base_version: 1 };
      const testCase = { variables: { customer: 'Ada' }, messages: [], note: 'Late parcel' };
      expect((await current('PUT', '/presets/shared/draft', draft, keyOfLeaver)).status).toBe(200);
      await current('PUT', '/presets/shared/draft', { ...draft, text: 'of the owner' });
      await current('PUT', '/presets/shared/cases/Late', testCase);
      const call = { model: '@preset/shared', messages: [{ role: 'user', content: 'Hi' }] };
      expect((await current('POST', '/chat/completions', call, apiKey)).status).toBe(200);
      const usage = (await current('GET', '/presets/shared/usage')).body.data;
      expect(usage).toEqual({ last_called_at: expect.any(String) });

      // The old version knows none of them, and neither loses nor trips over them.
      for (const [method, path, body] of [
        ['POST', '/presets/shared/responses', { model: 'n' }],
        ['PATCH', '/presets/shared', { name: 'Renamed' }],
        ['DELETE', '/presets/shared', undefined],
        ['POST', '/presets/shared/restore', undefined],
        ['GET', '/presets/shared/events', undefined],
        ['GET', '/audit', undefined],
        ['DELETE', `/organization/members/${leaver}`, undefined],
      ] as const)
        expect([path, (await old(method, path, body)).status]).toEqual([path, 200]);
      const dataAt = async (send: Send, path: string) =>
        (await send('GET', `/presets/shared${path}`)).body.data;
      expect(await dataAt(current, '/draft')).toMatchObject({ text: 'of the owner' });
      expect(await dataAt(current, '/drafts')).toHaveLength(1);
      expect(await dataAt(current, '/cases')).toMatchObject([{ name: 'Late', ...testCase }]);
      expect(await dataAt(current, '/usage')).toEqual(usage);

      // A rollback, and the upgrade after it. The short run rolls back in the test below.
      if (!isLong) return;
      for (const server of started.splice(0)) expect((await server.stop()).code).toBe(0);
      const rolledBack = await startOn('old');
      expect((await rolledBack('POST', '/presets/shared/responses', { model: 'o' })).status).toBe(200);
      const upgraded = await startOn('new');
      expect(await dataAt(upgraded, '/cases/Late')).toMatchObject(testCase);
      expect(await dataAt(upgraded, '/draft')).toMatchObject({ text: 'of the owner' });
      // Stored on shutdown, after the last call was noted in memory.
      expect(await dataAt(upgraded, '/usage')).toEqual(usage);
    });
  });

  it.runIf(isLong || engine === 'postgres')(
    'both versions serve one database while each replaces the other, and no request fails',
    {
      timeout: scale(120_000, 3_600_000),
    },
    async () => {
      const oldest = await add('old');
      const writers = startWriters({ url: nextUrl, key: managementKey }, journal, {
        writers: scale(2, 4),
        timeoutMs: 60_000,
        useNewFeatures: false,
      });
      await untilAcknowledged();
      await add('new');
      await untilAcknowledged();
      await expand();
      await untilAcknowledged();
      await retire(oldest);
      await untilAcknowledged();
      // A rollback: the old version starts on a database that the new one has changed.
      const rolledBack = await add('old');
      await untilAcknowledged();
      await writers.stop();
      expect(journal.unexpectedResponses).toEqual([]);
      // Every request got a response.
      expect(journal.counts.unknown).toBe(0);
      // The old version must read what the new one wrote. The long run verifies both.
      for (const { url } of isLong ? serving : [rolledBack]) {
        const verified = await verifyJournal({ url: () => url, key: managementKey }, journal);
        logProgress(
          `${url === rolledBack.url ? released.version : 'this version'} on ${engine}: ${JSON.stringify(verified)}`,
        );
      }
    },
  );
});
