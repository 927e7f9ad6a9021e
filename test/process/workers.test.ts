import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'undici';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { canReusePort } from '../../src/cluster/listen.ts';
import {
  checkout,
  createWorkingDirectory,
  type ServerProcess,
  spawnCommand,
  startCommand,
  startServerProcess,
} from '../support/command.ts';
import { freePort } from '../support/postgres-server.ts';
import { runCommand } from '../support/run-command.ts';

const apiKey = 'api-key-of-the-workers';
const managementKey = 'management-key-of-the-workers';

let directory: ReturnType<typeof createWorkingDirectory>;
let server: ServerProcess | undefined;
let clients: Client[] = [];
beforeEach(() => {
  directory = createWorkingDirectory();
});
afterEach(async () => {
  for (const client of clients) await client.destroy();
  clients = [];
  if (server?.process.exitCode === null && server.process.signalCode === null) await server.stop();
  server = undefined;
  directory.remove();
});

const twoWorkers = {
  PRESETD_WORKERS: '2',
  PRESETD_BOOTSTRAP_API_KEY: apiKey,
  PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
};

async function start(environment: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  server = await startServerProcess(directory.path, { ...twoWorkers, ...environment });
  return server;
}

interface ApiResponse {
  readonly status: number;
  readonly body: { data?: Record<string, unknown> } & Record<string, unknown>;
}

type Send = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  options?: SendOptions,
) => Promise<ApiResponse>;

interface SendOptions {
  readonly key?: string;
  readonly body?: unknown;
  /** The request ID, to find the request in the log. */
  readonly id?: string;
  readonly isDryRun?: boolean;
}

/** Sends over one kept-alive connection, and so to one worker. */
function connection({ url }: ServerProcess): Send {
  const client = new Client(url);
  clients.push(client);
  return async (method, path, { key = apiKey, body, id, isDryRun = false } = {}) => {
    const response = await client.request({
      method,
      path: `/api/v1${path}`,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(id !== undefined && { 'x-request-id': id }),
        ...(isDryRun && { 'x-presetd-dry-run': 'true' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    return { status: response.statusCode, body: text === '' ? {} : JSON.parse(text) };
  };
}

const connectionsTried = 16;

/**
 * Connections to two different workers, with their process IDs. The kernel distributes connections,
 * so it takes several to reach both.
 */
async function twoConnections(
  running: ServerProcess,
): Promise<readonly [Send, Send, readonly [number, number]]> {
  const connections = Array.from({ length: connectionsTried }, () => connection(running));
  for (const [index, send] of connections.entries())
    expect((await send('GET', '/key', { id: `connection-${index}` })).status).toBe(200);
  const workerOf = (index: number) =>
    logged(running).find(({ reqId }) => reqId === `connection-${index}`)?.pid;
  await expect.poll(() => connections.map((_send, index) => workerOf(index))).not.toContain(undefined);
  const other = connections.findIndex((_send, index) => workerOf(index) !== workerOf(0));
  const [one, two] = [connections[0], connections[other]];
  if (one === undefined || two === undefined) throw new Error('one worker got all connections');
  return [one, two, [Number(workerOf(0)), Number(workerOf(other))]];
}

const versionIn = ({ data }: ApiResponse['body']) =>
  (data as { designated_version: { version: number } }).designated_version.version;

const chat = (text: string) => ({ model: 'm', messages: [{ role: 'system', content: text }] });

/** The upstream that the worker at this connection would call. */
async function upstreamOf(send: Send): Promise<unknown> {
  return (await send('POST', '/chat/completions', { body: chat('x'), isDryRun: true })).body.data?.upstream;
}

function writeUpstream(file: string, name: string): void {
  const upstream = { name, kind: 'openai-compatible', base_url: 'http://127.0.0.1:9' };
  writeFileSync(file, JSON.stringify({ upstreams: [upstream] }));
}

interface LogLine {
  readonly pid?: number;
  readonly msg?: string;
  readonly reqId?: string;
}

function logged(running: ServerProcess): readonly LogLine[] {
  const lines = running.stdout().split('\n').slice(0, -1);
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as LogLine);
}

/** Waits until that many workers have logged that they listen. */
async function workersOf(running: ServerProcess, count = 2): Promise<readonly number[]> {
  await expect.poll(() => listening(running)).toHaveLength(count);
  return listening(running);
}

function listening(running: ServerProcess): readonly number[] {
  return logged(running).flatMap(({ msg, pid }) => (msg?.startsWith('Server listening') && pid ? [pid] : []));
}

function killWorker([pid]: readonly number[]): void {
  // Without a process ID, the signal would go to this process.
  if (pid === undefined) throw new Error('there is no worker');
  process.kill(pid, 'SIGKILL');
}

/** The state that `ps` prints: Z for a process that has ended before its parent noticed. */
const stateOf = (pid: number) => execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });

const childrenOf = ({ process: { pid } }: ServerProcess) =>
  execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/)
    .map(Number);

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it('workers that are stopped during their first start still print the first keys', async () => {
  const {
    process: child,
    output,
    finished,
  } = startCommand(['serve', '--workers', '2'], directory.path, {
    PORT: '0',
  });
  child.stdout.on('data', () => {
    if (output.stdout.includes('Server listening')) child.kill('SIGTERM');
  });
  const { code, stdout } = await finished;
  expect([code, stdout.match(/sk-pst-v1-[0-9a-f]{64}/g)]).toEqual([
    0,
    [expect.any(String), expect.any(String)],
  ]);
});

// The file that workers share and their signals are the same on every engine. Numbering on
// PostgreSQL does not depend on processes: test/contract/concurrent-changes.test.ts.
describe('two workers', () => {
  let shared: ServerProcess;
  let upstreamFile: string;
  beforeAll(async () => {
    const { path } = createWorkingDirectory();
    upstreamFile = join(path, 'presetd.yaml');
    writeUpstream(upstreamFile, 'first');
    shared = await startServerProcess(path, { ...twoWorkers, PRESETD_CONFIG: upstreamFile });
  });

  it('workers number versions without gaps, and see the writes of others at once', async () => {
    const connections = Array.from({ length: 8 }, () => connection(shared));
    const numbers = await Promise.all(
      connections.map(async (send) => {
        const own: number[] = [];
        for (let count = 0; count < 8; count += 1) {
          const { status, body } = await send('POST', '/presets/shared/chat/completions', {
            body: chat('x'),
          });
          expect(status).toBe(200);
          own.push(versionIn(body));
        }
        return own;
      }),
    );
    const sorted = numbers.flat().toSorted((a, b) => a - b);
    expect(sorted).toEqual(Array.from({ length: 64 }, (_, index) => index + 1));

    const [one, other] = await twoConnections(shared);
    for (let round = 1; round <= 12; round += 1) {
      const [write, read] = round % 2 === 0 ? [one, other] : [other, one];
      await write('POST', '/presets/seen/chat/completions', { body: chat(`round ${round}`) });
      const { body } = await read('GET', '/presets/seen');
      expect(body.data).toMatchObject({ designated_version: { version: round } });
      await write('PATCH', '/presets/seen', { body: { name: `round ${round}` } });
      expect((await read('GET', '/presets/seen')).body.data).toMatchObject({ name: `round ${round}` });
    }
    await one('PUT', '/presets/seen/aliases/alias');
    for (let round = 1; round <= 6; round += 1) {
      const [write, read] = round % 2 === 0 ? [one, other] : [other, one];
      const slug = `seen-${round % 2}`;
      await write('PATCH', '/presets/alias', { body: { slug } });
      for (const name of ['alias', 'seen', slug])
        expect((await read('GET', `/presets/${name}`)).body.data).toMatchObject({ slug });
      const { body } = await write('POST', '/presets/alias/chat/completions', { body: chat('x') });
      expect((await read('GET', '/presets/alias')).body).toEqual(body);
    }
    for (let round = 1; round <= 4; round += 1) {
      const created = await one('POST', '/keys', { key: managementKey, body: { name: `key ${round}` } });
      const key = String(created.body.key);
      expect((await other('GET', '/key', { key })).status).toBe(200);
      const { hash } = created.body.data as { hash: string };
      expect((await one('DELETE', `/keys/${hash}`, { key: managementKey })).status).toBe(200);
      expect((await other('GET', '/key', { key })).status).toBe(401);
    }
  });

  it('signals reach all workers: SIGHUP reloads the upstreams, SIGTERM stops after in-flight requests', async () => {
    const workers = await workersOf(shared);
    const [one, other, [worker]] = await twoConnections(shared);
    for (const pid of [worker, Number(shared.process.pid)]) {
      writeUpstream(upstreamFile, `reloaded-by-${pid}`);
      process.kill(pid, 'SIGHUP');
      for (const send of [one, other]) await expect.poll(() => upstreamOf(send)).toBe(`reloaded-by-${pid}`);
    }
    const socket = connect(Number(new URL(shared.url).port), '127.0.0.1');
    const body = JSON.stringify(chat('late'));
    socket.write(
      `POST /api/v1/presets/late/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n{`,
    );
    // Both workers have responded since, so the first request has arrived.
    await twoConnections(shared);
    shared.process.kill('SIGTERM');
    await expect.poll(() => logged(shared).filter(({ msg }) => msg?.startsWith('stopping')).length).toBe(3);
    socket.write(body.slice(1));
    const [chunk] = await once(socket, 'data');
    expect(String(chunk)).toMatch(/^HTTP\/1.1 200 /);
    const { code } = await shared.stop();
    expect(code).toBe(0);
    expect(workers.filter(isAlive)).toEqual([]);
  });
});

describe('a worker that dies', () => {
  it('a worker that dies while it writes does not block the others, and is replaced', async () => {
    const running = await start();
    const workers = await workersOf(running);
    const connections = Array.from({ length: 8 }, () => connection(running));
    const writing = connections.map(async (send, index) => {
      const responses: (ApiResponse | undefined)[] = [];
      for (let count = 0; count < 20; count += 1) {
        const path = `/presets/p${index}/chat/completions`;
        const response = await send('POST', path, { body: chat('x') }).catch(() => undefined);
        responses.push(response);
        // Like a client that retries: the system takes a moment to close the sockets of the worker.
        if (response === undefined) await setTimeout(50);
      }
      return responses;
    });
    killWorker(workers);
    for (const responses of await Promise.all(writing)) {
      expect(responses.filter((response) => response?.status !== 200).length).toBeLessThanOrEqual(2);
      expect(
        responses.filter((response) => response !== undefined).every(({ status }) => status === 200),
      ).toBe(true);
    }
    await workersOf(running, 3);
    expect(logged(running).map(({ msg }) => msg)).toContain('worker exited; starting another in 100 ms');
    killWorker(workers.slice(1));
    // Its replacement is still starting.
    await expect
      .poll(() => childrenOf(running).filter((pid) => !listening(running).includes(pid)))
      .toHaveLength(1);
    expect((await running.stop()).code).toBe(0);
  });

  it('a worker that dies before the supervisor notices harms no other, its successor has the same settings, and neither outlives a supervisor that is killed', async () => {
    const settingsFile = join(directory.path, '.env');
    writeFileSync(settingsFile, 'DATABASE_URL=sqlite:./first.db\n');
    const running = await start({ PRESETD_AUTH_FAILURE_LIMIT: '1000' });
    const [one, , [, other]] = await twoConnections(running);
    running.process.kill('SIGSTOP');
    // The stopped supervisor will forward this to the other worker once it continues.
    expect((await one('GET', '/key', { key: 'a-key-that-does-not-exist' })).status).toBe(401);
    killWorker([other]);
    await expect.poll(() => stateOf(other)).toMatch(/^Z/);
    const next = ['DATABASE_URL=sqlite:./next.db', 'PRESETD_METRICS_PORT=0', 'PRESETD_CONFIG=nowhere.yaml'];
    writeFileSync(settingsFile, next.join('\n'));
    running.process.kill('SIGCONT');
    await workersOf(running, 3);
    expect((await one('POST', '/presets/kept/chat/completions', { body: chat('x') })).status).toBe(200);
    for (let count = 0; count < connectionsTried; count += 1) {
      const send = connection(running);
      expect((await send('GET', '/presets/kept')).status).toBe(200);
      expect(await upstreamOf(send)).toBe('openrouter');
    }
    expect(logged(running).map(({ msg }) => msg)).not.toContain('serving metrics');

    const workers = childrenOf(running);
    expect(workers).toHaveLength(2);
    await running.stop('SIGKILL');
    await expect.poll(() => workers.filter(isAlive)).toEqual([]);
  });
});

describe('limits and metrics', () => {
  it('limits and metrics count all workers together', async () => {
    const running = await start({
      PRESETD_RATE_LIMIT: '30',
      PRESETD_AUTH_FAILURE_LIMIT: '3',
      PRESETD_METRICS_PORT: '0',
    });
    const [one, other, [worker]] = await twoConnections(running);
    const statuses: number[] = [];
    for (let count = 0; count < 10; count += 1)
      for (const send of [one, other]) statuses.push((await send('GET', '/key')).status);
    // The limit minus the requests that identified the worker of each connection.
    expect(statuses.filter((status) => status === 200)).toHaveLength(30 - connectionsTried);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20 - (30 - connectionsTried));

    const metricsUrl = /"url":"(\S+?\/metrics)"/.exec(running.stdout())?.[1] ?? '';
    const scrape = async () => (await fetch(metricsUrl)).text();
    const text = await scrape();
    const successes = (metrics: string) => /route="\/api\/v1\/key",status="200"} (\d+)/.exec(metrics)?.[1];
    expect(successes(text)).toBe('30');
    expect(text).toContain('presetd_http_requests_total{method="GET",route="/api/v1/key",status="429"} 6\n');
    expect(text).toMatch(/^presetd_build_info\{.*\} 1$/m);

    // A worker that hangs or has just died still gets some connections.
    const scrapeAny = () => Promise.any(Array.from({ length: connectionsTried }, scrape));
    process.kill(worker, 'SIGSTOP');
    const meanwhile = await scrapeAny();
    process.kill(worker, 'SIGCONT');
    expect(successes(meanwhile)).toBe('30');

    const key = 'a-key-that-does-not-exist';
    for (let count = 0; count < 3; count += 1) expect((await one('GET', '/key', { key })).status).toBe(401);
    await expect.poll(async () => (await other('GET', '/key', { key: managementKey })).status).toBe(429);

    const before = successes(await scrape());
    killWorker([worker]);
    expect(successes(await scrapeAny())).toBe(before);
    await workersOf(running, 3);
    expect(successes(await scrapeAny())).toBe(before);
  });
});

describe('a start that fails', () => {
  it('workers share a port with no other server: of two started on it at once, one fails', async () => {
    const PORT = String(await freePort());
    const starts = await Promise.allSettled([start({ PORT }), start({ PORT })]);
    const running = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    for (const each of running) await each.stop();
    expect(running).toHaveLength(1);
    const message = `listen EADDRINUSE: address already in use 127.0.0.1:${PORT}. Set HOST and PORT`;
    expect(starts).toContainEqual({
      status: 'rejected',
      reason: expect.objectContaining({ message: expect.stringContaining(message) }),
    });
  });

  it('a taken metrics port is reported the same way with and without workers', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const environment = { PORT: '0', PRESETD_METRICS_PORT: String(port) };
    const starts = [
      await runCommand(['serve', '--workers', '1'], directory.path, { LOG_LEVEL: 'warn', ...environment }),
      await spawnCommand(['serve', '--workers', '2'], directory.path, environment),
    ];
    const messages = starts.map(({ stderr }) => stderr);
    taken.close();
    const message = `presetd cannot run. PRESETD_METRICS_PORT cannot be used: listen EADDRINUSE: address already in use 127.0.0.1:${port}. Set it to a free port.\n`;
    expect(messages).toEqual([message, message]);
  });

  it('a start that fails in a worker is reported once', async () => {
    writeFileSync(join(directory.path, 'not-a-database.db'), 'text\n'.repeat(1_000));
    const environment = { PORT: '0', DATABASE_URL: 'sqlite:./not-a-database.db' };
    const { code, stderr } = await spawnCommand(['serve', '--workers', '2'], directory.path, environment);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^presetd cannot use its database .*\n$/);
  });

  it.runIf(canReusePort)('a start without enough open files names the limit to raise', async () => {
    const limited = ['ulimit -n 200 && exec "$0" "$@"', checkout.node, checkout.script, 'serve'];
    const shell = { node: 'sh', script: '-c' };
    const { code, stderr } = await spawnCommand(limited, directory.path, { PORT: '0' }, '', shell);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^presetd cannot listen: listen EMFILE.*\. Raise the limit on open files .*\n$/);
  });

  it.each(['many', ''])('an invalid --workers=%s is reported as an option', async (workers) => {
    const { code, stderr } = await runCommand(['serve', `--workers=${workers}`], directory.path);
    expect(code).toBe(2);
    expect(stderr).toContain("option '--workers <count>'");
    expect(stderr).toContain(`must be auto or a whole number from 1 to 512, not "${workers}"`);
  });
});
