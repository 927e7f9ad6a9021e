import type { IncomingHttpHeaders } from 'node:http';
import type { UpstreamKind } from './upstreams/upstream.ts';

const tracing = ['traceparent', 'tracestate'];
const anthropic = ['anthropic-beta', 'anthropic-version'];

/** What a client says to the upstream, and not to presetd. Nothing else of it is passed on, least of all its key. */
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

export function forwardedHeaders(
  kind: UpstreamKind,
  headers: IncomingHttpHeaders,
  /** What the operator has set is not for clients to say. */
  configured: ReadonlySet<string>,
): string[] {
  const passed: string[] = [];
  for (const name in headers) {
    const isForIt = forwarded[kind].has(name) || (kind === 'openrouter' && name.startsWith('x-openrouter-'));
    const value = headers[name];
    if (isForIt && typeof value === 'string' && !configured.has(name)) passed.push(name, value);
  }
  return passed;
}

/** What concerns the connection to the upstream alone, or its keys and cookies, or would speak for presetd. */
const kept = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'content-type',
  'content-encoding',
  'content-md5',
  'content-digest',
  'content-range',
  'etag',
  'date',
  'server',
  'via',
  'x-powered-by',
  'alt-svc',
  'strict-transport-security',
  'public-key-pins',
  'clear-site-data',
  'location',
  'refresh',
  'set-cookie',
  'www-authenticate',
  'authorization',
  'x-api-key',
  'x-request-id',
  'x-accel-buffering',
  'content-security-policy',
  'report-to',
  'nel',
]);

/** The headers of an answer that the client gets. One that repeats the upstream's key is left out. */
export function returnedHeaders(
  headers: IncomingHttpHeaders,
  secret: string | undefined,
): (string | string[])[] {
  const passed: (string | string[])[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || kept.has(name)) continue;
    if (name.startsWith('x-presetd-') || name.startsWith('access-control-')) continue;
    if (tellsSecret(String(value), secret) || tellsSecret(name, secret)) continue;
    passed.push(name, value);
  }
  const { 'x-request-id': requestId } = headers;
  if (typeof requestId === 'string' && !tellsSecret(requestId, secret))
    passed.push('x-upstream-request-id', requestId);
  return passed;
}

/** Local servers are often given a key such as `x`, which is no secret and is in everything. */
const secretCharactersMin = 8;

function tellsSecret(text: string, secret: string | undefined): boolean {
  return secret !== undefined && secret.length >= secretCharactersMin && text.includes(secret);
}

export function withoutSecret(text: string, secret: string | undefined): string {
  return secret !== undefined && tellsSecret(text, secret) ? text.replaceAll(secret, '…') : text;
}
