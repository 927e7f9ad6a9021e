import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fastify, { type FastifyBaseLogger } from 'fastify';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { sendError } from '../errors/error-response.ts';
import { createLoadShedder, OverloadDetector } from './load-shedding.ts';

describe('OverloadDetector', () => {
  let now = 0;
  let sample: (() => void) | undefined;
  const create = (inFlightMax = 2) =>
    new OverloadDetector({
      inFlightMax,
      now: () => now,
      schedule(_ms, callback) {
        sample = callback;
        return () => {
          sample = undefined;
        };
      },
    });
  beforeEach(() => {
    now = 1_000;
    sample = undefined;
  });

  /** Simulates one event-loop tick with this many requests; returns which of them are rejected. */
  function tick(overload: OverloadDetector, requests: number, msEach: number): boolean[] {
    const rejected = Array.from({ length: requests }, () => {
      const isRejected = overload.isOverloaded();
      if (!isRejected) now += msEach;
      return isRejected;
    });
    rest(20);
    return rejected;
  }

  function rest(ms: number): void {
    now += ms;
    sample?.();
  }

  it('rejects nothing when the limit is 0, however long ticks are and however many requests are in flight', () => {
    const overload = create(0);
    for (let round = 0; round < 20; round += 1) expect(tick(overload, 10, 400)).not.toContain(true);
    overload.trackRequest();
    expect(overload.isAtCapacity).toBe(false);
  });

  it('rejects nothing while ticks are short, however many requests arrive', () => {
    const overload = create();
    for (let count = 0; count < 1_000; count += 1) expect(tick(overload, 9, 10)).not.toContain(true);
  });

  it('rejects nothing because of a single long tick', () => {
    const overload = create();
    tick(overload, 5, 1);
    expect(tick(overload, 5, 1_000)).not.toContain(true);
    expect(tick(overload, 5, 1)).not.toContain(true);
  });

  it('rejects late requests of a tick once several ticks in a row are long, and serves the early ones', () => {
    const overload = create();
    for (let count = 0; count < 4; count += 1) expect(tick(overload, 30, 25)).not.toContain(true);
    const rejected = tick(overload, 30, 25);
    expect(rejected.slice(0, 11)).not.toContain(true);
    expect(rejected.slice(11)).not.toContain(false);
  });

  it('keeps serving about half of the requests in a tick that never ends', () => {
    const overload = create();
    for (let count = 0; count < 4; count += 1) tick(overload, 30, 25);
    const isRejected = () => {
      now += 1;
      return overload.isOverloaded();
    };
    const rejected = Array.from({ length: 10_000 }, isRejected).filter(Boolean);
    expect(rejected.length).toBeGreaterThan(4_000);
    expect(rejected.length).toBeLessThan(6_000);
  });

  it('serves every request again after a second of short ticks', () => {
    const overload = create();
    for (let count = 0; count < 9; count += 1) tick(overload, 30, 25);
    for (let count = 0; count < 50; count += 1) expect(tick(overload, 3, 10)).not.toContain(true);
    expect(tick(overload, 30, 25)).not.toContain(true);
  });

  it('detects long ticks that are caused by other work than requests', () => {
    const overload = create();
    for (let count = 0; count < 5; count += 1) {
      expect(overload.isOverloaded()).toBe(false);
      rest(300);
    }
    now += 260;
    expect(overload.isOverloaded()).toBe(true);
  });

  it('stops sampling while no requests arrive, and starts over with the next one', () => {
    const overload = create();
    for (let count = 0; count < 5; count += 1) tick(overload, 30, 25);
    for (let count = 0; count < 30; count += 1) rest(20);
    expect(sample).toBeUndefined();
    now += 60_000;
    expect(tick(overload, 30, 25)).not.toContain(true);
    expect(sample).toBeDefined();
  });

  it('rejects requests at the in-flight limit until one ends, and counts each end once', () => {
    const overload = create(2);
    const [first] = [overload.trackRequest(), overload.trackRequest()];
    expect([overload.isAtCapacity, overload.isOverloaded()]).toEqual([true, true]);
    first();
    first();
    expect([overload.isAtCapacity, overload.isOverloaded()]).toEqual([false, false]);
    overload.trackRequest();
    expect(overload.isAtCapacity).toBe(true);
  });
});

const log = { warn: () => {}, error: () => {} } as unknown as FastifyBaseLogger;

function createShedder(inFlightMax: number, isOverLimit = false) {
  const measurements = { shedRequest: vi.fn(), httpRequest: vi.fn() };
  const memory = { isOverLimit } as Parameters<typeof createLoadShedder>[1];
  return { measurements, shedder: createLoadShedder(inFlightMax, memory, measurements, log) };
}

it.each([
  ['/healthz', false],
  ['/healthz?x=1', false],
  ['/readyz', false],
  ['/readyz/', false],
  ['/metrics', false],
  ['/', true],
  ['/healthz.json', true],
  ['/openapi.json', true],
  ['/docs/json', true],
  ['/assets/index.js', true],
  ['/api', true],
  ['/api/v1/presets', true],
  ['/scim/v2/Users', true],
  ['/sign-in/okta', true],
])('while clients hold too much memory, %s is shed: %s', (url, isShed) => {
  for (const inFlightMax of [0, 1_000]) {
    const { shedder, measurements } = createShedder(inFlightMax, true);
    const response = { writeHead: vi.fn(), end: vi.fn() };
    const request = { url, method: 'GET', headers: {} } as IncomingMessage;
    expect(shedder.shed(request, response as unknown as ServerResponse)).toBe(isShed);
    expect(response.writeHead.mock.calls).toEqual(isShed ? [[503, expect.anything()]] : []);
    expect([measurements.shedRequest.mock.calls.length, measurements.httpRequest.mock.calls]).toEqual(
      isShed ? [1, [[{ method: 'GET', route: undefined, status: 503 }]]] : [0, []],
    );
  }
});

it('while there is capacity, nothing is shed', () => {
  const { shedder } = createShedder(1_000);
  expect(shedder.shed({ url: '/api/v1/presets' } as IncomingMessage, {} as ServerResponse)).toBe(false);
  expect(() => shedder.assertCapacity()).not.toThrow();
});

it('a request over a WebSocket is shed like any other', () => {
  const { shedder, measurements } = createShedder(0, true);
  expect(() => shedder.assertCapacity()).toThrow(expect.objectContaining({ kind: 'unavailable' }));
  expect(measurements.shedRequest).toHaveBeenCalledTimes(1);
});

describe('the limit on requests in flight', () => {
  /** An app with room for one request; the test decides when responses end. */
  async function start() {
    const { shedder, measurements } = createShedder(1);
    const app = fastify();
    app.setErrorHandler(sendError);
    app.decorateRequest('caller', null);
    shedder.limitInFlight(app);
    const held: (() => void)[] = [];
    const hold = () => new Promise<string>((resolve) => held.push(() => resolve('served')));
    app.get('/held', hold);
    app.get('/call', { config: { dialect: 'messages' } }, hold);
    app.get('/', () => 'served');
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const begin = async (path: string) => {
      const count = held.length;
      const socket = connect(port, '127.0.0.1').resume();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await expect.poll(() => held.length).toBe(count + 1);
      return socket;
    };
    const status = async () => (await fetch(`http://127.0.0.1:${port}/`)).status;
    return { app, held, begin, status, measurements };
  }

  it('a request counts as in flight until its response has ended', async () => {
    const { app, held, begin, status, measurements } = await start();
    const socket = await begin('/held');
    expect(await status()).toBe(503);
    expect(measurements.shedRequest).toHaveBeenCalledTimes(1);
    held[0]?.();
    await expect.poll(status).toBe(200);
    socket.destroy();
    await app.close();
  });

  it('a request counts as in flight until its client has disconnected', async () => {
    const { app, begin, status } = await start();
    for (let count = 0; count < 3; count += 1) {
      const socket = await begin('/held');
      expect(await status()).toBe(503);
      socket.destroy();
      await once(socket, 'close');
      await expect.poll(status).toBe(200);
    }
    await app.close();
  });

  it('a model call does not count as a request in flight', async () => {
    const { app, begin, status } = await start();
    const socket = await begin('/call');
    expect(await status()).toBe(200);
    socket.destroy();
    await app.close();
  });
});
