import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ConnectionMemory } from './connection-memory.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** More than a quarter of any heap. */
const bodyBytesMax = 1e12;
const limit = 4 * bodyBytesMax;
const scanMs = 200;

function create() {
  const memory = new ConnectionMemory(bodyBytesMax);
  const server = new EventEmitter();
  const warn = vi.fn();
  let close = () => {};
  const addHook = (_name: string, onClose: (app: unknown, done: () => void) => void) => {
    close = () => onClose(undefined, () => {});
  };
  memory.watch({ server, addHook } as unknown as FastifyInstance, { warn } as unknown as FastifyBaseLogger);
  /** Opens a connection on which this many bytes wait for the client. */
  const open = (writableLength: number) => {
    const socket = Object.assign(new EventEmitter(), {
      writableLength,
      push: () => true,
      resume: vi.fn(),
      destroy: vi.fn(() => socket.emit('close')),
    });
    server.emit('connection', socket);
    return socket as typeof socket & Socket;
  };
  return { memory, open, warn, close };
}

const areDestroyed = (sockets: readonly { destroy: ReturnType<typeof vi.fn> }[]) =>
  sockets.map(({ destroy }) => destroy.mock.calls.length > 0);

it('up to half of the limit, no connection is closed', () => {
  const { memory, open, warn } = create();
  const sockets = [open(limit / 4), open(limit / 4)];
  vi.advanceTimersByTime(2 * scanMs);
  expect(areDestroyed(sockets)).toEqual([false, false]);
  expect([memory.isOverLimit, warn.mock.calls]).toEqual([false, []]);
});

it('above half of the limit, the largest connections are closed until it is half again', () => {
  const { open, warn } = create();
  const sockets = [1, 5, 2, 4, 3].map((tenths) => open((tenths * limit) / 10));
  vi.advanceTimersByTime(scanMs);
  expect(areDestroyed(sockets)).toEqual([false, true, false, true, true]);
  expect(warn.mock.calls).toEqual([[{ closed: 3 }, expect.stringContaining('to free memory')]]);
});

it('connections that held memory at the last scan are closed before larger ones', () => {
  const { open } = create();
  const slow = open(limit / 10);
  vi.advanceTimersByTime(scanMs);
  const fast = open(limit / 2);
  vi.advanceTimersByTime(scanMs);
  expect(areDestroyed([slow, fast])).toEqual([true, false]);
});

it('a connection that held nothing at the last scan does not count as a slow one', () => {
  const { open } = create();
  const first = open(limit / 10);
  vi.advanceTimersByTime(scanMs);
  first.writableLength = 0;
  vi.advanceTimersByTime(scanMs);
  const second = open(limit / 2);
  first.writableLength = limit / 10;
  vi.advanceTimersByTime(scanMs);
  expect(areDestroyed([first, second])).toEqual([false, true]);
});

it('the WebSocket whose messages take the most memory is closed', () => {
  const { memory, open } = create();
  const sockets = [1, limit, 2].map((bytes) => {
    const socket = open(0);
    memory.trackUpgraded(socket, () => bytes);
    return socket;
  });
  vi.advanceTimersByTime(scanMs);
  expect(areDestroyed(sockets)).toEqual([false, true, false]);
});

it('memory that was added since the last scan counts until the next one', () => {
  const { memory, open } = create();
  open(limit / 2);
  vi.advanceTimersByTime(scanMs);
  memory.addPending(limit / 2);
  expect(memory.isOverLimit).toBe(false);
  memory.addPending(1);
  expect(memory.isOverLimit).toBe(true);
  vi.advanceTimersByTime(scanMs);
  expect(memory.isOverLimit).toBe(false);
});

it('a response counts as soon as it ends, by what the client has not taken', () => {
  const { memory } = create();
  const response = Object.assign(new EventEmitter(), { writableLength: 0 });
  memory.trackResponse(response as unknown as ServerResponse);
  response.writableLength = limit + 1;
  expect(memory.isOverLimit).toBe(false);
  response.emit('prefinish');
  expect(memory.isOverLimit).toBe(true);
});

it('a connection whose request has to wait is closed if memory is over the limit', () => {
  const { memory, open, warn } = create();
  memory.addPending(limit - 4_096);
  const [first, second] = [open(0), open(0)];
  memory.addWaiting(first);
  memory.addWaiting(second);
  expect(areDestroyed([first, second])).toEqual([false, true]);
  // Later input is dropped without being parsed.
  expect(second.resume).toHaveBeenCalled();
  vi.advanceTimersByTime(scanMs);
  expect(warn.mock.calls).toEqual([[{ closed: 1 }, expect.any(String)]]);
});

it('closed connections are logged at most every ten seconds, and all of them are counted', () => {
  const { open, warn } = create();
  for (let scan = 0; scan < 60; scan += 1) {
    open(limit);
    vi.advanceTimersByTime(scanMs);
  }
  expect(warn.mock.calls.map(([{ closed }]) => closed)).toEqual([1, 50]);
});

it('nothing is measured after the app has closed', () => {
  const { open, close } = create();
  close();
  const socket = open(limit);
  vi.advanceTimersByTime(10 * scanMs);
  expect(areDestroyed([socket])).toEqual([false]);
});
