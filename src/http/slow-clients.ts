import type { Server } from 'node:http';

/** So that nobody holds connections open by sending a byte now and then. A body may take twice as long as the headers. */
export function arrivalTimeouts(clientTimeoutMs: number): {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
} {
  return {
    headersTimeout: clientTimeoutMs,
    requestTimeout: 2 * clientTimeoutMs,
    connectionsCheckingInterval: Math.max(100, clientTimeoutMs / 4),
  };
}

/**
 * Closes a connection whose client takes nothing of what is there for it. One that waits for an answer may wait. Node.js tells of both, and of
 * connections that were kept for a next request, by the same event; it marks the last by another timeout.
 */
export function closeUnread(server: Server, clientTimeoutMs: number): void {
  // Odd, which no time to keep a connection is.
  const unreadMs = clientTimeoutMs | 1;
  server.setTimeout(unreadMs, (socket) => {
    const isKept = socket.timeout !== unreadMs;
    if (isKept || socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(unreadMs);
  });
}
