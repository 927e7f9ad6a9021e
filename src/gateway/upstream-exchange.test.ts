import { EventEmitter } from 'node:events';
import type { Dispatcher } from 'undici';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PresetdError } from '../core/errors.ts';
import { StreamRelay } from './stream-relay.ts';
import type { UpstreamConnection } from './upstream-connection.ts';
import { exchangeWithUpstream, type ResponseReceiver } from './upstream-exchange.ts';
import type { UpstreamRequest } from './upstream-request.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const timeouts = { firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 };
const lost = new PresetdError('unauthenticated', 'The key is disabled.');

/** An exchange whose upstream and client the test plays. */
function begin(findLostAccess: () => Promise<PresetdError | undefined>) {
  let handler: Dispatcher.DispatchHandler = {};
  const abort = vi.fn();
  const controller = { abort, pause() {}, resume() {} } as unknown as Dispatcher.DispatchController;
  const pool = {
    dispatch(_request: object, given: Dispatcher.DispatchHandler) {
      handler = given;
      handler.onRequestStart?.(controller, {});
    },
  };
  const write = vi.fn((_bytes: Buffer) => true);
  const response = Object.assign(new EventEmitter(), { write, end: vi.fn(), writableLength: 0 });
  const receiver = {
    response,
    timings: { startedAt: performance.now(), isSent: false, firstByteAt: undefined, endedAt: 0 },
    isTranslated: false,
    findLostAccess,
    createRelay: () =>
      new StreamRelay({
        hasFinished: (tail) => tail.includes('[DONE]'),
        errorEvent: ({ message }) => `data: ${message}\n\n`,
      }),
    writeHead: vi.fn(),
    interrupt: vi.fn(() => ({ status: 401, message: 'interrupted', requestId: 'r' })),
    observeLines() {},
    redactLines: (lines: Buffer) => lines,
    signLines: (lines: Buffer) => lines,
  };
  const connection = { upstream: { name: 'main', timeouts }, pool, limiter: undefined };
  const outcome = exchangeWithUpstream(
    connection as unknown as UpstreamConnection,
    {} as UpstreamRequest,
    receiver as unknown as ResponseReceiver,
  );
  return {
    outcome,
    response,
    receiver,
    abort,
    startError: () => handler.onResponseStart?.(controller, 400, { 'content-type': 'application/json' }),
    startStream: () => handler.onResponseStart?.(controller, 200, { 'content-type': 'text/event-stream' }),
    send: async (text: string) => {
      handler.onResponseData?.(controller, Buffer.from(text));
      await vi.advanceTimersByTimeAsync(0);
    },
    end: () => handler.onResponseEnd?.(controller, {}),
  };
}

it('the caller is looked up once for every second that a call takes, and not for a short call', async () => {
  const findLostAccess = vi.fn(async () => undefined);
  const { startStream, send, end, outcome } = begin(findLostAccess);
  await vi.advanceTimersByTimeAsync(999);
  expect(findLostAccess).not.toHaveBeenCalled();
  startStream();
  await send('data: [DONE]\n\n');
  await vi.advanceTimersByTimeAsync(3_001);
  expect(findLostAccess).toHaveBeenCalledTimes(4);
  end();
  expect(await outcome).toEqual({ kind: 'delivered' });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(findLostAccess).toHaveBeenCalledTimes(4);
});

it('a caller who loses access before the response gets nothing, and the upstream is canceled', async () => {
  const { outcome, response, abort } = begin(async () => lost);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await outcome).toEqual({ kind: 'access-lost', error: lost });
  expect(abort).toHaveBeenCalledWith(lost);
  expect(response.end).not.toHaveBeenCalled();
});

it('a stream whose caller loses access ends once, without blaming the upstream', async () => {
  const { outcome, response, receiver, startStream, send, abort } = begin(async () => lost);
  startStream();
  await send('data: 1\n\n');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await outcome).toEqual({ kind: 'delivered' });
  expect(receiver.interrupt.mock.calls).toEqual([[lost]]);
  expect(response.end.mock.calls.map(String)).toEqual(['data: interrupted\n\n']);
  expect(abort).toHaveBeenCalledWith(lost);
});

it('a stream that is complete for the client has no error, even if its caller loses access', async () => {
  const { outcome, response, receiver, startStream, send } = begin(async () => lost);
  startStream();
  await send('data: [DONE]\n\n');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await outcome).toEqual({ kind: 'delivered' });
  expect(receiver.interrupt).not.toHaveBeenCalled();
  expect(response.end).toHaveBeenCalledTimes(1);
});

it('a response that ends while its caller is looked up is not touched again', async () => {
  const lookup = Promise.withResolvers<PresetdError | undefined>();
  const { outcome, response, receiver, startStream, send, end } = begin(() => lookup.promise);
  startStream();
  await send('data: 1\n\n');
  await vi.advanceTimersByTimeAsync(1_000);
  end();
  expect(await outcome).toMatchObject({ kind: 'delivered', failure: { reason: 'reset' } });
  lookup.resolve(lost);
  await vi.advanceTimersByTimeAsync(0);
  expect(receiver.interrupt).toHaveBeenCalledTimes(1);
  expect(response.end).toHaveBeenCalledTimes(1);
});

it('an error that is too long is not read to its end, even if responses are translated', async () => {
  const { outcome, receiver, abort, startError, send } = begin(async () => undefined);
  receiver.isTranslated = true;
  startError();
  await send(`{"error":"${'x'.repeat(1_048_576)}`);
  expect(abort).toHaveBeenCalledOnce();
  expect(await outcome).toMatchObject({ kind: 'upstream-error', status: 400 });
});
