import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { trackResponse } from '../overload/response-tracker.ts';
import {
  closeIdleConnections,
  closeStalledReaders,
  openConnections,
  requestTimeouts,
} from './connection-timeouts.ts';
import { isEnding, lingerOnClose } from './end-connection.ts';

/**
 * Longer than the idle timeout of common load balancers (60 s), so that the balancer closes an idle
 * connection first. If the server did, a request sent at the same moment would be lost.
 */
const keepAliveTimeout = 72_000;

/**
 * Creates the HTTP server that both the API and the metrics port use. Clients cannot hold idle
 * connections open: requests and responses have a time limit, and an ended connection is gone a
 * second later. The caller must handle 'clientError' with `handleClientError`.
 */
export function createHttpServer(
  clientTimeoutMs: number,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const accept = (request: IncomingMessage, response: ServerResponse) => {
    if (isEnding(request.socket)) {
      // Unread bytes would make the kernel reset the connection, and the client would lose the
      // last response.
      request.resume();
      return;
    }
    trackResponse(response);
    // Node.js stops parsing after an Upgrade header, even if the response is an ordinary one.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    serve(request, response);
  };
  // `requireHostHeader: false`: Node.js would respond by itself, without the common headers.
  // `findAmbiguity` checks the header instead.
  const options = { keepAliveTimeout, ...requestTimeouts(clientTimeoutMs), requireHostHeader: false };
  const server = createServer(options, accept);
  // No limit on the number of headers: Node.js drops those past the limit from `headers` but still
  // acts on them, so a check could miss a Transfer-Encoding. Their total size is limited anyway.
  server.maxHeadersCount = 0;
  // Node.js would respond 417 by itself to any Expect header other than 100-continue.
  server.on('checkExpectation', accept);
  closeStalledReaders(server, clientTimeoutMs);
  closeIdleConnections(server, openConnections(server), keepAliveTimeout + 2 * clientTimeoutMs);
  lingerOnClose(server);
  return server;
}
