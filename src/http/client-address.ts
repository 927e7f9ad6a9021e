import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';

/** Where a request comes from, as reported by trusted proxies only. */
export interface ClientAddress {
  /** For Fastify, whose `request.ip` then is what `of` returns. */
  readonly trustProxy: false | ((address: string, hop: number) => boolean);
  /** Empty where the connection is closed already. */
  of(request: IncomingMessage): string;
}

/** `trustedProxies` are addresses, ranges and names of ranges whose X-Forwarded-For is believed. */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0)
    return { trustProxy: false, of: ({ socket }) => socket.remoteAddress ?? '' };
  const trustProxy = proxyAddr.compile([...trustedProxies]);
  return { trustProxy, of: (request) => proxyAddr(request, trustProxy) ?? '' };
}
