import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { trackResponse } from './client-error.ts';
import {
  closeIdleConnections,
  closeStalledReaders,
  openConnections,
  requestTimeouts,
} from './connection-timeouts.ts';
import { isEnding, lingerOnClose } from './end-connection.ts';

/** Longer than a balancer in front of it, which commonly takes a minute, so that it is not cut off while it sends. */
const keepAliveTimeout = 72_000;

/**
 * An HTTP server whose clients cannot hold idle connections open: requests and responses have a
 * time limit, and a connection that is ended is gone a second later. The caller answers
 * 'clientError' by `answerUnreadable`.
 */
export function createHttpServer(
  clientTimeoutMs: number,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const accept = (request: IncomingMessage, response: ServerResponse) => {
    if (isEnding(request.socket)) {
      // Unread bytes would make the kernel reset the connection, and the client lose the last response.
      request.resume();
      return;
    }
    trackResponse(response);
    // Node.js stops parsing after an Upgrade header, even if the response is an ordinary one.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    serve(request, response);
  };
  // `requireHostHeader: false`: Node.js would answer itself; `ambiguityIn` checks the header
  // instead.
  const options = { keepAliveTimeout, ...requestTimeouts(clientTimeoutMs), requireHostHeader: false };
  const server = createServer(options, accept);
  // Those past a number would not be seen, but obeyed. Their length has a limit.
  server.maxHeadersCount = 0;
  // Node.js would answer by itself what expects anything else than to be told to continue.
  server.on('checkExpectation', accept);
  closeStalledReaders(server, clientTimeoutMs);
  closeIdleConnections(server, openConnections(server), keepAliveTimeout + 2 * clientTimeoutMs);
  lingerOnClose(server);
  return server;
}
