import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { firstIdAt, parseGenerationId } from '../../src/core/ledger/call-record.ts';
import { deleteOldCalls } from '../../src/core/ledger/delete-old-calls.ts';
import { resolutions } from '../../src/core/ledger/rollup.ts';
import { callIdAt, callRecord } from '../support/call-records.ts';
import { createWorkingDirectory } from '../support/command.ts';
import { createDatabase, createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { createPresetStorage, type PresetStorage } from '../support/preset-storage.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, startServerOn } from '../support/server.ts';
import { writeUpstreams } from '../support/upstream-file.ts';
import { respondInDialect } from '../support/upstream-scripts.ts';
import { pathOf } from '../support/wire/recordings.ts';
import { until } from './cluster/until.ts';
import { type KillableServer, startKillable } from './killable-server.ts';
import { scale } from './scale.ts';

/** A crash may lose the calls that ended in this time before it. */
const lostMs = 1_000;

describe.each(engines)('the ledger of a server on %s', (engine) => {
  const directory = createWorkingDirectory();
  let database: TestDatabase;
  let upstream: ScriptedUpstream;
  let upstreams: ReturnType<typeof writeUpstreams>;
  let server: KillableServer;
  /** When the response of each call ended, by the id of the call. */
  const ended = new Map<string, number>();

  beforeEach(async () => {
    ended.clear();
    database = await createDatabase(engine);
    upstream = await startScriptedUpstream();
    upstream.respondAlways(respondInDialect);
    const prices = { '*': { input_per_million: 3, output_per_million: 15 } };
    upstreams = writeUpstreams([{ name: 'main', kind: 'openai-compatible', base_url: upstream.url, prices }]);
  });
  afterEach(async () => {
    await server?.kill();
    await upstream.stop();
    await database.drop();
    upstreams.remove();
  });
  afterAll(() => directory.remove());

  async function start(): Promise<string> {
    server = startKillable(directory.path, {
      environment: {
        DATABASE_URL: database.url,
        PRESETD_BOOTSTRAP_API_KEY: apiKey,
        PRESETD_CONFIG: upstreams.path,
        PRESETD_RATE_LIMIT: '0',
      },
    });
    return server.url;
  }

  /** Clients that call one after the other until the server is gone. */
  function startClients(url: string) {
    let isStopped = false;
    const client = async (number: number) => {
      for (let call = number; !isStopped; call += 1) {
        try {
          const response = await fetch(`${url}/api/v1${pathOf['chat-completions']}`, {
            method: 'POST',
            headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
            body: JSON.stringify({
              model: `m-${call % 3}`,
              stream: call % 2 === 0,
              messages: [{ role: 'user', content: 'Hi' }],
            }),
          });
          await response.text();
          const id = parseGenerationId(response.headers.get('x-generation-id') ?? '');
          if (response.status === 200 && id !== undefined) ended.set(id, performance.now());
        } catch {
          // The server was killed, or does not accept connections any more.
          await delay(5);
        }
      }
    };
    const clients = Array.from({ length: 4 }, (_, number) => client(number));
    return async () => {
      isStopped = true;
      await Promise.all(clients);
    };
  }

  const untilEnded = (count: number) => {
    const goal = ended.size + count;
    return until(() => ended.size >= goal, 'calls are no longer answered');
  };

  async function storedIds(): Promise<ReadonlySet<string>> {
    return new Set((await database.sql('SELECT id FROM calls')).map(({ id }) => String(id)));
  }

  /** Every call is counted once, in the sums of hours and days and in the latencies. */
  async function expectSumsOfCalls(): Promise<void> {
    const columns = ['input_tokens', 'output_tokens', 'cost_nanos'];
    const sums = columns.map((column) => `sum(${column}) AS ${column}`).join(', ');
    const numbers = async (sql: string) =>
      Object.fromEntries(
        Object.entries((await database.sql(sql))[0] ?? {}).map(([name, sum]) => [name, Number(sum)]),
      );
    const calls = await numbers(`SELECT count(*) AS calls, ${sums} FROM calls`);
    expect(calls.cost_nanos).toBeGreaterThan(0);
    for (const resolution of resolutions) {
      expect(
        await numbers(
          `SELECT sum(calls) AS calls, ${sums} FROM call_totals WHERE resolution = ${resolution}`,
        ),
      ).toEqual(calls);
      const rows = await database.sql(`SELECT durations FROM call_totals WHERE resolution = ${resolution}`);
      // Each bucket is two letters and the number of its calls, if there are several.
      const buckets = rows.flatMap(({ durations }) => [...String(durations).matchAll(/[a-z]{2}(\d*)/gi)]);
      expect(buckets.reduce((sum, [, count]) => sum + Number(count || 1), 0)).toBe(calls.calls);
    }
  }

  it('killed under load, it has each call that ended more than a second before exactly once', {
    timeout: scale(120_000, 1_200_000),
  }, async () => {
    for (let kill = 0; kill < scale(2, 20); kill += 1) {
      const stopClients = startClients(await start());
      await untilEnded(100);
      // Long enough that some calls must be stored, and others wait.
      await delay(1_100 + 37 * kill);
      const killedAt = performance.now();
      await server.kill();
      await stopClients();
      const stored = await storedIds();
      const durable = [...ended].filter(([, at]) => at < killedAt - lostMs).map(([id]) => id);
      expect(durable.length).toBeGreaterThan(50);
      expect(durable.filter((id) => !stored.has(id))).toEqual([]);
      await expectSumsOfCalls();
      // The next crash is about its own calls.
      ended.clear();
    }
  });

  it('stopped in an orderly way under load, it has every call that was answered', async () => {
    const stopClients = startClients(await start());
    await untilEnded(200);
    expect((await server.stop()).code).toBe(0);
    await stopClients();
    const stored = await storedIds();
    expect([...ended.keys()].filter((id) => !stored.has(id))).toEqual([]);
    expect(stored.size).toBe(ended.size);
    await expectSumsOfCalls();
  });
});

/** Takes the database away from a server, until the returned function brings it back. */
interface Outage {
  readonly url: string;
  begin(): Promise<() => Promise<void>>;
  end(): Promise<void>;
}

/** The network fails. */
async function postgresOutage(database: TestDatabase): Promise<Outage> {
  const far = new URL(database.url);
  const proxy = await startFaultProxy(Number(far.port));
  far.port = String(proxy.port);
  return {
    url: far.href,
    async begin() {
      proxy.cut('reset');
      return async () => proxy.heal();
    },
    end: () => proxy.stop(),
  };
}

/** Another process locks the file and does not finish. */
async function sqliteOutage(database: TestDatabase): Promise<Outage> {
  const connection = new DatabaseSync(database.url.slice('sqlite:'.length));
  return {
    url: database.url,
    async begin() {
      connection.exec('BEGIN IMMEDIATE');
      return async () => connection.exec('ROLLBACK');
    },
    end: async () => connection.close(),
  };
}

describe.each(engines)('the ledger while %s is away', (engine) => {
  it('keeps records up to its limit, writes them afterwards, and counts those that it drops', async () => {
    const database = await createMigratedDatabase(engine);
    const outage = await (engine === 'postgres' ? postgresOutage(database) : sqliteOutage(database));
    const upstream = await startScriptedUpstream();
    upstream.respondAlways(respondInDialect);
    const { path, remove } = writeUpstreams([
      { name: 'main', kind: 'openai-compatible', base_url: upstream.url },
    ]);
    const server = await startServerOn(
      { ...database, url: outage.url },
      {
        PRESETD_CONFIG: path,
        PRESETD_METRICS_PORT: '0',
        PRESETD_USAGE_BACKLOG: '1000',
        PRESETD_DATABASE_TIMEOUT_MS: '500',
      },
    );
    remove();
    const call = async () => {
      const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
      const response = await server.post('/api/v1/chat/completions', request);
      expect(response.status).toBe(200);
      return parseGenerationId(response.headers.get('x-generation-id') ?? '');
    };
    const stored = async () =>
      (await database.sql('SELECT id FROM calls ORDER BY id')).map(({ id }) => String(id));
    const dropped = async () => {
      const text = await (await fetch(`${server.metricsUrl}/metrics`)).text();
      return Number(/^presetd_usage_records_dropped_total (\d+)$/m.exec(text)?.[1] ?? 0);
    };
    const warnings = () => server.log.filter((line) => line.includes('could not store the usage of calls'));

    const before = await call();
    await expect.poll(stored).toEqual([before]);
    const comeBack = await outage.begin();
    const during: (string | undefined)[] = [];
    while (during.length < 1_030) during.push(...(await Promise.all(Array.from({ length: 10 }, call))));
    await expect.poll(warnings).not.toEqual([]);
    await comeBack();
    await expect.poll(async () => (await stored()).length).toBe(1_001);
    expect((await stored()).filter((id) => id !== before && !during.includes(id))).toEqual([]);
    expect(await dropped()).toBe(30);
    for (const line of warnings()) expect(JSON.parse(line).waiting).toBeLessThanOrEqual(1_000);
    const after = await call();
    await expect.poll(stored).toContain(after);

    await server.stop();
    await outage.end();
    await upstream.stop();
    await database.drop();
  });
});

describe.each(engines)('the retention of calls on %s', (engine) => {
  let preset: PresetStorage;
  beforeEach(async () => {
    preset = await createPresetStorage(engine);
  });
  afterEach(() => preset.close());

  const now = Date.parse('2026-11-18T12:00:00Z');
  const dayMs = 86_400_000;
  const write = (ms: number, count: number) => {
    const calls = Array.from({ length: count }, () => callRecord(preset.workspace, { id: callIdAt(ms) }));
    return preset.storage.ledger.write({ id: newId(), calls }, true);
  };
  const countOf = async (from: string) => {
    const [row] = await preset.database.sql(`SELECT ${from}`);
    return Number(row?.count);
  };

  it('old calls are deleted in small pieces, and new ones are written in between', async () => {
    for (let batch = 0; batch < 15; batch += 1) await write(now - 91 * dayMs, 200);
    await write(now - 89 * dayMs, 10);
    const { ledger } = preset.storage;
    const order: ('deleted' | 'written')[] = [];
    let isDone = false;
    const deleting = deleteOldCalls(
      {
        ...ledger,
        async deleteCallsBefore(id, limit) {
          const count = await ledger.deleteCallsBefore(id, limit);
          expect(count).toBeLessThanOrEqual(500);
          order.push('deleted');
          return count;
        },
      },
      90,
      now,
    ).finally(() => {
      isDone = true;
    });
    let written = 0;
    while (!isDone) {
      await write(now, 20);
      written += 20;
      order.push('written');
    }
    await deleting;
    // 3,000 calls, and the piece that finds no more.
    expect(order.filter((step) => step === 'deleted')).toHaveLength(7);
    // On SQLite, which has one writer, a write waits for one piece and not for all of them.
    if (engine === 'sqlite') expect(order.join(' ')).not.toContain('deleted deleted deleted');
    expect(await countOf('count(*) AS count FROM calls')).toBe(10 + written);
    expect(await countOf('sum(calls) AS count FROM call_totals WHERE resolution = 24')).toBe(3_010 + written);
  });

  it.runIf(engine === 'postgres')('a piece that is not committed yet blocks no write', async () => {
    await write(now - 91 * dayMs, 200);
    const connection = new pg.Client({ connectionString: preset.database.url });
    await connection.connect();
    await connection.query('BEGIN');
    await connection.query(`DELETE FROM calls WHERE id < '${firstIdAt(now - 90 * dayMs)}'`);
    // Also to the sums of the calls that are being deleted.
    await write(now, 20);
    await write(now - 91 * dayMs, 20);
    expect(await countOf('count(*) AS count FROM calls')).toBe(240);
    await connection.query('COMMIT');
    await connection.end();
    expect(await countOf('count(*) AS count FROM calls')).toBe(40);
  });
});
