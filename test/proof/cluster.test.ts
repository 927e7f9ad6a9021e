import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandResult } from '../support/command.ts';
import { engines } from '../support/engines.ts';
import { createRandom } from '../support/random.ts';
import { managementKey } from '../support/server.ts';
import { type Cluster, type Instance, poolSize, startCluster } from './cluster/cluster.ts';
import { createSessionProbe, type SessionProbe } from './cluster/sessions.ts';
import { until } from './cluster/until.ts';
import { call, create, read, rename, type Watch, watchWarmPreset } from './cluster/watch.ts';
import { Journal } from './journal.ts';
import { isLong, logProgress, scale } from './scale.ts';
import { createVerifier, type Verifier, verifyJournal } from './verify.ts';
import { startWriters } from './writers.ts';

/** Every silent outage waits this long, so only the long run uses the default of five seconds. */
const databaseTimeoutMs = scale(1_000, 5_000);
const rounds = scale(1, 10);
const random = createRandom(20_261_115);

describe.runIf(engines.includes('postgres'))('presetd instances on PostgreSQL with a standby', () => {
  let cluster: Cluster;
  const journal = new Journal();
  const unexpected: string[] = [];
  let watches: readonly Watch[] = [];
  let verifier: Verifier;
  let sessions: SessionProbe;
  const recoveries: Record<'heal' | 'failover', number[]> = { heal: [], failover: [] };
  const target = () => ({ url: () => cluster.balancer.url, key: managementKey });
  /** A key that no instance has cached. */
  const createColdKey = () => createKey(cluster.balancer.url);

  beforeAll(async () => {
    cluster = await startCluster(scale(2, 3), databaseTimeoutMs);
    const { url } = cluster.balancer;
    for (const slug of ['warm', 'probe', 'renamed', 'cold']) await untilSuccessful(() => create(url, slug));
    verifier = createVerifier(target(), journal);
    await Promise.all(cluster.instances.map(warmUp));
    sessions = createSessionProbe(cluster, 'warm');
    watches = cluster.instances.map((instance) => watchWarmPreset(instance, 'warm', unexpected));
  });
  afterAll(async () => {
    await Promise.all(watches.map((watch) => watch.stop()));
    await cluster?.stop();
  });

  /** Runs `work` while writers are busy, then verifies that every acknowledged write exists. */
  async function underLoad<T>(work: () => Promise<T>): Promise<T> {
    const writers = startWriters(target(), journal, {
      seed: random.below(1_000_000),
      writers: scale(2, 8),
      timeoutMs: 60_000,
      pauseMs: scale(100, 50),
    });
    const before = journal.counts.acknowledged;
    const acknowledgeMore = (count: number) => {
      const goal = journal.counts.acknowledged + count;
      return until(() => journal.counts.acknowledged >= goal, 'writes are no longer acknowledged');
    };
    try {
      await acknowledgeMore(scale(10, 20));
      const result = await work();
      await acknowledgeMore(scale(10, 20));
      return result;
    } finally {
      await writers.stop();
      await waitUntilIdle(cluster);
      const { events, unacknowledged } = await verifier.verify();
      logProgress(
        `${journal.counts.acknowledged - before} acknowledged; ${events} events found, ${unacknowledged} of them not acknowledged`,
      );
      expect(unexpected.splice(0)).toEqual([]);
    }
  }

  /** Milliseconds until all these instances accept writes. Until then, only 503 is allowed. */
  async function untilWritable(instances: readonly Instance[]): Promise<number> {
    const startedAt = performance.now();
    const name = `Renamed ${random.below(1_000_000)}`;
    const attempts = await Promise.all(
      instances.flatMap(({ url }) => [
        untilSuccessful(() => create(url, 'probe')),
        untilSuccessful(() => rename(url, 'renamed', name)),
      ]),
    );
    const ms = Math.round(performance.now() - startedAt);
    if (ms > 2_000) logProgress(`slow: ${attempts.map((each) => each.join(' + ')).join(', ')} ms`);
    return ms;
  }

  /** The slowest response for a warm preset since the last call. */
  const slowest = () => `${Math.round(Math.max(...watches.map((watch) => watch.slowestMs())))} ms`;

  for (let round = 0; round < rounds; round += 1) {
    const cut = cuts[round % cuts.length] ?? cuts[0];
    const suffix = isLong ? `, round ${round + 1}` : '';

    // In the short run, test/proof/crash.test.ts kills an instance.
    it.runIf(isLong)(
      `keep serving and refusing ended sessions when one instance is killed${suffix}`,
      async () => {
        const instance = random.pick(cluster.instances);
        await underLoad(async () => {
          const session = await sessions.endOne();
          await instance.kill();
          await delay(random.below(500));
          await instance.start();
          await warmUp(instance);
          await session.check();
        });
      },
    );

    it(`recover from a ${cut.how} database network that ${cut.lost ? 'loses' : 'keeps'} connections${suffix}`, async () => {
      const coldKey = await createColdKey();
      await underLoad(async () => {
        slowest();
        for (const { link } of cluster.instances) link.cut(cut.how);
        await Promise.all(cluster.instances.map((instance) => checkOutage(instance, coldKey)));
        await delay(random.below(databaseTimeoutMs));
        for (const { link } of cluster.instances) link.heal({ loseConnections: cut.lost });
        recoveries.heal.push(await untilWritable(cluster.instances));
      });
      logProgress(
        `writable ${recoveries.heal.at(-1)} ms after the network healed; slowest warm response ${slowest()}`,
      );
    });

    it.runIf(isLong)(`keep serving when one instance loses its database connection${suffix}`, async () => {
      const coldKey = await createColdKey();
      const [instance, ...others] = rotated(cluster.instances);
      if (instance === undefined) return;
      await underLoad(async () => {
        instance.link.cut(cut.how);
        await checkOutage(instance, coldKey);
        // Its unfinished transactions must not block the others forever.
        await untilWritable(others);
        instance.link.heal({ loseConnections: cut.lost });
        recoveries.heal.push(await untilWritable([instance]));
      });
    });

    it(`fail over from a killed primary to its standby, which knows the ended sessions${suffix}`, async () => {
      const coldKey = await createColdKey();
      const killed = cluster.primary;
      // A machine that loses power goes silent; a killed process closes its connections.
      const isPowerLoss = round % 2 === 1;
      const failedOver = underLoad(async () => {
        slowest();
        const session = await sessions.endOne();
        if (isPowerLoss) for (const { link } of cluster.instances) link.cut('silent');
        await killed.kill();
        await Promise.all(cluster.instances.map((instance) => checkOutage(instance, coldKey)));
        await session.checkOutage();
        await cluster.failOver();
        if (isPowerLoss) for (const { link } of cluster.instances) link.heal({ loseConnections: true });
        recoveries.failover.push(await untilWritable(cluster.instances));
        await session.check();
      });
      // The next test needs a standby even if this one fails.
      await failedOver.finally(() => cluster.addStandby());
      logProgress(
        `writable ${recoveries.failover.at(-1)} ms after the ${isPowerLoss ? 'silent ' : ''}failover; slowest warm response ${slowest()}`,
      );
    });
  }

  it('do not query a standby, which may not have a new key yet', async () => {
    const coldKey = await createColdKey();
    const [instance] = cluster.instances;
    instance?.link.redirectTo(cluster.standby.port);
    instance?.link.cut('reset');
    instance?.link.heal();
    if (instance !== undefined) await checkOutage(instance, coldKey);
    instance?.link.redirectTo(cluster.primary.port);
    await untilWritable(cluster.instances);
    // A connection attempt that began before may still end at the standby.
    await untilSuccessful(() => read(instance?.url ?? '', 'warm', coldKey));
  });

  it.runIf(isLong)('acknowledge no write while the standby is frozen', async () => {
    await underLoad(async () => {
      cluster.standby.freeze();
      await delay(2 * databaseTimeoutMs);
      const outcomes = await Promise.all(cluster.instances.map(({ url }) => create(url, 'probe')));
      for (const outcome of outcomes) await expectUnavailable(outcome);
      cluster.standby.thaw();
      logProgress(`writable ${await untilWritable(cluster.instances)} ms after the standby resumed`);
    });
  });

  it('lose no acknowledged write, accept every valid key and stop cleanly', async () => {
    const verified = await verifyJournal(target(), journal);
    await Promise.all(watches.map((watch) => watch.stop()));
    const warmResponses = watches.reduce((sum, watch) => sum + watch.responses, 0);
    expect(warmResponses).toBeGreaterThan(0);
    const results = await Promise.all(cluster.instances.map((instance) => instance.stop()));
    const lastLines = ({ stdout }: CommandResult) => stdout.split('\n').slice(-4);
    expect(results.filter(({ code, stderr }) => code !== 0 || stderr !== '').map(lastLines)).toEqual([]);
    const log = cluster.instances.flatMap((instance) => instance.log().split('\n'));
    const statuses = log.map((line) => /"status":(\d+)/.exec(line)?.[1]);
    const count = (status: string) => statuses.filter((each) => each === status).length;
    // 404 and 409 are allowed: writers also change presets that are missing or archived.
    expect(statuses.filter((status) => status === '403' || status === '500')).toEqual([]);
    // Fewer if an instance was killed before it wrote its log.
    expect(count('401')).toBeLessThanOrEqual(sessions.refusals);
    const errors = log.filter((line) => /"level":[56]0/.test(line));
    expect(errors.filter((line) => !line.includes('The database is not responding'))).toEqual([]);
    logProgress(`${cluster.balancer.name}; ${JSON.stringify(verified)}; ${JSON.stringify(journal.counts)}`);
    logProgress(
      `${warmResponses} warm responses, ${unexpected.length} unexpected; ${count('200')} × 200, ${count('503')} × 503, ${count('401')} × 401`,
    );
    for (const [name, times] of Object.entries(recoveries))
      logProgress(`writable after ${name}: ${summary(times)}`);
    if (isLong) for (const ms of Object.values(recoveries).flat()) expect(ms).toBeLessThan(5_000);
  });
});

const cuts = [
  { how: 'silent', lost: true },
  { how: 'reset', lost: false },
  { how: 'silent', lost: false },
] as const;

function summary(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  return `median ${sorted[Math.floor(sorted.length / 2)]} ms, worst ${sorted.at(-1)} ms of ${sorted.length}`;
}

function rotated<T>(list: readonly T[]): T[] {
  const first = random.below(list.length);
  return [...list.slice(first), ...list.slice(0, first)];
}

/** Puts the preset into the caches of this instance. */
async function warmUp({ url }: Instance): Promise<void> {
  await untilSuccessful(() => read(url, 'warm'));
  await untilSuccessful(() => call(url, 'warm'));
}

/** Without its database, an instance returns 503 for everything that is not cached. */
async function checkOutage({ url }: Instance, coldKey: string): Promise<void> {
  const startedAt = performance.now();
  const responses = await Promise.all([
    create(url, 'probe'),
    rename(url, 'renamed', 'Never'),
    // An outage must not turn an uncached key into a 401.
    read(url, 'warm', coldKey),
    read(url, 'warm', 'a-key-that-does-not-exist'),
    read(url, 'cold'),
    call(url, 'cold'),
  ]);
  for (const response of responses) await expectUnavailable(response);
  expect(performance.now() - startedAt).toBeLessThan(databaseTimeoutMs * scale(10, 1.5));
}

async function expectUnavailable(response: Response): Promise<void> {
  const text = await response.text();
  expect([response.status, text]).toEqual([503, expect.stringContaining('The database is not responding')]);
  expect(response.headers.get('retry-after')).toBe('1');
}

/** Retries until the request succeeds. Returns the duration of each attempt in milliseconds. */
async function untilSuccessful(send: () => Promise<Response>): Promise<readonly number[]> {
  const attempts: number[] = [];
  for (;;) {
    const startedAt = performance.now();
    const response = await send();
    attempts.push(Math.round(performance.now() - startedAt));
    if (response.status !== 200) await expectUnavailable(response);
    else return attempts;
    await delay(50);
  }
}

async function createKey(url: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'cold' }),
  });
  const { key } = (await response.json()) as { key: string };
  expect(key).toMatch(/^sk-/);
  return key;
}

/** Waits until no statement is running, and no instance or server has leaked a connection. */
async function waitUntilIdle({ primary, instances }: Cluster): Promise<void> {
  const count = async (state: string) => {
    const [row] = await primary.sql(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'presetd' AND ${state}`,
    );
    return Number(row?.count);
  };
  await until(async () => (await count(`state <> 'idle'`)) === 0, 'statements of presetd are still running');
  await until(
    async () => (await count('true')) <= instances.length * poolSize,
    'the database still has leaked connections',
  );
  const open = () => instances.map((instance) => instance.openSockets());
  const total = () => open().reduce((sum, each) => sum + each, 0);
  let known = 0;
  await until(
    async () => {
      known = await count('true');
      return total() <= known;
    },
    () => `presetd has ${open().join(' + ')} open connections, but the database only has ${known}`,
  );
}
