import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocketServer } from 'ws';
import { overloaded, PresetdError } from '../../core/errors.ts';
import { renderError } from '../errors/error-response.ts';
import { findAmbiguity } from '../protocol/ambiguous-request.ts';
import { keepOpen } from '../protocol/connections.ts';
import { commonHeaders, requestIdOf } from '../protocol/headers.ts';
import type { UpgradeHandler } from '../protocol/http-server.ts';
import { assertCanCallModels, isDryRun, queryOf } from '../serve-call.ts';
import { ResponsesSocket, type SocketOptions } from './responses-socket.ts';

/** In each process. A client needs one connection for each conversation that it has at a time. */
const connectionsPerKeyMax = 100;

/** Accepts WebSockets at `/responses` from callers with an API key. */
export function acceptResponsesSockets(options: SocketOptions): UpgradeHandler {
  /** How many connections are open, by key. */
  const openOf = new Map<string, number>();
  let loading: Promise<WebSocketServer> | undefined;
  const load = () => {
    // Loaded by the first client that needs it.
    loading ??= import('ws').then(
      ({ WebSocketServer }) =>
        new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: options.bodyBytesMax }),
    );
    return loading;
  };
  return {
    matches: ({ method, url = '', headers }) =>
      method === 'GET' &&
      headers.upgrade?.toLowerCase() === 'websocket' &&
      headers['content-length'] === undefined &&
      headers['transfer-encoding'] === undefined &&
      /^\/api\/v1\/responses\/?(?:\?|$)/.test(url),
    async accept(request, socket, head) {
      socket.on('error', () => socket.destroy());
      try {
        if (options.closing.aborted) throw overloaded();
        assertAcceptable(request);
        const caller = await options.admit(request);
        assertCanCallModels(caller);
        const server = await load();
        const count = openOf.get(caller.id) ?? 0;
        if (count >= connectionsPerKeyMax) throw tooManyConnections();
        keepOpen(request.socket);
        server.handleUpgrade(request, socket, head, (webSocket) => {
          openOf.set(caller.id, count + 1);
          webSocket.on('close', () => decrement(openOf, caller.id));
          new ResponsesSocket(webSocket, request, options);
        });
      } catch (error) {
        refuse(request, socket, error, options);
      }
    },
  };
}

/** The checks that other requests pass before their key is checked, or with their body. */
function assertAcceptable(request: IncomingMessage): void {
  const problem = findAmbiguity(request);
  if (problem !== undefined) throw new PresetdError('invalid_request', problem);
  const { headers, url = '' } = request;
  if (isDryRun(headers, queryOf(url)))
    throw new PresetdError(
      'invalid_request',
      'There are no dry runs over a WebSocket. Send the request to POST /responses, or connect without the header x-presetd-dry-run.',
    );
}

function tooManyConnections(): PresetdError {
  return new PresetdError(
    'rate_limited',
    `This key has ${connectionsPerKeyMax} open WebSockets. Close one of them, or use it for this turn.`,
    { retryAfterSeconds: 1 },
  );
}

function decrement(counts: Map<string, number>, key: string): void {
  const count = (counts.get(key) ?? 0) - 1;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

/** There is no response object for an upgrade. */
function refuse(
  { headers }: IncomingMessage,
  socket: Duplex,
  error: unknown,
  { log, logRequest }: SocketOptions,
): void {
  const requestId = requestIdOf(headers);
  const rendered = renderError(error, { requestId, userId: undefined, dialect: 'responses', log });
  const all = {
    ...rendered.headers,
    ...commonHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(rendered.body),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${rendered.status} \r\n${lines.join('')}\r\n${rendered.body}`);
  logRequest({
    id: requestId,
    method: 'GET',
    route: '/api/v1/responses',
    status: rendered.status,
    ms: 0,
    keyId: undefined,
  });
}
