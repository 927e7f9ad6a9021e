import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';

/** Determines the address of the client behind trusted proxies, for limits and the log. */
export interface ClientAddress {
  /** Fastify's `trustProxy` option, with which `request.ip` equals `of`. */
  readonly trustProxy: false | ((address: string, hop: number) => boolean);
  /** The client's address; empty if the connection is already closed. */
  of(request: IncomingMessage): string;
}

/**
 * `trustedProxies` are addresses, ranges and range names (such as `loopback`) whose
 * `X-Forwarded-For` is trusted. From anyone else the header is ignored.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0)
    return { trustProxy: false, of: ({ socket }) => socket.remoteAddress ?? '' };
  const trustProxy = proxyAddr.compile([...trustedProxies]);
  return { trustProxy, of: (request) => proxyAddr(request, trustProxy) ?? '' };
}
