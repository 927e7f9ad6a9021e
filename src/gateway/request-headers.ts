/** The headers of requests to upstreams. */

import type { IncomingHttpHeaders } from 'node:http';
import type { UpstreamKind } from './upstreams/upstream.ts';

const tracing = ['traceparent', 'tracestate'];
const anthropic = ['anthropic-beta', 'anthropic-version'];

/**
 * The client headers that are meant for the upstream. This is an allow list: everything else stays
 * with presetd, above all the client's API key.
 */
const forwarded: Readonly<Record<UpstreamKind, ReadonlySet<string>>> = {
  openrouter: new Set([
    ...tracing,
    'http-referer',
    'x-title',
    'x-session-id',
    ...anthropic,
    'x-anthropic-beta',
  ]),
  openai: new Set([...tracing, 'openai-beta', 'x-client-request-id']),
  anthropic: new Set([...tracing, ...anthropic]),
  'openai-compatible': new Set([...tracing, ...anthropic]),
};

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
  return forwarded[kind].has(name) || (kind === 'openrouter' && name.startsWith('x-openrouter-'));
}

/** Anthropic expects its key in `x-api-key`, everyone else in `authorization`. */
export function authHeader(kind: UpstreamKind, secret: string): Record<string, string> {
  return kind === 'anthropic' ? { 'x-api-key': secret } : { authorization: `Bearer ${secret}` };
}

/** Anthropic requires a version. This has been the only one for years. */
export const defaultAnthropicVersion = { 'anthropic-version': '2023-06-01' };
