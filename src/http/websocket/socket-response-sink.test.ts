import { finished } from 'node:stream/promises';
import { expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { SocketResponseSink } from './socket-response-sink.ts';

const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n';

/** What a client receives if the response arrives in pieces of this size. */
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
