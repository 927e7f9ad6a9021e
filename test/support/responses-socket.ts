import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { ResponseEvent } from './open-responses.ts';
import { apiKey } from './server.ts';

/** A client of `/responses` over a WebSocket. */
export interface ResponsesClient {
  readonly socket: WebSocket;
  /** Sends a `response.create` message and returns the events of its turn. */
  turn(body: object): Promise<readonly ResponseEvent[]>;
  send(message: unknown): void;
  /** The events up to the end of the next turn. */
  events(): Promise<readonly ResponseEvent[]>;
  close(): Promise<void>;
}

/** Rejects if the server refuses the connection, with the status in the message. */
export async function connectResponses(
  { url }: { readonly url: string },
  headers: Readonly<Record<string, string>> = { authorization: `Bearer ${apiKey}` },
): Promise<ResponsesClient> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/responses`, { headers });
  const received: ResponseEvent[] = [];
  let onEvent = () => {};
  socket.on('message', (data) => {
    received.push(JSON.parse(String(data)));
    onEvent();
  });
  await once(socket, 'open');
  const closed = new Promise((resolve) => socket.once('close', () => resolve('closed')));
  const send = (message: unknown) =>
    socket.send(typeof message === 'string' ? message : JSON.stringify(message));

  async function events(): Promise<readonly ResponseEvent[]> {
    const isLast = ({ type }: ResponseEvent) =>
      /^(error|response\.(completed|incomplete|failed))$/.test(type);
    for (;;) {
      const end = received.findIndex(isLast);
      if (end !== -1) return received.splice(0, end + 1);
      const next = new Promise<void>((resolve) => {
        onEvent = resolve;
      });
      if (socket.readyState === WebSocket.CLOSED || (await Promise.race([next, closed])) === 'closed')
        throw new Error(`the connection was closed after ${JSON.stringify(received)}`);
    }
  }

  return {
    socket,
    send,
    events,
    turn(body) {
      send({ type: 'response.create', ...body });
      return events();
    },
    async close() {
      if (socket.readyState === WebSocket.CLOSED) return;
      socket.close();
      await once(socket, 'close');
    },
  };
}
