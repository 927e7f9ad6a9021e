import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { createSocketResponse, SocketResponseSink } from './socket-response-sink.ts';

const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n';

/** The messages to a client if the response arrives in pieces of this size. */
async function messagesOf(body: string, pieceBytes = 1_000): Promise<readonly unknown[]> {
  const messages: unknown[] = [];
  const send = (message: string, done?: () => void) => {
    messages.push(JSON.parse(message));
    done?.();
  };
  const sink = new SocketResponseSink({ send } as unknown as WebSocket);
  const bytes = Buffer.from(head + body);
  for (let start = 0; start < bytes.length; start += pieceBytes)
    sink.write(bytes.subarray(start, start + pieceBytes));
  sink.end();
  await finished(sink);
  return messages;
}

const delta = { type: 'response.output_text.delta', delta: 'Hi\u2028there\u2029' };
const completed = { type: 'response.completed', response: { id: 'resp_1' } };
const data = [delta, completed].map((event) => JSON.stringify(event));

it.each([
  ['ordinary events', `event: x\ndata: ${data[0]}\n\nevent: y\ndata: ${data[1]}\n\ndata: [DONE]\n\n`],
  ['other line breaks', `data:${data[0]}\r\n\r\n: comment\r\n\r\ndata:${data[1]}\r\n\r\n`],
  ['no empty line at the end', `data: ${data[0]}\n\ndata: ${data[1]}\n`],
  ['no line break at the end', `data: ${data[0]}\n\ndata: ${data[1]}`],
  ['no empty lines at all', `data: ${data[0]}\ndata: ${data[1]}\n`],
])('a stream with %s is sent as one message per event, wherever it is split', async (_, body) => {
  for (const pieceBytes of [1, 2, 7, 1_000])
    expect(await messagesOf(body, pieceBytes)).toEqual([delta, completed]);
});

it.each(['completed', 'incomplete', 'failed', 'cancelled'])('a response ends as %s', async (status) => {
  const sink = new SocketResponseSink({ send: () => {} } as unknown as WebSocket);
  const response = { id: 'resp_1', status };
  sink.end(`${head}data: ${JSON.stringify({ type: `response.${status}`, response })}\n\n`);
  await finished(sink);
  expect(sink.outcome).toEqual({ response });
});

it('a stream that reports an error and then the failed response ends with the latter alone', async () => {
  const messages: unknown[] = [];
  const send = (message: string) => messages.push(JSON.parse(message));
  const sink = new SocketResponseSink({ send } as unknown as WebSocket);
  const failure = { type: 'response.failed', response: { id: 'resp_1', status: 'failed' } };
  const events = [{ type: 'error', message: 'No.' }, failure].map((event) => JSON.stringify(event));
  sink.end(`${head}data: ${events.join('\n\ndata: ')}\n\n`);
  await finished(sink);
  expect(messages).toEqual([failure]);
  expect(sink.outcome).toEqual({ response: failure.response });
});

it('events are sent before the response ends', () => {
  const messages: string[] = [];
  const socket = { send: (message: string) => messages.push(message) };
  const sink = new SocketResponseSink(socket as unknown as WebSocket);
  sink.write(`${head}data: ${data[0]}\n`);
  expect(messages).toEqual([data[0]]);
});

it('the last event of a stream is sent even if neither a line break nor a response follows', async () => {
  expect(await messagesOf(`data: ${data[0]}`)).toEqual([delta]);
});

it('an event without data, and the end marker of a stream, are no messages', async () => {
  expect(await messagesOf(`data:\n\ndata: ${data[0]}\n\ndata: [DONE]\n\n`)).toEqual([delta]);
});

it('the next bytes are taken when the last event was sent', async () => {
  const sent: (() => void)[] = [];
  const send = (_message: string, done?: () => void) => done && sent.push(done);
  const sink = new SocketResponseSink({ send } as unknown as WebSocket);
  sink.write(head);
  sink.write(`data: ${data[0]}\n\ndata: ${data[0]}\n\n`);
  sink.write(`data: ${data[0]}\n\n`);
  expect(sent).toHaveLength(1);
  sent[0]?.();
  await expect.poll(() => sent.length).toBe(2);
});

const failed = { code: 'c', message: 'No.', param: 'input' };
const unknown = { message: 'None.', param: 'previous_response_id' };

it.each([
  ['a body', 400, 'application/json', { error: failed }, { status: 400, ...failed }],
  ['a body', 429, 'application/json', { error: {} }, { status: 429, code: 'rate_limit_exceeded' }],
  ['a body', 500, 'application/json', 7, { status: 500, message: 'The call failed.', param: null }],
  ['a body', 200, 'application/json', 7, { status: 200, message: 'The call failed.' }],
  ['a body', 404, 'application/json', { error: unknown }, { code: 'previous_response_not_found' }],
  ['a stream', 200, 'text/event-stream', { type: 'error', ...failed }, { status: 502, ...failed }],
  ['a stream', 200, 'text/event-stream', { type: 'error', error: failed }, { status: 502, ...failed }],
  ['a stream', 200, 'text/event-stream', { type: 'error', param: '' }, { param: null, code: 'server_error' }],
  [
    'a stream',
    200,
    'text/event-stream',
    delta,
    { status: 502, message: expect.stringMatching(/^The stream/) },
  ],
])('an error in %s with the status %i (%s: %j) has its parts', async (_, status, type, value, expected) => {
  const sink = new SocketResponseSink({ send: () => {} } as unknown as WebSocket);
  const text = JSON.stringify(value);
  const isStream = type === 'text/event-stream';
  // The end of a stream need not have a line break.
  sink.end(`HTTP/1.1 ${status} Any\r\ncontent-type: ${type}\r\n\r\n${isStream ? `data: ${text}` : text}`);
  await finished(sink);
  expect(sink.outcome).toMatchObject(expected);
});

it('a response that does not stream is one event', async () => {
  const messages: unknown[] = [];
  const send = (message: string) => messages.push(JSON.parse(message));
  const sink = new SocketResponseSink({ send } as unknown as WebSocket);
  sink.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"id":"resp_1"}');
  await finished(sink);
  const response = { id: 'resp_1' };
  expect(messages).toEqual([{ type: 'response.completed', sequence_number: 0, response }]);
  expect(sink.outcome).toEqual({ response });
});

it('a message that is too long ends the response', async () => {
  const sink = new SocketResponseSink({ send: () => {} } as unknown as WebSocket);
  sink.write(head);
  sink.write('x'.repeat(16_777_216));
  expect(sink.destroyed).toBe(false);
  sink.write('x');
  expect(sink.destroyed).toBe(true);
  expect(sink.outcome).toMatchObject({ status: 502, message: 'The response is too long for one message.' });
});

it('a response is full while the client does not read, and closes after its end', async () => {
  const sent: (() => void)[] = [];
  const send = (_message: string, done?: () => void) => done && sent.push(done);
  const sink = new SocketResponseSink({ send } as unknown as WebSocket);
  const response = createSocketResponse({ method: 'POST' } as IncomingMessage, sink);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  expect(response.write(`data: "${'x'.repeat(100_000)}"\n\n`)).toBe(false);
  expect(response.writableNeedDrain).toBe(true);
  const drained = once(response, 'drain');
  await expect.poll(() => sent.length).toBe(1);
  sent[0]?.();
  await drained;
  expect(response.writableNeedDrain).toBe(false);
  const closed = once(response, 'close');
  response.end();
  await closed;
});
