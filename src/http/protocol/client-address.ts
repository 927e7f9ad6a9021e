import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
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

/**
 * The part of an address that one client cannot easily change. IPv6 networks are assigned whole, so
 * only the first 64 bits count; an IPv4 address counts the same when written as IPv6. Some proxies
 * append the port, which differs by connection. Anything that is not an address shares one bucket,
 * so that sending garbage gains nothing.
 */
export function addressBucket(text: string): string {
  const withPort = /^(?:\[(?<ipv6>[^\]]+)\](?::\d+)?|(?<ipv4>[\d.]+):\d+)$/.exec(text)?.groups;
  const ip = withPort?.ipv6 ?? withPort?.ipv4 ?? text;
  if (isIP(ip) === 0) return 'unknown';
  if (isIP(ip) === 4) return ip;
  const groups = ipv6Groups(ip);
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  if (isMapped) return groups.slice(6).flatMap(bytesOfGroup).join('.');
  return `${groups.slice(0, 4).join(':')}::`.replace(/(^|:)0(:0)*::$/, '::');
}

/** The eight groups of a valid IPv6 address, in hexadecimal without leading zeros. */
function ipv6Groups(ip: string): readonly string[] {
  // `URL` normalizes case, zeros and a trailing IPv4 address, but does not know zones.
  const { hostname } = new URL(`http://[${ip.replace(/%.*/, '')}]`);
  const [start = [], end = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  return [...start, ...new Array<string>(8 - start.length - end.length).fill('0'), ...end];
}

function bytesOfGroup(group: string): readonly number[] {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
}
