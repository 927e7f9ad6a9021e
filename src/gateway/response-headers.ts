import type { IncomingHttpHeaders } from 'node:http';
import { tellsSecret } from './redaction.ts';
import type { Upstream } from './upstreams/upstream.ts';

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
  'set-cookie2',
  'www-authenticate',
  'authentication-info',
  'authorization',
  'x-api-key',
  'x-request-id',
  'x-accel-buffering',
  'content-security-policy',
  'report-to',
  'nel',
]);

/** The headers of an answer that the client gets. One that repeats a secret of the upstream is left out. */
export function returnedHeaders(headers: IncomingHttpHeaders, upstream: Upstream): (string | string[])[] {
  const ofConnection = namedIn(headers.connection);
  const passed: (string | string[])[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || kept.has(name) || ofConnection.includes(name)) continue;
    if (name.startsWith('x-presetd-') || name.startsWith('access-control-')) continue;
    if (tellsSecret(`${name}: ${value}`, upstream)) continue;
    passed.push(name, value);
  }
  const { 'x-request-id': requestId } = headers;
  if (
    typeof requestId === 'string' &&
    !ofConnection.includes('x-request-id') &&
    !tellsSecret(requestId, upstream)
  )
    passed.push('x-upstream-request-id', requestId);
  return passed;
}

const none: readonly string[] = [];

/** The headers that concern the connection because its own says so. */
function namedIn(connection: string | string[] | undefined): readonly string[] {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return none;
  return String(connection)
    .toLowerCase()
    .split(/[\s,]+/);
}

/** The upstream's content type, or the bare type where its own repeats a secret or comes twice. */
export function returnedType({ 'content-type': type }: IncomingHttpHeaders, upstream: Upstream): string {
  if (typeof type === 'string' && !tellsSecret(type, upstream)) return type;
  return /^text\/event-stream\b/i.test(String(type)) ? 'text/event-stream' : 'application/json';
}
