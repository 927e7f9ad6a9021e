import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setImmediate as tick } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import type { Caller } from '../../core/organization/caller.ts';
import type { ReceivedCall } from '../serve-call.ts';
import { HistoryMemory, ResponsesSocket, type SocketOptions } from './responses-socket.ts';

const completed = { type: 'response.completed', response: { id: 'resp_1', output: [], store: false } };
const message = Buffer.from('{"type":"response.create","model":"m","input":"Hi"}');

function open(admit: () => Promise<Caller>) {
  const calls: ReceivedCall[] = [];
  const closing = new AbortController();
  const logRequest = vi.fn();
  const socket = Object.assign(new EventEmitter(), {
    readyState: 1,
    OPEN: 1,
    CLOSED: 3,
    send: (_data: string, sent?: () => void) => sent?.(),
    close: vi.fn(),
  });
  const request = { headers: {}, socket: new EventEmitter() };
  new ResponsesSocket(
    socket as unknown as WebSocket,
    request as unknown as IncomingMessage,
    {
      calls: { serve: (call: ReceivedCall) => calls.push(call) },
      admit,
      logRequest,
      closing: closing.signal,
      bodyBytesMax: 1_000,
      memory: new HistoryMemory(1_000),
      trackMemory: () => {},
    } as unknown as SocketOptions,
  );
  const finish = async (index: number) => {
    calls[index]?.response.writeHead(200, { 'content-type': 'text/event-stream' });
    calls[index]?.response.end(`data: ${JSON.stringify(completed)}\n\n`);
    await expect.poll(() => logRequest.mock.calls.length).toBe(index + 1);
    await tick();
  };
  return { socket, calls, closing, logRequest, finish };
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
