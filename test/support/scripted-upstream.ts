import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { releaseAfterTest } from './test-scope.ts';
import { answerInKind } from './upstream-scripts.ts';

/** A request as it came over the wire. */
export interface ReceivedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they were written. */
  readonly rawHeaders: readonly string[];
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: what was sent is what the tests examine; a type would assume the result
  readonly body: any;
}

/** A request and what can be done about it. The socket is there for answers that are no HTTP. */
export interface Exchange {
  readonly request: ReceivedRequest;
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** How it ended: the answer was sent whole, or the connection went before. */
  readonly ended: Promise<'answered' | 'disconnected'>;
}

export type Script = (exchange: Exchange) => unknown;

export interface ScriptedUpstream {
  /** The base URL; the path of a dialect follows it. */
  readonly url: string;
  /** All that came since the last clearing. */
  readonly requests: readonly ReceivedRequest[];
  /** The next requests are answered by these, in turn; those after them in kind, as the dialect of their path has it. */
  answerWith(...scripts: readonly Script[]): void;
  /** Every request that has no script of its own is answered by this. */
  answerAlways(script: Script): void;
  /** The next request, in the order in which they came, that was not taken before; waits for it. */
  take(): Promise<Exchange>;
  openConnections(): number;
  /** Forgets requests and scripts. What is under way goes on. */
  clear(): void;
  /** Fails where a script did. */
  stop(): Promise<void>;
}

/** An upstream on a real socket that records what it is sent and answers as the test wants. */
export async function startScriptedUpstream(): Promise<ScriptedUpstream> {
  const state = emptyState();
  const sockets = new Set<Socket>();
  const failures: unknown[] = [];
  const server = createServer(async (incoming, response) => {
    try {
      const exchange = await receive(incoming, response);
      const script = state.scripts.shift() ?? state.always;
      state.requests.push(exchange.request);
      deliver(state, exchange);
      await script(exchange);
    } catch (error) {
      // A peer that leaves before its request is complete is none of our doing.
      if (!incoming.destroyed || incoming.complete) failures.push(error);
    }
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get requests() {
      return state.requests;
    },
    answerWith: (...scripts) => void state.scripts.push(...scripts),
    answerAlways(script) {
      state.always = script;
    },
    take: () => take(state),
    openConnections: () => sockets.size,
    clear: () => void Object.assign(state, emptyState()),
    stop: releaseAfterTest(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
      if (failures.length > 0) throw new AggregateError(failures, 'a script failed');
    }),
  };
}

interface State {
  requests: ReceivedRequest[];
  scripts: Script[];
  always: Script;
  /** Exchanges that no test has taken yet, and the tests that wait for one. */
  unclaimed: Exchange[];
  waiting: ((exchange: Exchange) => void)[];
}

function emptyState(): State {
  return { requests: [], scripts: [], always: answerInKind, unclaimed: [], waiting: [] };
}

function deliver(state: State, exchange: Exchange): void {
  const waiting = state.waiting.shift();
  if (waiting === undefined) state.unclaimed.push(exchange);
  else waiting(exchange);
}

function take(state: State): Promise<Exchange> {
  const exchange = state.unclaimed.shift();
  if (exchange !== undefined) return Promise.resolve(exchange);
  return new Promise((resolve) => state.waiting.push(resolve));
}

async function receive(incoming: IncomingMessage, response: ServerResponse): Promise<Exchange> {
  const ended = once(response, 'close').then(() =>
    response.writableFinished ? ('answered' as const) : ('disconnected' as const),
  );
  const bytes = await buffer(incoming);
  const request = {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    rawHeaders: incoming.rawHeaders,
    bytes,
    body: parseOrUndefined(bytes),
  };
  return { request, response, socket: incoming.socket, ended };
}

function parseOrUndefined(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
