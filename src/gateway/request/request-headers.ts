/** The headers of requests to upstreams. */

import type { IncomingHttpHeaders } from 'node:http';
import type { UpstreamKind } from '../upstreams/upstream.ts';
import { kinds } from '../upstreams/upstream-kinds.ts';

/** Alternating names and values. Clients cannot override headers that are already `configured`. */
export function forwardedHeaders(
  kind: UpstreamKind,
  headers: IncomingHttpHeaders,
  configured: ReadonlySet<string>,
): string[] {
  const list: string[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (isForwarded(kind, name) && typeof value === 'string' && !configured.has(name)) list.push(name, value);
  }
  return list;
}

/** Whether clients may set this header of an upstream. `name` must be lower case. */
export function isForwarded(kind: UpstreamKind, name: string): boolean {
  const { forwardedHeaders: names, forwardedPrefix: prefix } = kinds[kind];
  return names.has(name) || (prefix !== undefined && name.startsWith(prefix));
}

export function authHeader(kind: UpstreamKind, secret: string): Record<string, string> {
  const { keyHeader } = kinds[kind];
  return { [keyHeader]: keyHeader === 'authorization' ? `Bearer ${secret}` : secret };
}
