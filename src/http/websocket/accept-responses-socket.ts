import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocketServer } from 'ws';
import { overloaded, PresetdError } from '../../core/errors.ts';
import { renderError } from '../errors/error-response.ts';
import { keepOpen } from '../protocol/connections.ts';
import { commonHeaders, requestIdOf } from '../protocol/headers.ts';
import type { UpgradeHandler } from '../protocol/http-server.ts';
import { ResponsesSocket, type SocketOptions } from './responses-socket.ts';

/** Accepts WebSockets at `/responses` from callers with an API key. */
export function acceptResponsesSockets(options: SocketOptions): UpgradeHandler {
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
        const { kind, label } = await options.admit(request);
        if (kind !== 'api')
          throw new PresetdError(
            'forbidden',
            `${label} is a management key, which cannot call models. Use an API key of a workspace.`,
          );
        const server = await load();
        keepOpen(request.socket);
        server.handleUpgrade(request, socket, head, (webSocket) => {
          new ResponsesSocket(webSocket, request, options);
        });
      } catch (error) {
        refuse(request, socket, error, options);
      }
    },
  };
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
