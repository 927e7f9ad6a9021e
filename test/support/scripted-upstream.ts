import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { releaseAfterTest } from './test-scope.ts';
import { type Exchange, type ReceivedRequest, respondInDialect, type Script } from './upstream-scripts.ts';

/**
 * An upstream whose responses a test controls. Requests without a script get a recorded response in
 * the dialect of their path.
 */
export interface ScriptedUpstream {
  /** The base URL, to which presetd appends the path of the dialect. */
  readonly url: string;
  /** All requests since the last `clear`. */
  readonly requests: readonly ReceivedRequest[];
  /** Scripts for the next requests, one each. */
  respondWith(...scripts: readonly Script[]): void;
  /** The script for every request that has none of its own. */
  respondAlways(script: Script): void;
  /** Waits for the next request that no earlier call has returned, in order of arrival. */
  nextExchange(): Promise<Exchange>;
  openConnections(): number;
  /** Forgets requests and scripts. Exchanges in flight continue. */
  clear(): void;
  /** Rejects if a script has thrown. */
  stop(): Promise<void>;
}

/** Starts an upstream on a real socket that records its requests and responds as the test wants. */
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
      // A client that disconnects before its request is complete is not a script's fault.
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
    respondWith: (...scripts) => void state.scripts.push(...scripts),
    respondAlways(script) {
      state.always = script;
    },
    nextExchange: () => nextExchange(state),
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
  /**
   * Exchanges that no caller has received yet, and callers that wait for one. Only one is
   * non-empty.
   */
  unclaimed: Exchange[];
  waiting: ((exchange: Exchange) => void)[];
}

function emptyState(): State {
  return { requests: [], scripts: [], always: respondInDialect, unclaimed: [], waiting: [] };
}

function deliver(state: State, exchange: Exchange): void {
  const waiting = state.waiting.shift();
  if (waiting === undefined) state.unclaimed.push(exchange);
  else waiting(exchange);
}

function nextExchange(state: State): Promise<Exchange> {
  const exchange = state.unclaimed.shift();
  if (exchange !== undefined) return Promise.resolve(exchange);
  return new Promise((resolve) => state.waiting.push(resolve));
}

async function receive(incoming: IncomingMessage, response: ServerResponse): Promise<Exchange> {
  const ended = once(response, 'close').then(() =>
    response.writableFinished ? ('completed' as const) : ('disconnected' as const),
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
