import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkingDirectory, type ServerProcess, startServerProcess } from '../support/command.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { writeUpstreams } from '../support/upstream-file.ts';
import { LoadClient, type LoadResult, percentile, requestBytes } from './load/open-loop.ts';
import { vitalSigns } from './load/vital-signs.ts';
import { isLong, logProgress, sampledEngines, scale } from './scale.ts';

const apiKey = 'api-key-of-the-overload';
const metricsToken = 'token-of-the-overload';

/** The short run lowers the limits, so that a small load is enough to exceed them. */
const inFlightMax = scale(64, 1_024);
const connectionsMax = scale(600, 4_000);

/** The short run shares the machine and measures capacity badly, so it overloads by far more. */
const overloadFactor = scale(10, 2);

const upstreamDelayMs = scale(50, 250);
/** The concurrency limit of the upstream. As many calls again may wait. */
const upstreamConcurrency = scale(20, 200);

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
    PRESETD_REQUESTS_IN_FLIGHT: String(inFlightMax),
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

const withStatus = ({ responses }: LoadResult, status: number) =>
  responses.filter((response) => response.status === status);

interface SlowUpstream {
  readonly url: string;
  stop(): void;
}

/** Responds after a delay, as models do. */
async function startSlowUpstream(): Promise<SlowUpstream> {
  const completion = JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 0,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: prompt }, finish_reason: 'stop' }],
  });
  const listener = createServer((request, response) => {
    const respond = () => response.setHeader('content-type', 'application/json').end(completion);
    request.resume().once('end', () => setTimeout(respond, upstreamDelayMs));
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

/**
 * Checks health repeatedly on new connections, as a balancer does. Call the result to stop and get
 * the duration of each check.
 */
function watchHealth(url: string): () => Promise<readonly number[]> {
  const stopping = new AbortController();
  const checks: Promise<number>[] = [];
  const check = async () => {
    const startedAt = performance.now();
    const response = await fetch(`${url}/healthz`, { headers: { connection: 'close' } });
    expect(response.status).toBe(200);
    return performance.now() - startedAt;
  };
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      checks.push(check());
      await delay(200);
    }
  })();
  return async () => {
    stopping.abort();
    await watching;
    return Promise.all(checks);
  };
}

/** Requests that the server counted as shed, and as responses with 503. */
async function readCounters({
  url,
}: ServerProcess): Promise<{ readonly shed: number; readonly unavailable: number }> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } });
  const text = await response.text();
  const sum = (line: RegExp) =>
    [...text.matchAll(line)].reduce((total, [, count]) => total + Number(count), 0);
  return {
    shed: sum(/^presetd_http_requests_shed_total(?:{})? (\d+)$/gm),
    unavailable: sum(/^presetd_http_requests_total{.*status="503".*} (\d+)$/gm),
  };
}

/**
 * Measures the capacity of the server, sends a multiple of that, and then half of it. Returns
 * whether the server counted all its 503 responses as shed.
 */
async function overload(
  name: string,
  running: ServerProcess,
  make: (index: number) => Buffer,
  concurrency: number,
): Promise<boolean> {
  const pid = running.process.pid ?? 0;
  client = new LoadClient(running.url, connectionsMax);
  const warmUp = await client.withConcurrency(concurrency, many(make, scale(150, 20_000)));
  // Take the best of several runs: the machine or the disk may be slow for a moment.
  let capacity = 0;
  for (let run = 1; run <= scale(1, 4); run += 1) {
    const measured = await client.withConcurrency(concurrency, many(make, scale(150, 20_000)));
    expect(withStatus(measured, 200)).toHaveLength(measured.responses.length);
    capacity = Math.max(capacity, measured.responses.length / measured.seconds);
  }
  const seconds = scale(0.4, 10);
  const baseline = await client.atRate(capacity / 2, many(make, (capacity / 2) * scale(0.5, 5)));
  const memory: number[] = [];
  let shedTotal = withStatus(warmUp, 503).length + withStatus(baseline, 503).length;
  for (let round = 1; round <= scale(1, 5); round += 1) {
    const stopHealthChecks = watchHealth(running.url);
    const overloaded = await client.atRate(
      overloadFactor * capacity,
      many(make, overloadFactor * capacity * seconds),
    );
    const served = withStatus(overloaded, 200);
    const shed = withStatus(overloaded, 503);
    const healthMs = Math.max(...(await stopHealthChecks()));
    memory.push(vitalSigns(pid).residentMiB);
    shedTotal += shed.length;
    logProgress(
      `${name}: capacity ${Math.round(capacity)}/s, p99 ${Math.round(percentile(baseline.responses, 0.99))} ms at half of it; at ${overloadFactor} times the capacity: ` +
        `${Math.round(served.length / overloaded.seconds)}/s served with p50 ${Math.round(percentile(served, 0.5))} ms, p99 ${Math.round(percentile(served, 0.99))} ms; ` +
        `${Math.round(shed.length / overloaded.seconds)}/s shed with p99 ${Math.round(percentile(shed, 0.99))} ms; ` +
        `slowest health check ${Math.round(healthMs)} ms; ${memory.at(-1)} MiB`,
    );
    expect(overloaded.lost).toBe(0);
    expect(served.length + shed.length).toBe(overloaded.responses.length);
    expect(shed.length).toBeGreaterThan(0);
    expect(shed.every(({ head }) => /^retry-after: [1-3]\r?$/im.test(head))).toBe(true);
    // Shedding must leave capacity for useful work.
    expect(served.length / overloaded.seconds).toBeGreaterThan(capacity / scale(20, 4));
    // The queue of accepted requests is bounded, so latency does not grow while overload lasts.
    expect(percentile(served, 0.99)).toBeLessThan(isLong ? 2_000 : 10_000);
    // A balancer removes a server whose health checks are slow.
    expect(healthMs).toBeLessThan(isLong ? 2_000 : 10_000);
  }
  const [first = 0, last = 0] = [memory[0], memory.at(-1)];
  expect(last).toBeLessThan(first * 1.3 + 64);
  const half = () => client?.atRate(capacity / 2, many(make, (capacity / 2) * scale(0.5, 5)));
  // The server may take a second to notice that the overload is over.
  let after = await half();
  for (let round = 0; round < 10 && after !== undefined && withStatus(after, 503).length > 0; round += 1) {
    shedTotal += withStatus(after, 503).length;
    after = await half();
  }
  assert(after !== undefined);
  logProgress(
    `${name}: afterwards p99 ${Math.round(percentile(after.responses, 0.99))} ms at half the capacity`,
  );
  expect(withStatus(after, 200)).toHaveLength(after.responses.length);
  const { shed, unavailable } = await readCounters(running);
  expect(unavailable).toBe(shedTotal);
  return shed === shedTotal;
}

describe(`a server at ${overloadFactor} times its capacity`, () => {
  it.each(sampledEngines)('sheds some creates on %s and serves the others quickly', async (engine) => {
    database = await createMigratedDatabase(engine);
    const running = await start({ DATABASE_URL: database.url });
    expect(await overload(`creates on ${engine}`, running, create, 32)).toBe(true);
  });

  it('queues as many model calls as the upstream may serve concurrently, and sheds the rest', async () => {
    upstream = await startSlowUpstream();
    const file = writeUpstreams([
      {
        name: 'slow',
        kind: 'openai-compatible',
        base_url: upstream.url,
        concurrency_max: upstreamConcurrency,
      },
    ]);
    const running = await start({ PRESETD_CONFIG: file.path });
    file.remove();
    const first = new LoadClient(running.url, 8);
    await first.withConcurrency(8, many(create, 100));
    first.close();
    expect(await overload('model calls', running, call, upstreamConcurrency)).toBe(false);
  });
});
