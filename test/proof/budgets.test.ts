import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, Client, type Dispatcher, request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leaseMs } from '../../src/core/budgets/lease.ts';
import { createWorkingDirectory } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { createRandom } from '../support/random.ts';
import { managementKey } from '../support/server.ts';
import { writeUpstreams } from '../support/upstream-file.ts';
import { until } from './cluster/until.ts';
import { type CountingUpstream, inTokens, prices, startCountingUpstream } from './counting-upstream.ts';
import { type KillableServer, startKillable } from './killable-server.ts';
import { isLong, logProgress, scale } from './scale.ts';

/** All amounts are tokens of output. */
const callMax = 100;
const firstLimit = scale(10_000, 40_000);
/** What the limit of the key is raised by in each round. */
const raise = scale(3_000, 10_000);
const rounds = scale(4, 20);
const callers = scale(40, 200);

/** How many workers each server has. SQLite has one server. */
const workers = { sqlite: [scale(3, 8)], postgres: [scale(2, 4), scale(2, 4)] };

/** A dead process may have leased this beyond what its calls may cost. */
const sliceMax = (limit: number) => Math.max(limit / 100, callMax);

/** By then, everything is counted that dead processes had leased. */
const writtenOffMs = 2 * leaseMs;

describe.each(engines)('the limit of a key on %s', (engine) => {
  const directory = createWorkingDirectory();
  let database: TestDatabase;
  let upstream: CountingUpstream;
  let upstreamFile: ReturnType<typeof writeUpstreams>;
  let servers: Server[];
  let key: LimitedKey;
  const random = createRandom(20_261_119);

  beforeEach(async () => {
    database = await createDatabase(engine);
    upstream = await startCountingUpstream(random);
    upstreamFile = writeUpstreams([
      { name: 'main', kind: 'openai-compatible', base_url: upstream.url, prices },
    ]);
    servers = workers[engine].map((count) => new Server(directory.path, count, environment()));
    // One after the other: the first one creates the tables.
    for (const server of servers) await server.start();
    upstream.limit = firstLimit;
    key = await createKey(servers, upstream.limit);
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await upstream.stop();
    upstreamFile.remove();
    await database.drop();
    directory.remove();
  });

  const environment = () => ({
    DATABASE_URL: database.url,
    PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    PRESETD_CONFIG: upstreamFile.path,
    PRESETD_RATE_LIMIT: '0',
  });

  it('holds while processes are killed, and almost all of it can be spent', {
    timeout: scale(600_000, 3_600_000),
  }, async () => {
    const calls = startCallers(callers, servers, key.secret);
    let processesKilled = 0;

    /** Kills a worker, or a server with all its workers. */
    async function killOne(): Promise<void> {
      const server = random.pick(servers);
      if (random.below(3) > 0) {
        await server.killWorker(random.below(100));
        processesKilled += 1;
        return;
      }
      processesKilled += server.workers;
      await server.kill();
      await server.start();
    }

    for (let round = 0; round < rounds; round += 1) {
      // In turns far from the limit and when it is used up.
      if (round % 2 === 0) await untilMore(() => calls.ended, random.below(raise / callMax));
      else await untilMore(() => calls.count(403), callers);
      await killOne();
      upstream.limit += raise;
      await key.setLimit(upstream.limit);
      expect(upstream.leastLeft).toBeGreaterThanOrEqual(0);
      logProgress(
        `${engine}: ${round + 1} kills, ${upstream.requests} calls, ${calls.counts()}, asked for ${upstream.asked} of ${upstream.limit}`,
      );
    }
    await calls.stop();
    const endedAt = performance.now();
    await until(() => upstream.inFlight === 0, 'calls do not end any more');
    // 502: this busy process has closed a connection to the upstream before a request arrived.
    expect(calls.statuses().filter((status) => ![200, 403, 500, 502].includes(status))).toEqual([]);

    // Live processes return their leases, and those of dead ones expire. In the short run, they do
    // so earlier; live processes still have time to renew theirs.
    if (!isLong) await database.transaction('UPDATE spending_leases SET expires_at = expires_at - 15000');
    const leased = async () => Number((await database.sql(sumOfLeases))[0]?.sum ?? 0);
    await expect.poll(leased, { timeout: writtenOffMs, interval: 250 }).toBe(0);
    const waitedMs = Math.round(performance.now() - endedAt);

    // Everything that was spent counts, and little else.
    const { usage, left } = await key.read();
    const lost = usage - upstream.asked;
    const lostMax = calls.interrupted + processesKilled * sliceMax(upstream.limit);
    logProgress(
      `${engine}: ${processesKilled} processes killed; ${upstream.requests} calls, at most ${upstream.inFlightMax} at once, ${calls.counts()}; limit ${upstream.limit}, at least ${upstream.leastLeft} left; spent ${upstream.asked}, counted ${usage} after ${waitedMs} ms; lost ${lost} of at most ${lostMax}`,
    );
    expect(lost).toBeGreaterThanOrEqual(0);
    expect(lost).toBeLessThanOrEqual(lostMax);
    expect(left).toBeCloseTo(upstream.limit - usage);

    await restart();
    expect(await key.read()).toEqual({ usage, left });
    const rest = Math.floor(left);
    await spend(rest);
    // At once: the cost of the last call is not reported yet.
    await restart();
    expect((await key.read()).usage).toBeCloseTo(usage + rest);
    expect(await send(random.pick(servers).url, key.secret, 1)).toBe(403);
    expect(upstream.leastLeft).toBeGreaterThanOrEqual(0);
  });

  async function restart(): Promise<void> {
    for (const server of servers) await server.stop();
    for (const server of servers) await server.start();
  }

  /** Spends all that is left. */
  async function spend(left: number): Promise<void> {
    upstream.costsMost = true;
    const { url } = random.pick(servers);
    // One connection, and so one process: others would keep a part of the rest for ten seconds.
    const dispatcher = new Client(url);
    const call = (tokens: number) => send(url, key.secret, tokens, { dispatcher });
    expect(await call(left + 1)).toBe(403);
    const size = Math.ceil(left / 20);
    for (let rest = left; rest > 0; rest -= size) expect(await call(Math.min(rest, size))).toBe(200);
    await dispatcher.close();
  }
});

describe.runIf(engines.includes('postgres'))('the limit of a key while PostgreSQL is away', () => {
  it('holds: a process spends what it has leased, and reports it afterwards', async () => {
    const directory = createWorkingDirectory();
    const database = await createDatabase('postgres');
    const far = new URL(database.url);
    const link = await startFaultProxy(Number(far.port));
    far.port = String(link.port);
    const upstream = await startCountingUpstream(createRandom(11));
    upstream.limit = 100_000;
    const upstreamFile = writeUpstreams([
      { name: 'main', kind: 'openai-compatible', base_url: upstream.url, prices },
    ]);
    const environment = {
      PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
      PRESETD_CONFIG: upstreamFile.path,
      PRESETD_RATE_LIMIT: '0',
      PRESETD_DATABASE_TIMEOUT_MS: '1000',
    };
    /** It still reaches the database, and counts leases of processes that are silent. */
    const near = new Server(directory.path, 1, { ...environment, DATABASE_URL: database.url });
    const cutOff = new Server(directory.path, 1, { ...environment, DATABASE_URL: far.href });
    for (const server of [near, cutOff]) await server.start();
    const key = await createKey([near], upstream.limit);
    const state = async () => {
      const [row] = await database.sql(
        `SELECT total, written_off, coalesce((${sumOfLeases}), 0) AS leased FROM spending`,
      );
      return {
        total: inTokensOfNanos(row?.total),
        writtenOff: inTokensOfNanos(row?.written_off),
        leased: inTokensOfNanos(row?.leased),
      };
    };

    const calls = startCallers(20, [cutOff], key.secret);
    await untilMore(() => calls.count(200), 100);
    link.cut('silent');
    const [before, requestsBefore] = [await state(), upstream.requests];
    await untilMore(() => calls.count(503), 100);
    if (isLong) await until(async () => (await state()).writtenOff > 0, 'the lease is not written off');
    await calls.stop();
    await until(() => upstream.inFlight === 0, 'calls do not end any more');
    const away = await state();
    logProgress(
      `away: ${JSON.stringify({ before, away })}, asked for ${upstream.asked}, ${upstream.requests - requestsBefore} calls, ${calls.counts()}`,
    );
    expect(upstream.requests).toBeGreaterThan(requestsBefore);
    expect(upstream.asked).toBeGreaterThan(before.total);
    expect(upstream.asked).toBeLessThanOrEqual(away.total + away.leased);
    expect(away.total + away.leased).toBeLessThan(upstream.limit / 2);

    link.heal({ loseConnections: true });
    const spent = { total: upstream.asked, writtenOff: 0, leased: 0 };
    await expect.poll(state).toEqual(spent);
    expect(await key.read()).toEqual({ usage: spent.total, left: upstream.limit - spent.total });
    expect(calls.statuses().filter((status) => ![200, 500, 503].includes(status))).toEqual([]);

    for (const server of [near, cutOff]) await server.stop();
    await link.stop();
    await upstream.stop();
    upstreamFile.remove();
    await database.drop();
    directory.remove();
  });
});

const inTokensOfNanos = (nanos: unknown) => Number(nanos) / 1_000_000;

/** Waits until a number has grown. */
async function untilMore(number: () => number, growth: number): Promise<void> {
  const goal = number() + growth;
  await until(() => number() >= goal, 'calls do not end any more');
}

const sumOfLeases = 'SELECT sum(nanos) AS sum FROM spending_leases';

/** A server with workers, which is killed and restarted. */
class Server {
  readonly workers: number;
  readonly #folder: string;
  readonly #environment: Readonly<Record<string, string>>;
  #process: KillableServer | undefined;
  #url = '';

  constructor(folder: string, workers: number, environment: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.workers = workers;
    this.#environment = { PRESETD_WORKERS: String(workers), ...environment };
  }

  get url(): string {
    return this.#url;
  }

  get isUp(): boolean {
    return this.#process !== undefined;
  }

  async start(): Promise<void> {
    const starting = startKillable(this.#folder, { environment: this.#environment });
    this.#url = await starting.url;
    this.#process = starting;
  }

  async kill(): Promise<void> {
    const killed = this.#process;
    this.#process = undefined;
    await killed?.kill();
  }

  async stop(): Promise<void> {
    const stopped = this.#process;
    this.#process = undefined;
    const { code, stdout = '' } = (await stopped?.stop()) ?? {};
    expect([code, stdout.split('\n').slice(-20)]).toEqual([0, expect.any(Array)]);
  }

  /** Its supervisor starts another one. */
  async killWorker(choice: number): Promise<void> {
    const pids = () =>
      execFileSync('pgrep', ['-P', String(this.#process?.pid)], { encoding: 'utf8' })
        .trim()
        .split(/\s+/);
    await until(() => pids().length === this.workers, 'the supervisor does not replace its workers');
    process.kill(Number(pids()[choice % this.workers]), 'SIGKILL');
  }
}

interface LimitedKey {
  readonly secret: string;
  setLimit(tokens: number): Promise<void>;
  read(): Promise<{ readonly usage: number; readonly left: number }>;
}

async function createKey(servers: readonly Server[], limit: number): Promise<LimitedKey> {
  const manage = async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => {
    const response = await untilConnected(() =>
      request(`${servers[0]?.url}/api/v1/keys${path}`, {
        dispatcher: oneRequestPerConnection,
        method,
        headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.body.text();
    expect([response.statusCode, text]).toEqual([method === 'POST' ? 201 : 200, expect.any(String)]);
    return JSON.parse(text) as { key: string; data: KeyData };
  };
  const { key, data } = await manage('POST', '', { name: 'limited', scope: 'call', limit: limit / 1_000 });
  const path = `/${data.hash}`;
  return {
    secret: key,
    setLimit: async (tokens) => void (await manage('PATCH', path, { limit: tokens / 1_000 })),
    async read() {
      const { usage, limit_remaining: left } = (await manage('GET', path)).data;
      return { usage: inTokens(usage), left: inTokens(left) };
    },
  };
}

/** A connection to a worker that was just killed is reset. */
async function untilConnected<T>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch {
      await delay(20);
    }
  }
}

interface KeyData {
  readonly hash: string;
  readonly usage: number;
  readonly limit_remaining: number;
}

/** Calls without a pause, until they are stopped. A caller that was refused pauses. */
function startCallers(count: number, servers: readonly Server[], secret: string) {
  const random = createRandom(7);
  const statuses = new Map<number | string, number>();
  let isStopped = false;
  const state = {
    ended: 0,
    /** What the calls may have cost whose connection was lost. */
    interrupted: 0,
    statuses: () => [...statuses.keys()].filter((status) => typeof status === 'number'),
    count: (status: number) => statuses.get(status) ?? 0,
    counts: () => [...statuses].map(([status, times]) => `${times} × ${status}`).join(', '),
    async stop() {
      isStopped = true;
      await Promise.all(running);
    },
  };
  async function call(): Promise<void> {
    const up = servers.filter(({ isUp }) => isUp);
    if (up.length === 0) {
      await delay(20);
      return;
    }
    const most = 1 + random.below(callMax);
    let status: number | string;
    try {
      status = await send(random.pick(up).url, secret, most, { stream: random.below(2) === 0 });
    } catch (error) {
      const { code, name } = error as NodeJS.ErrnoException;
      status = code ?? name;
      if (code !== 'ECONNREFUSED') state.interrupted += most;
    }
    state.ended += 1;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status !== 200) await delay(100);
  }
  const running = Array.from({ length: count }, async () => {
    while (!isStopped) await call();
  });
  return state;
}

/** The kernel spreads them over all workers. */
const oneRequestPerConnection = new Agent({ pipelining: 0 });

interface SendOptions {
  readonly stream?: boolean;
  readonly dispatcher?: Dispatcher;
}

async function send(
  url: string,
  secret: string,
  most: number,
  { stream = false, dispatcher = oneRequestPerConnection }: SendOptions = {},
): Promise<number> {
  const response = await request(`${url}/api/v1/chat/completions`, {
    dispatcher,
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'm',
      stream,
      max_tokens: most,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  });
  await response.body.dump({ limit: 1_000_000 });
  return response.statusCode;
}
