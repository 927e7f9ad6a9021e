import type { IncomingHttpHeaders } from 'node:http';
import { containsSecret } from './redaction.ts';
import type { Upstream } from './upstreams/upstream.ts';

/**
 * The upstream's response headers that clients get. Everything else is dropped: browsers act on headers that do not exist yet, on
 * behalf of presetd's origin, and upstreams describe the operator's account in theirs.
 */
const returned: ReadonlySet<string> = new Set([
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'ratelimit',
  'request-id',
  'x-generation-id',
  'cf-ray',
  'apim-request-id',
  'x-ms-request-id',
  'x-amzn-requestid',
  'x-amzn-request-id',
  'cf-aig-log-id',
  'openai-model',
  'openai-version',
  'openai-processing-ms',
  'x-model',
  'x-model-id',
  'x-provider',
  'x-inference-time',
  'x-processing-time',
  'x-queue-time',
  'x-total-time',
  'x-envoy-upstream-service-time',
]);

const returnedPrefixes = /^(?:x-ratelimit-|ratelimit-|anthropic-(?:ratelimit|priority|fast)-|x-openrouter-)/;

/** A header that repeats a secret of the upstream is dropped as well. */
export function returnedHeaders(headers: IncomingHttpHeaders, upstream: Upstream): (string | string[])[] {
  const ofConnection = namedIn(headers.connection);
  const passed: (string | string[])[] = [];
  for (const name in headers) {
    const value = headers[name];
    const isUpstreamId = name === 'x-request-id';
    if (value === undefined || !(isUpstreamId || returned.has(name) || returnedPrefixes.test(name))) continue;
    if (ofConnection.includes(name) || containsSecret(`${name}: ${value}`, upstream)) continue;
    // presetd has an id of its own under that name.
    passed.push(isUpstreamId ? 'x-upstream-request-id' : name, value);
  }
  return passed;
}

/** The upstream's content type, or the bare type where its own repeats a secret or comes twice. */
export function returnedType({ 'content-type': type }: IncomingHttpHeaders, upstream: Upstream): string {
  if (typeof type === 'string' && !containsSecret(type, upstream)) return type;
  return /^text\/event-stream\b/i.test(String(type)) ? 'text/event-stream' : 'application/json';
}

const none: readonly string[] = [];

/** The headers that concern the connection because its own says so. */
function namedIn(connection: string | string[] | undefined): readonly string[] {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return none;
  return String(connection)
    .toLowerCase()
    .split(/[\s,]+/);
}
