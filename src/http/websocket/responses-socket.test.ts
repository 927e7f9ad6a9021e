import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setImmediate as tick } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import type { Caller } from '../../core/organization/caller.ts';
import type { ReceivedCall } from '../serve-call.ts';
import { HistoryMemory, ResponsesSocket, type SocketOptions } from './responses-socket.ts';

afterEach(() => void vi.useRealTimers());

const completed = { type: 'response.completed', response: { id: 'resp_1', output: [], store: false } };
const memoryBytes = 1_000;
const message = Buffer.from('{"type":"response.create","model":"m","input":"Hi"}');

function open(admit: () => Promise<Caller>, closing = new AbortController()) {
  const memory = new HistoryMemory(memoryBytes);
  let heldBytes = () => 0;
  const calls: ReceivedCall[] = [];
  const logRequest = vi.fn();
  const socket = Object.assign(new EventEmitter(), {
    readyState: 1,
    OPEN: 1,
    CLOSED: 3,
    send: vi.fn((_data: string, sent?: () => void) => sent?.()),
    close: vi.fn(),
    ping: vi.fn(),
    terminate: vi.fn(),
  });
  const connection = Object.assign(new EventEmitter(), { bytesRead: 0 });
  const request = { headers: {}, socket: connection };
  new ResponsesSocket(
    socket as unknown as WebSocket,
    request as unknown as IncomingMessage,
    {
      calls: { serve: (call: ReceivedCall) => calls.push(call) },
      admit,
      logRequest,
      closing: closing.signal,
      bodyBytesMax: 1_000,
      memory,
      trackMemory: (_connection: unknown, held: () => number) => {
        heldBytes = held;
      },
    } as unknown as SocketOptions,
  );
  const finish = async (index: number, event: object = completed) => {
    await expect.poll(() => calls.length).toBe(index + 1);
    calls[index]?.response.writeHead(200, { 'content-type': 'text/event-stream' });
    calls[index]?.response.end(`data: ${JSON.stringify(event)}\n\n`);
    await expect.poll(() => logRequest.mock.calls.length).toBe(index + 1);
    await tick();
  };
  const isFree = () => {
    const hasRoom = memory.reserve(memoryBytes);
    // Nothing is released twice.
    expect(memory.reserve(1)).toBe(!hasRoom);
    memory.release(hasRoom ? memoryBytes : 1);
    return hasRoom;
  };
  return { socket, connection, calls, closing, logRequest, finish, isFree, heldBytes: () => heldBytes() };
}

const caller = { id: 'key', kind: 'api' } as Caller;

it('a turn whose client disconnects while its key is checked is not sent', async () => {
  const admission = Promise.withResolvers<Caller>();
  const { socket, calls, logRequest } = open(() => admission.promise);
  socket.emit('message', message);
  socket.readyState = socket.CLOSED;
  socket.emit('close');
  admission.resolve(caller);
  await tick();
  expect(calls).toEqual([]);
  expect(logRequest).toHaveBeenCalledWith(expect.objectContaining({ status: 499, keyId: 'key' }));
});

it('turns that wait when the server stops are not begun', async () => {
  const { socket, calls, closing, finish } = open(async () => caller);
  for (let sent = 0; sent < 3; sent += 1) socket.emit('message', message);
  await tick();
  closing.abort();
  expect(socket.close).not.toHaveBeenCalled();
  await finish(0);
  expect(calls).toHaveLength(1);
  expect(socket.close).toHaveBeenCalledWith(1001);
  socket.emit('close');
});

it('the log of a turn lists what was lost in translation', async () => {
  const { socket, calls, logRequest, finish } = open(async () => caller);
  socket.emit('message', message);
  await tick();
  Object.assign(calls[0]?.trace ?? {}, { losses: { dropped: ['logprobs'] } });
  await finish(0);
  expect(logRequest).toHaveBeenCalledWith(
    expect.objectContaining({ status: 200, keyId: 'key', lost: ['logprobs'] }),
  );
  socket.emit('close');
});

const turn = (more: object) => Buffer.from(JSON.stringify({ type: 'response.create', model: 'm', ...more }));
const failed = { type: 'response.failed', response: { id: 'resp_2', status: 'failed', output: [] } };
const canceled = {
  type: 'response.cancelled',
  response: { id: 'resp_2', status: 'cancelled', output: [], store: false },
};
const continued = { input: 'Go on', previous_response_id: 'resp_1' };

it('a connection holds the memory of its last response, and releases it when it closes', async () => {
  const { socket, finish, isFree } = open(async () => caller);
  for (let index = 0; index < 20; index += 1) {
    socket.emit('message', turn({ input: 'x'.repeat(400) }));
    await finish(index);
    expect(isFree()).toBe(false);
  }
  socket.emit('close');
  expect(isFree()).toBe(true);
});

it.each<[what: string, body: object, event: object]>([
  ['fails to continue it', continued, failed],
  ['continues it and is canceled', continued, canceled],
  ['is too long to be continued', { ...continued, input: 'x'.repeat(880) }, completed],
  ['is stored at its upstream', { input: 'Hi' }, { ...completed, response: { id: 'resp_3', output: [] } }],
  ['continues a stored response', { input: 'Hi', previous_response_id: 'resp_9' }, completed],
])('the memory of the last response is released by a request that %s', async (_, body, event) => {
  const { socket, finish, isFree } = open(async () => caller);
  socket.emit('message', turn({ input: 'Hi' }));
  await finish(0);
  expect(isFree()).toBe(false);
  socket.emit('message', turn(body));
  await finish(1, event);
  expect(isFree()).toBe(true);
  socket.emit('close');
  expect(isFree()).toBe(true);
});

it.each([
  ['no response', {}],
  ['another response', { previous_response_id: 'resp_9' }],
])('a request that fails to continue %s keeps the last one', async (_, reference) => {
  const { socket, calls, finish, isFree } = open(async () => caller);
  socket.emit('message', turn({ input: 'The code word is cobalt.' }));
  await finish(0);
  socket.emit('message', turn({ input: 'Hi', ...reference }));
  await finish(1, failed);
  expect(isFree()).toBe(false);
  socket.emit('message', turn(continued));
  await expect.poll(() => calls.length).toBe(3);
  expect(String(calls[2]?.bytes)).toContain('The code word is cobalt.');
  socket.emit('close');
});

it('a response whose end closes the connection is not remembered', async () => {
  const { socket, finish, isFree } = open(async () => caller);
  socket.send.mockImplementation(() => {
    socket.readyState = socket.CLOSED;
    socket.emit('close');
  });
  socket.emit('message', turn({ input: 'Hi' }));
  await finish(0);
  expect(isFree()).toBe(true);
});

it('a client that responds to pings, or sends messages, stays connected', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { socket, finish } = open(async () => caller);
  for (let ping = 1; ping <= 3; ping += 1) {
    vi.advanceTimersByTime(30_000);
    expect(socket.ping).toHaveBeenCalledTimes(ping);
    socket.emit('pong');
  }
  socket.emit('message', message);
  await finish(0);
  vi.advanceTimersByTime(30_000);
  socket.emit('message', message);
  await finish(1);
  vi.advanceTimersByTime(30_000);
  expect(socket.terminate).not.toHaveBeenCalled();
  vi.advanceTimersByTime(30_000);
  expect(socket.terminate).toHaveBeenCalledTimes(1);
  socket.emit('close');
  vi.advanceTimersByTime(120_000);
  expect(socket.ping).toHaveBeenCalledTimes(6);
});

it('a client that waits for its response is not disconnected because it does not respond to pings', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { socket } = open(async () => caller);
  socket.emit('message', message);
  vi.advanceTimersByTime(300_000);
  expect(socket.terminate).not.toHaveBeenCalled();
  socket.emit('close');
});

it('messages count as held memory while they arrive and wait, and no longer', async () => {
  const { socket, connection, calls, finish, heldBytes } = open(async () => caller);
  connection.bytesRead = 30;
  expect(heldBytes()).toBe(30);
  for (let sent = 0; sent < 3; sent += 1) socket.emit('message', message);
  await expect.poll(() => calls.length).toBe(1);
  expect(heldBytes()).toBe(2 * message.length);
  await finish(0);
  expect(heldBytes()).toBe(message.length);
  connection.bytesRead += 7;
  expect(heldBytes()).toBe(message.length + 7);
  socket.emit('close');
  connection.bytesRead = 30;
  expect(heldBytes()).toBe(0);
});

it.each([
  ['eight messages may wait', 9, message, false],
  ['a ninth waiting message closes the connection', 10, message, true],
  ['as many bytes may wait as a body may have', 3, turn({ input: 'x'.repeat(440) }), false],
  ['more waiting bytes than a body may have close the connection', 4, turn({ input: 'x'.repeat(440) }), true],
])('%s', async (_, count, bytes, isClosed) => {
  const { socket, calls } = open(async () => caller);
  socket.emit('message', bytes);
  await expect.poll(() => calls.length).toBe(1);
  for (let sent = 1; sent < count; sent += 1) socket.emit('message', bytes);
  expect(socket.close.mock.calls).toEqual(isClosed ? [[1008, 'rate_limit_exceeded']] : []);
  socket.emit('close');
});

it('a connection that closes leaves no timer, and cancels its turn and those that wait', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
  const admit = vi.fn(async () => caller);
  const { socket, calls, closing } = open(admit);
  for (let sent = 0; sent < 3; sent += 1) socket.emit('message', message);
  await tick();
  socket.readyState = socket.CLOSED;
  socket.emit('close');
  await tick();
  expect(calls.map(({ response }) => response.closed)).toEqual([true]);
  expect(admit).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
  closing.abort();
  expect(socket.close).not.toHaveBeenCalled();
});

it('a connection without a turn in progress closes when the server stops', () => {
  const { socket, closing } = open(async () => caller);
  closing.abort();
  expect(socket.close).toHaveBeenCalledWith(1001);
  socket.emit('close');
});

it('a connection that opens while the server stops closes', () => {
  const closing = new AbortController();
  closing.abort();
  const { socket } = open(async () => caller, closing);
  expect(socket.close).toHaveBeenCalledWith(1001);
  socket.emit('close');
});

it('a connection closes after an hour', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { socket } = open(async () => caller);
  vi.advanceTimersByTime(3_599_999);
  expect(socket.close).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(socket.close).toHaveBeenCalledWith(1008, 'websocket_connection_limit_reached');
  socket.emit('close');
});

it.each([
  [504, 504, 'server_error'],
  [401, 401, 'invalid_request'],
  [undefined, 502, 'cut'],
])('a stream that is cut off with the status %s is an error with it', async (broken, status, code) => {
  const { socket, calls, finish } = open(async () => caller);
  socket.emit('message', message);
  await expect.poll(() => calls.length).toBe(1);
  Object.assign(calls[0]?.trace ?? {}, { brokenStatus: broken });
  await finish(0, { type: 'error', code: 'cut', message: 'It broke off.' });
  const sent = socket.send.mock.calls.map(([data]) => JSON.parse(data));
  expect(sent).toMatchObject([{ type: 'error', status, error: { code, message: 'It broke off.' } }]);
  // Without its key, a connection would only take up a place.
  expect(socket.close.mock.calls).toEqual(status === 401 ? [[1008, code]] : []);
  socket.emit('close');
});

it('an error that ends a turn releases the memory of the response that it was to continue', async () => {
  const { socket, finish, isFree } = open(async () => caller);
  socket.emit('message', turn({ input: 'Hi' }));
  await finish(0);
  socket.emit('message', turn(continued));
  await finish(1, { type: 'error', code: 'cut', message: 'It broke off.' });
  expect(isFree()).toBe(true);
  socket.emit('close');
});
