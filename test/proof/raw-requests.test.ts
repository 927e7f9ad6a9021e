import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../support/random.ts';
import { createRoutes } from './fuzzed-routes.ts';
import { type FuzzedServer, startFuzzedServer } from './fuzzed-server.ts';
import { type MalformedRequest, malformedRequest } from './malformed-requests.ts';
import { exchangeRaw, type RawExchange } from './raw-exchange.ts';
import { logProgress, sampledEngines, scale } from './scale.ts';
import { seed } from './seed.ts';

const concurrency = 24;

/** Requests on all engines together. */
const total = scale(2_000, 100_000);

describe.each(sampledEngines)('malformed requests to a server process on %s', (engine) => {
  let server: FuzzedServer;
  beforeAll(async () => {
    server = await startFuzzedServer(engine);
  });
  afterAll(() => server.stop());

  it('get a response or are rejected, and leak no files or memory', async () => {
    const count = total / sampledEngines.length;
    const routes = createRoutes(server);
    const port = Number(new URL(server.url).port);
    await server.works();
    const filesBefore = server.openFiles();
    let residentBefore = 0;
    const statuses = new Map<string, number>();
    const requestOf = (index: number) => {
      const random = createRandom(seed * 1_000_003 + index);
      return { request: malformedRequest(random, routes(), `request-${index}`), random };
    };
    let next = 0;
    const work = async () => {
      while (next < count) {
        const index = next++;
        if (index % 1_000 === 0) {
          await server.renew();
          if (index === Math.floor(count / 10_000) * 1_000) residentBefore = server.residentBytes();
          if (index % 10_000 === 0) logProgress(`${engine}: ${index} of ${count} malformed requests`);
        }
        const { request, random } = requestOf(index);
        const exchange = await exchangeRaw(port, request.bytes, {
          isComplete: request.isComplete,
          cuts: cutsIn(request.bytes, random),
        });
        const problem = problemOf(request, exchange);
        if (problem !== undefined) throw new Error(describeFinding(problem, index, request, exchange));
        for (const status of statusesIn(exchange)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (statusesIn(exchange).length === 0) statuses.set('none', (statuses.get('none') ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    logProgress(`${engine}: ${JSON.stringify(Object.fromEntries([...statuses].toSorted()))}`);

    const defects = server.defects().map((line) => {
      const index = /"request-(\d+)-/.exec(line)?.[1];
      return index === undefined
        ? line
        : describeRequest(line, Number(index), requestOf(Number(index)).request);
    });
    expect(defects).toEqual([]);
    expect(await server.works()).toBe(true);
    // The generator must reach every stage of request handling.
    for (const status of ['200', '400', '401', '404', '413', '415', '431'])
      expect([status, statuses.has(status)]).toEqual([status, true]);
    await expect.poll(() => server.openFiles()).toBeLessThanOrEqual(filesBefore + concurrency);
    const growth = server.residentBytes() - residentBefore;
    logProgress(
      `${engine}: ${filesBefore} open files before and ${server.openFiles()} after, ${growth} bytes more memory`,
    );
    expect(growth).toBeLessThan(300 * 2 ** 20);
  }, 3_600_000);
});

function cutsIn(bytes: Buffer, random: Random): readonly number[] {
  const count = random.pick([0, 0, 0, 1, 2, 5]);
  return Array.from({ length: count }, () => random.below(bytes.length + 1));
}

/** The statuses of all responses on a connection. No response body contains a status line. */
function statusesIn({ response }: RawExchange): readonly string[] {
  return [...response.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = '']) => status);
}

function problemOf(request: MalformedRequest, exchange: RawExchange): string | undefined {
  const { response, hasEnded, isReset } = exchange;
  if (!hasEnded) return 'the server neither responded nor closed the connection';
  const statuses = statusesIn(exchange);
  const failure = statuses.find((status) => status.startsWith('5'));
  if (failure !== undefined) return `the status is ${failure}`;
  if (response.length > 0 && !response.toString('latin1').startsWith('HTTP/1.1 '))
    return 'the response is not HTTP';
  if (/^x-injected/im.test(response.toString('latin1'))) return 'the response has an injected header';
  if (request.isComplete && statuses.length === 0 && !isReset)
    return 'the server closed the connection without a response';
  return undefined;
}

function describeFinding(
  problem: string,
  index: number,
  request: MalformedRequest,
  { response }: RawExchange,
): string {
  const shown = JSON.stringify(response.subarray(0, 2_000).toString('latin1'));
  return `${describeRequest(problem, index, request)}\nresponse: ${shown}`;
}

function describeRequest(
  problem: string,
  index: number,
  { bytes, changes, isComplete }: MalformedRequest,
): string {
  return [
    `${problem}: request ${index} of PROOF_SEED=${seed}`,
    `changes: ${changes.join(', ')}; complete: ${isComplete}`,
    `sent: ${JSON.stringify(bytes.subarray(0, 4_000).toString('latin1'))} (${bytes.length} bytes)`,
    `in base64: ${bytes.length <= 20_000 ? bytes.toString('base64') : 'too long; repeat with the seed'}`,
  ].join('\n');
}
