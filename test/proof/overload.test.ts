import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkingDirectory, type ServerProcess, startServerProcess } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { writeUpstreams } from '../support/upstream-file.ts';
import { LoadClient, type LoadResult, percentile, requestBytes } from './load/open-loop.ts';
import { vitalSigns } from './load/vital-signs.ts';
import { isLong, logProgress, sampledEngines, scale } from './scale.ts';

const apiKey = 'api-key-of-the-overload';
const metricsToken = 'token-of-the-overload';

/** In little, a small server is too busy as soon as a big one in the long run. */
const underWayMax = scale(64, 1_024);
const connectionsMax = scale(600, 4_000);

/** What a server can do is measured badly in a moment, beside other tests: in little it is asked for more than it could ever do. */
const times = scale(10, 2);

const thinkingMs = scale(50, 250);
/** What an upstream is sent at once; as many again may wait. */
const callsAtOnce = scale(20, 200);

let directory: ReturnType<typeof createWorkingDirectory>;
let database: TestDatabase | undefined;
let upstream: SlowUpstream | undefined;
let server: ServerProcess | undefined;
let client: LoadClient | undefined;
beforeEach(() => {
  directory = createWorkingDirectory();
});
afterEach(async () => {
  client?.close();
  await server?.stop();
  upstream?.stop();
  await database?.drop();
  [client, server, upstream, database] = [undefined, undefined, undefined, undefined];
  directory.remove();
});

async function start(environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
  server = await startServerProcess(directory.path, {
    LOG_LEVEL: 'warn',
    PRESETD_BOOTSTRAP_API_KEY: apiKey,
    PRESETD_REQUESTS_UNDER_WAY: String(underWayMax),
    PRESETD_METRICS_TOKEN: metricsToken,
    ...environment,
  });
  return server;
}

const prompt = 'You answer customers of a shop, briefly and politely. '.repeat(30);
const create = (index: number) =>
  requestBytes(
    'POST',
    `/api/v1/presets/p-${index % 100}/chat/completions`,
    apiKey,
    JSON.stringify({ model: 'm', messages: [{ role: 'system', content: `${prompt}${index}` }] }),
  );
const call = (index: number) =>
  requestBytes(
    'POST',
    '/api/v1/chat/completions',
    apiKey,
    JSON.stringify({ model: `@preset/p-${index % 100}`, messages: [{ role: 'user', content: prompt }] }),
  );
const many = (make: (index: number) => Buffer, count: number) =>
  Array.from({ length: Math.round(count) }, (_, index) => make(index));

const withStatus = ({ shots }: LoadResult, status: number) => shots.filter((shot) => shot.status === status);

interface SlowUpstream {
  readonly url: string;
  stop(): void;
}

/** Thinks about each request, as models do. */
async function startSlowUpstream(): Promise<SlowUpstream> {
  const answer = JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 0,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: prompt }, finish_reason: 'stop' }],
  });
  const listener = createServer((request, response) => {
    const say = () => response.setHeader('content-type', 'application/json').end(answer);
    request.resume().once('end', () => setTimeout(say, thinkingMs));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/v1`,
    stop() {
      listener.close();
      listener.closeAllConnections();
    },
  };
}

/** Asks anew whether the server is alive, as a balancer does, until it is told to end; gives what each took. */
function watchHealth(url: string): () => Promise<readonly number[]> {
  const end = new AbortController();
  const asked: Promise<number>[] = [];
  const ask = async () => {
    const startedAt = performance.now();
    const response = await fetch(`${url}/healthz`, { headers: { connection: 'close' } });
    expect(response.status).toBe(200);
    return performance.now() - startedAt;
  };
  const asking = (async () => {
    while (!end.signal.aborted) {
      asked.push(ask());
      await delay(200);
    }
  })();
  return async () => {
    end.abort();
    await asking;
    return Promise.all(asked);
  };
}

/** How many it says it has shed, and how many answers were 503. */
async function countedBy({
  url,
}: ServerProcess): Promise<{ readonly shed: number; readonly answered: number }> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } });
  const text = await response.text();
  const sum = (line: RegExp) =>
    [...text.matchAll(line)].reduce((total, [, count]) => total + Number(count), 0);
  return {
    shed: sum(/^presetd_http_requests_shed_total(?:{})? (\d+)$/gm),
    answered: sum(/^presetd_http_requests_total{.*status="503".*} (\d+)$/gm),
  };
}

/**
 * Asks for a multiple of what the server has shown to be able to do, and then for half of it again. Gives whether the server counts
 * all that it refused as its own doing.
 */
async function overload(
  name: string,
  running: ServerProcess,
  make: (index: number) => Buffer,
  atOnce: number,
): Promise<boolean> {
  const pid = running.process.pid ?? 0;
  client = new LoadClient(running.url, connectionsMax);
  const warmUp = await client.inTurn(atOnce, many(make, scale(300, 20_000)));
  // The best of some: a machine or a disk that is slow for a moment says nothing of what a server can do.
  let capacity = 0;
  for (let time = 1; time <= scale(1, 4); time += 1) {
    const measured = await client.inTurn(atOnce, many(make, scale(300, 20_000)));
    expect(withStatus(measured, 200)).toHaveLength(measured.shots.length);
    capacity = Math.max(capacity, measured.shots.length / measured.seconds);
  }
  const seconds = scale(0.4, 10);
  const calm = await client.atRate(capacity / 2, many(make, (capacity / 2) * scale(0.5, 5)));
  const memory: number[] = [];
  let shedInAll = withStatus(warmUp, 503).length + withStatus(calm, 503).length;
  for (let round = 1; round <= scale(1, 5); round += 1) {
    const healthAsked = watchHealth(running.url);
    const stormy = await client.atRate(times * capacity, many(make, times * capacity * seconds));
    const served = withStatus(stormy, 200);
    const shed = withStatus(stormy, 503);
    const healthMs = Math.max(...(await healthAsked()));
    memory.push(vitalSigns(pid).residentMiB);
    shedInAll += shed.length;
    logProgress(
      `${name}: serves ${Math.round(capacity)}/s, p99 ${Math.round(percentile(calm.shots, 0.99))} ms at half of it; asked for ${times} times that: ` +
        `${Math.round(served.length / stormy.seconds)}/s served with p50 ${Math.round(percentile(served, 0.5))} ms, p99 ${Math.round(percentile(served, 0.99))} ms; ` +
        `${Math.round(shed.length / stormy.seconds)}/s shed with p99 ${Math.round(percentile(shed, 0.99))} ms; ` +
        `slowest health check ${Math.round(healthMs)} ms; ${memory.at(-1)} MiB`,
    );
    expect(stormy.lost).toBe(0);
    expect(served.length + shed.length).toBe(stormy.shots.length);
    expect(shed.length).toBeGreaterThan(0);
    expect(shed.every(({ head }) => /^retry-after: [1-3]\r?$/im.test(head))).toBe(true);
    // Refusing must not be all that it does.
    expect(served.length / stormy.seconds).toBeGreaterThan(capacity / scale(20, 4));
    // The line of those who are let in has an end, so their wait has one; it is not a matter of how long the storm lasts.
    expect(percentile(served, 0.99)).toBeLessThan(isLong ? 2_000 : 10_000);
    // A balancer gives up on those that do not say soon that they live.
    expect(healthMs).toBeLessThan(isLong ? 2_000 : 10_000);
  }
  const [first = 0, last = 0] = [memory[0], memory.at(-1)];
  expect(last).toBeLessThan(first * 1.3 + 64);
  const half = () => client?.atRate(capacity / 2, many(make, (capacity / 2) * scale(0.5, 5)));
  // It may take a second until it is noticed that the storm is over.
  let after = await half();
  for (let round = 0; round < 10 && after !== undefined && withStatus(after, 503).length > 0; round += 1) {
    shedInAll += withStatus(after, 503).length;
    after = await half();
  }
  assert(after !== undefined);
  logProgress(`${name}: afterwards p99 ${Math.round(percentile(after.shots, 0.99))} ms at half of it`);
  expect(withStatus(after, 200)).toHaveLength(after.shots.length);
  const counted = await countedBy(running);
  expect(counted.answered).toBe(shedInAll);
  return counted.shed === shedInAll;
}

describe(`${times} times as much as can be served`, () => {
  it.each(sampledEngines)('creates on %s: some are shed, the others have an answer soon', async (engine) => {
    database = await createDatabase(engine);
    const running = await start({ DATABASE_URL: database.url });
    expect(await overload(`creates on ${engine}`, running, create, 32)).toBe(true);
  });

  it('calls of a model that takes so many at once: as many again wait, the others are shed', async () => {
    upstream = await startSlowUpstream();
    const file = writeUpstreams([
      { name: 'slow', kind: 'openai-compatible', base_url: upstream.url, concurrency_max: callsAtOnce },
    ]);
    const running = await start({ PRESETD_CONFIG: file.path });
    file.remove();
    const first = new LoadClient(running.url, 8);
    await first.inTurn(8, many(create, 100));
    first.close();
    expect(await overload('calls of a model', running, call, callsAtOnce)).toBe(false);
  });
});
