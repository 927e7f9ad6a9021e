import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { newId } from '../../src/core/identifiers.ts';
import { bootstrap } from '../../src/core/organization/bootstrap.ts';
import type { Storage } from '../../src/core/storage.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { settlesWithin } from '../support/settles-within.ts';
import { storageOptions } from '../support/storage-options.ts';

/** Long enough for a busy machine to connect and respond. */
const timeoutMs = 3_000;

describe.runIf(engines.includes('postgres'))('PostgreSQL behind an unreliable network', () => {
  let database: TestDatabase;
  let proxy: FaultProxy;
  /** Reaches the database through the proxy. */
  let far: Storage;
  /** Reaches it directly. */
  let near: Storage;
  let address: { organizationId: string; workspaceId: string; slug: string };
  let author: { userId: string; keyLabel: string };

  beforeEach(async () => {
    database = await createMigratedDatabase('postgres');
    proxy = await startFaultProxy(Number(new URL(database.url).port));
    far = await openFar(timeoutMs);
    near = await openStorage({ ...storageOptions(database), timeoutMs });
    const owner = { email: 'owner@example.com', firstName: '', lastName: '' };
    await bootstrap(near, systemClock, { owner, apiKey: undefined, managementKey: undefined });
    const first = await near.organizations.first();
    address = {
      organizationId: first?.organization.id ?? '',
      workspaceId: first?.organization.defaultWorkspaceId ?? '',
      slug: 'far-away',
    };
    author = { userId: first?.admin.id ?? '', keyLabel: 'sk-…' };
    await create(near);
  });
  afterEach(async () => {
    proxy.cut('reset');
    await far.close();
    await near.close();
    await proxy.stop();
    await database.drop();
  });

  const openFar = (timeoutMs: number) => {
    const url = new URL(database.url);
    url.port = String(proxy.port);
    const options = storageOptions(database);
    return openStorage({ ...options, timeoutMs, database: { engine: 'postgres', url: url.href } });
  };
  const create = (storage: Storage) =>
    storage.presets.createVersion({
      ...address,
      presetId: newId(),
      versionId: newId(),
      author,
      dialect: 'responses',
      configJson: '{}',
      extensionJson: null,
      systemPrompt: null,
      createdAt: systemClock(),
    });
  const change = (storage: Storage, decide: () => undefined = () => undefined) =>
    storage.presets.change(address, author, decide);
  const unavailable = { status: 'rejected', reason: expect.objectContaining({ kind: 'unavailable' }) };

  /** Opens as many connections as the pools allow. */
  const connectAll = () =>
    Promise.all(Array.from({ length: 20 }, () => Promise.all([far.presets.find(address), change(far)])));

  it('a silent database fails all waiting requests within one timeout', async () => {
    await connectAll();
    proxy.cut('silent');
    const writes = Promise.allSettled([
      ...Array.from({ length: 3_000 }, () => create(far)),
      ...Array.from({ length: 20 }, () => change(far)),
    ]);
    // One after the other, they would take twelve times as long.
    expect(await settlesWithin(writes, { timers: 8, ms: timeoutMs })).toBe(true);
    const outcomes = await writes;
    expect(outcomes).toEqual(outcomes.map(() => unavailable));
  });

  it('a change on a silent connection fails without waiting for a rollback', async () => {
    await far.close();
    far = await openFar(4 * timeoutMs);
    await change(far);
    proxy.cut('silent');
    const changing = change(far);
    expect(await settlesWithin(changing, { timers: 7, ms: timeoutMs })).toBe(true);
    await expect(changing).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it.each([
    ['create', create],
    ['change', change],
  ])('one silent connection makes the pool replace all of them, noticed by a %s', async (_, write) => {
    await connectAll();
    proxy.cut('silent');
    proxy.heal({ loseConnections: true });
    // At once, before the indexer, which runs soon after a change, notices it and replaces the pool
    // of transactions.
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => write(far)));
    expect(outcomes).toContainEqual(unavailable);
    await write(far);
  });

  it('PostgreSQL releases the locks of a client that it cannot reach', async () => {
    const cutOff = change(far, () => {
      proxy.cut('silent');
      return undefined;
    });
    await expect(cutOff).rejects.toMatchObject({ kind: 'unavailable' });
    await expect.poll(() => change(near).then(() => 'changed')).toBe('changed');
  });

  it('writes succeed again once a read-only database accepts them', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await database.sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await expect(change(far)).rejects.toMatchObject({ kind: 'unavailable' });
    const administrator = new pg.Client({ connectionString: database.url });
    await administrator.connect();
    await administrator.query('SET default_transaction_read_only = off');
    await administrator.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await administrator.end();
    await change(far);
    await create(far);
  });
});
