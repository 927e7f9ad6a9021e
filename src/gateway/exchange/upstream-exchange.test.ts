import { EventEmitter } from 'node:events';
import type { Dispatcher } from 'undici';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PresetdError } from '../../core/errors.ts';
import type { UpstreamRequest } from '../request/upstream-request.ts';
import { completeBytesMax, StreamRelay } from '../response/stream-relay.ts';
import type { UpstreamConnection } from './upstream-connection.ts';
import { exchangeWithUpstream, type ResponseReceiver } from './upstream-exchange.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const timeouts = { firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 };
const lost = new PresetdError('unauthenticated', 'The key is disabled.');
const reset = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
const notLost = async () => undefined;

interface Options {
  readonly limiter?: object;
  readonly timeouts?: typeof timeouts;
  readonly isClosed?: boolean;
}

/** An exchange whose upstream and client the test plays. */
function begin(findLostAccess: () => Promise<PresetdError | undefined> = notLost, options: Options = {}) {
  let handler: Dispatcher.DispatchHandler = {};
  const abort = vi.fn();
  const pause = vi.fn();
  const resume = vi.fn();
  const controller = { abort, pause, resume } as unknown as Dispatcher.DispatchController;
  const dispatch = vi.fn((_request: object, given: Dispatcher.DispatchHandler) => {
    handler = given;
  });
  const write = vi.fn((_bytes: Buffer) => true);
  const destroy = vi.fn();
  const response = Object.assign(new EventEmitter(), {
    write,
    end: vi.fn(),
    writableLength: 0,
    writableNeedDrain: false,
    destroyed: options.isClosed === true,
    req: { socket: { destroy } },
  });
  const receiver = {
    response,
    observer: {
      timings: { startedAt: performance.now(), isSent: false, firstByteAt: undefined, endedAt: 0 },
      observeLines: vi.fn(),
      observeBody: vi.fn(),
    },
    isTranslated: false,
    isSigned: false,
    mediaTypes: /^audio/,
    findLostAccess,
    createRelay: () =>
      new StreamRelay({
        hasFinished: (tail) => tail.includes('[DONE]'),
        errorEvent: ({ message }) => `data: ${message}\n\n`,
      }),
    writeHead: vi.fn(),
    interrupt: vi.fn(() => ({ status: 401, message: 'interrupted resp_1', requestId: 'r' })),
    finishLines: replace('resp_1', 'finished'),
    finishBody: replace('resp_1', 'finished'),
    signStart: replace('resp_1', 'resp_signed'),
    translateBody: () => ({ status: 429, error: { message: 'hot' } }),
  };
  const connection = {
    upstream: { name: 'main', timeouts: options.timeouts ?? timeouts },
    pool: { dispatch },
    limiter: options.limiter,
  };
  const outcome = exchangeWithUpstream(
    connection as unknown as UpstreamConnection,
    {} as UpstreamRequest,
    receiver as unknown as ResponseReceiver,
  );
  const startRequest = () => handler.onRequestStart?.(controller, {});
  startRequest();
  const start = (status: number, type: string, more: object = {}) =>
    handler.onResponseStart?.(controller, status, { 'content-type': type, ...more });
  return {
    outcome,
    response,
    receiver,
    dispatch,
    abort,
    pause,
    resume,
    destroy,
    startRequest,
    start,
    startError: () => start(400, 'application/json'),
    startStream: () => start(200, 'text/event-stream'),
    send: async (text: string) => {
      handler.onResponseData?.(controller, Buffer.from(text));
      await vi.advanceTimersByTimeAsync(0);
    },
    end: () => handler.onResponseEnd?.(controller, {}),
    fail: () => handler.onResponseError?.(controller, reset),
    written: () => write.mock.calls.map(String),
  };
}

function replace(text: string, other: string) {
  return (bytes: Buffer) => Buffer.from(bytes.toString().replaceAll(text, other));
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
  expect(response.end.mock.calls.map(String)).toEqual(['data: interrupted finished\n\n']);
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

type Exchange = ReturnType<typeof begin>;

const endings: readonly (readonly [string, (exchange: Exchange) => unknown])[] = [
  [
    'with a complete stream',
    async ({ startStream, send, end }) => {
      startStream();
      await send('data: [DONE]\n\n');
      end();
    },
  ],
  [
    'with a buffered response',
    async ({ start, send, end }) => {
      start(200, 'application/json', { 'content-length': '2' });
      await send('{}');
      end();
    },
  ],
  [
    'with an error of the upstream',
    ({ startError, end }) => {
      startError();
      end();
    },
  ],
  ['with a failure', ({ fail }) => fail()],
  ['because its client disconnects', ({ response }) => response.emit('close')],
  ['with a timeout', () => vi.advanceTimersByTimeAsync(60_000)],
  [
    'while its client does not read',
    async ({ startStream, send, response, fail }) => {
      response.write.mockReturnValue(false);
      startStream();
      await send('data: 1\n\n');
      fail();
    },
  ],
];

it.each(endings)(
  'an exchange that ends %s frees its slot once, and leaves nothing behind',
  async (_, run) => {
    const limiter = {
      acquire: vi.fn((send: () => void) => {
        send();
        return true;
      }),
      release: vi.fn(),
      cancel: vi.fn(),
    };
    const exchange = begin(notLost, { limiter });
    await run(exchange);
    await exchange.outcome;
    exchange.response.emit('close');
    exchange.fail();
    exchange.end();
    expect(limiter.release).toHaveBeenCalledTimes(1);
    expect(limiter.cancel).not.toHaveBeenCalled();
    expect(exchange.receiver.observer.timings.isSent).toBe(true);
    expect(exchange.response.listenerCount('close') + exchange.response.listenerCount('drain')).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  },
);

it('an exchange whose client disconnects in the queue leaves it without a slot', async () => {
  const limiter = { acquire: vi.fn((_send: () => void) => true), release: vi.fn(), cancel: vi.fn() };
  const { outcome, response, receiver, dispatch } = begin(notLost, { limiter });
  response.emit('close');
  expect(await outcome).toEqual({ kind: 'client-closed' });
  expect(limiter.cancel.mock.calls).toEqual(limiter.acquire.mock.calls);
  expect(limiter.release).not.toHaveBeenCalled();
  expect(dispatch).not.toHaveBeenCalled();
  expect(receiver.observer.timings.isSent).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

it('nothing is sent to the upstream for a client that has left already', async () => {
  const { outcome, dispatch } = begin(notLost, { isClosed: true });
  expect(await outcome).toEqual({ kind: 'client-closed' });
  expect(dispatch).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

it('a request is canceled when its client disconnects, even if it starts only then', async () => {
  const { outcome, response, abort, startRequest } = begin();
  response.emit('close');
  await outcome;
  expect(abort).toHaveBeenCalledOnce();
  abort.mockClear();
  startRequest();
  expect(abort).toHaveBeenCalledOnce();
});

it('what the upstream sends after the end of an exchange is ignored', async () => {
  const { outcome, response, receiver, startStream, send, end, fail } = begin();
  response.emit('close');
  expect(await outcome).toEqual({ kind: 'client-closed' });
  const timings = { ...receiver.observer.timings };
  await vi.advanceTimersByTimeAsync(5);
  startStream();
  await send('data: [DONE]\n\n');
  end();
  fail();
  expect(receiver.observer.timings).toEqual(timings);
  expect(receiver.writeHead).not.toHaveBeenCalled();
  expect(response.end).not.toHaveBeenCalled();
});

it('lines that have arrived are forwarded before a failure, but not after the client has left', async () => {
  const failing = begin();
  failing.startStream();
  void failing.send('data: 1\n\n');
  failing.fail();
  expect(failing.written()).toEqual(['data: 1\n\n']);
  expect(await failing.outcome).toMatchObject({ kind: 'delivered', failure: { reason: 'reset' } });
  const left = begin();
  left.startStream();
  const sent = left.send('data: 1\n\n');
  left.response.emit('close');
  await sent;
  expect(left.written()).toEqual([]);
});

it('informational responses precede the response', async () => {
  const { outcome, start, startError, end } = begin();
  start(103, 'text/html');
  startError();
  end();
  expect(await outcome).toMatchObject({ kind: 'upstream-error', status: 400 });
});

it('the times of an exchange are those of the first byte and of the end', async () => {
  const { outcome, receiver, start, send, end } = begin();
  const { startedAt } = receiver.observer.timings;
  const known: object[] = [];
  receiver.writeHead.mockImplementation(() => known.push({ ...receiver.observer.timings }));
  start(200, 'application/json', { 'content-length': '23' });
  await vi.advanceTimersByTimeAsync(5);
  await send('{"id":"resp_1",');
  await vi.advanceTimersByTimeAsync(5);
  await send('"a":"b"}');
  await vi.advanceTimersByTimeAsync(5);
  end();
  await outcome;
  const times = { startedAt, isSent: true, firstByteAt: startedAt + 5, endedAt: startedAt + 15 };
  expect(known).toEqual([times]);
  expect(receiver.observer.timings).toEqual(times);
});

it('a buffered response is finished, and observed as the upstream sent it', async () => {
  const { outcome, receiver, response, start, send, end } = begin();
  start(200, 'application/json', { 'content-length': '23' });
  await send('{"id":"resp_1","a":"b"}');
  end();
  expect(await outcome).toEqual({ kind: 'delivered' });
  const sent = '{"id":"finished","a":"b"}';
  expect(response.end.mock.calls.map(String)).toEqual([sent]);
  expect(receiver.writeHead.mock.calls[0]?.[2]).toBe(sent.length);
  expect(receiver.observer.observeBody.mock.calls).toEqual([['{"id":"resp_1","a":"b"}']]);
});

it('a stream is finished, and observed as the upstream sent it', async () => {
  const { receiver, written, startStream, send } = begin();
  startStream();
  await send('data: resp_1\n\n');
  expect(receiver.observer.observeLines.mock.calls.map(String)).toEqual(['data: resp_1\n\n']);
  expect(written()).toEqual(['data: finished\n\n']);
});

it.each([
  [false, 1_048_576],
  [true, completeBytesMax],
])('a long response is forwarded in parts, each once, if its ids are signed: %s', async (isSigned, max) => {
  const { outcome, receiver, response, written, start, send, end } = begin();
  receiver.isSigned = isSigned;
  const first = `{"id":"resp_1${'x'.repeat(max - 13)}`;
  start(200, 'application/json', { 'content-length': String(max + 3) });
  await send(first);
  expect(receiver.writeHead).not.toHaveBeenCalled();
  await send('y');
  await send('"}');
  expect(receiver.writeHead.mock.calls[0]?.[2]).toBe(max + 8);
  expect(written().map((text) => text.length)).toEqual([max + 6, 2]);
  end();
  expect(await outcome).toEqual({ kind: 'delivered' });
  expect(response.end).toHaveBeenCalledOnce();
});

it('a long response that breaks off closes the connection of the client', async () => {
  const { outcome, receiver, destroy, start, send, fail } = begin();
  start(200, 'audio/mpeg');
  await send('x');
  fail();
  expect(await outcome).toMatchObject({ kind: 'delivered', failure: { reason: 'reset' } });
  expect(receiver.interrupt).toHaveBeenCalledOnce();
  expect(destroy).toHaveBeenCalledOnce();
});

it('a response of another media type may be empty', async () => {
  const { outcome, receiver, start, end } = begin();
  start(200, 'audio/mpeg');
  end();
  expect(await outcome).toEqual({ kind: 'delivered' });
  expect(receiver.writeHead.mock.calls[0]?.[2]).toBe(0);
});

it('reading pauses once while the client does not read, which does not count as idle', async () => {
  const idle = { firstByteMs: 60_000, idleMs: 10_000, totalMs: 60_000 };
  const { outcome, response, pause, resume, startStream, send } = begin(notLost, { timeouts: idle });
  startStream();
  response.write.mockImplementation(() => {
    response.writableNeedDrain = true;
    return false;
  });
  await send('data: 1\n\n');
  await send('data: 2\n\n');
  expect(pause).toHaveBeenCalledOnce();
  expect(response.listenerCount('drain')).toBe(1);
  await vi.advanceTimersByTimeAsync(9_000);
  response.writableNeedDrain = false;
  response.emit('drain');
  expect(resume).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(9_000);
  expect(response.end).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await outcome).toMatchObject({ failure: { reason: 'timeout' } });
});

it.each([
  [65_536, 0],
  [65_537, 1],
])('a client that leaves %i bytes of the end unread is disconnected in time: %i', async (unread, times) => {
  const { outcome, response, destroy, startStream, send, end } = begin();
  startStream();
  await send('data: [DONE]\n\n');
  response.writableLength = unread;
  end();
  await outcome;
  await vi.advanceTimersByTimeAsync(59_999);
  expect(destroy).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(destroy).toHaveBeenCalledTimes(times);
});

it('a client that reads the end of a response in time is not disconnected', async () => {
  const { outcome, response, startStream, send, end } = begin();
  startStream();
  await send('data: [DONE]\n\n');
  response.writableLength = 65_537;
  end();
  await outcome;
  response.emit('close');
  expect(vi.getTimerCount()).toBe(0);
});

it.each([
  ['before the first byte', { firstByteMs: 100, idleMs: 60_000, totalMs: 60_000 }, 'start its response'],
  ['between two bytes', { firstByteMs: 60_000, idleMs: 100, totalMs: 60_000 }, 'sent no data'],
  ['in total', { firstByteMs: 60_000, idleMs: 60_000, totalMs: 100 }, 'finish its response'],
])('a short timeout %s ends an exchange in time', async (_, short, message) => {
  const { outcome, startStream, send } = begin(notLost, { timeouts: short });
  startStream();
  if (short.firstByteMs > 100) await send('data: 1\n\n');
  await vi.advanceTimersByTimeAsync(200);
  expect(vi.getTimerCount()).toBe(0);
  expect(await outcome).toMatchObject({
    failure: { reason: 'timeout', message: expect.stringContaining(message) },
  });
});

it('a request that waits too long in the queue fails because the upstream is busy', async () => {
  const limiter = { acquire: () => true, release: vi.fn(), cancel: vi.fn() };
  const { outcome } = begin(notLost, { limiter, timeouts: { ...timeouts, firstByteMs: 100 } });
  await vi.advanceTimersByTimeAsync(100);
  expect(await outcome).toMatchObject({ kind: 'no-response', failure: { reason: 'busy' } });
  expect(limiter.cancel).toHaveBeenCalledOnce();
});

it('a client that reads nothing for too long is disconnected, without blaming the upstream', async () => {
  const { receiver, response, destroy, startStream, send } = begin(notLost, {
    timeouts: { ...timeouts, idleMs: 100 },
  });
  startStream();
  response.writableNeedDrain = true;
  await send('data: 1\n\n');
  await vi.advanceTimersByTimeAsync(100);
  expect(destroy).toHaveBeenCalledOnce();
  expect(receiver.interrupt).not.toHaveBeenCalled();
});

it.each([
  ['a complete event', ['data: [DONE]'], ['data: [DONE]'], '\n\n'],
  ['a line break', ['data: [DONE]\n'], ['data: [DONE]\n'], '\n'],
  ['an event after others', ['data: 1\n\n', 'data: [DONE]'], ['data: 1\n\n', 'data: [DONE]'], '\n\n'],
])('a stream that ends with %s is forwarded to its end', async (_, sent, forwarded, separator) => {
  const { outcome, response, written, startStream, send, end } = begin();
  startStream();
  // The end may arrive together with the last chunk.
  for (const text of sent) void send(text);
  end();
  expect(await outcome).toEqual({ kind: 'delivered' });
  expect(written().join('')).toBe(forwarded.join(''));
  expect(response.end.mock.calls).toEqual([[separator]]);
});

it('a stream that ends too early is left to another upstream, unless a part of it was forwarded', async () => {
  const unsent = begin();
  unsent.startStream();
  await unsent.send('data: {}');
  unsent.end();
  expect(await unsent.outcome).toMatchObject({ kind: 'no-response', failure: { reason: 'reset' } });
  expect(unsent.written()).toEqual([]);
  const begun = begin();
  begun.startStream();
  await begun.send('data: 1\n\n');
  await begun.send('data: {}');
  begun.end();
  expect(await begun.outcome).toMatchObject({ kind: 'delivered', failure: { reason: 'reset' } });
  expect(begun.written()).toEqual(['data: 1\n\n', 'data: {}']);
});

it('a connection that breaks after the last event of a stream is no failure', async () => {
  const { outcome, response, startStream, send, fail } = begin();
  startStream();
  await send('data: [DONE]\n');
  fail();
  expect(await outcome).toEqual({ kind: 'delivered' });
  expect(response.end.mock.calls).toEqual([['\n']]);
});

it('a body whose end only the connection marks has to be valid JSON', async () => {
  const { outcome, start, send, end } = begin();
  start(200, 'application/json');
  await send('{"a":{}');
  end();
  expect(await outcome).toMatchObject({ kind: 'no-response', failure: { reason: 'garbage' } });
});

it('an error that the upstream sent as a success is an error with its own status', async () => {
  const { outcome, receiver, start, send, end } = begin();
  receiver.isTranslated = true;
  start(200, 'application/json', { 'content-length': '2' });
  await send('{}');
  end();
  const body = '{"error":{"message":"hot"}}';
  expect(await outcome).toMatchObject({ kind: 'upstream-error', status: 429, body });
});
