import type { IncomingHttpHeaders } from 'node:http';
import type { Upstream, UpstreamKind } from './upstreams/upstream.ts';

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
    const value = headers[name];
    if (isForwarded(kind, name) && typeof value === 'string' && !configured.has(name))
      passed.push(name, value);
  }
  return passed;
}

function isForwarded(kind: UpstreamKind, name: string): boolean {
  return forwarded[kind].has(name) || (kind === 'openrouter' && name.startsWith('x-openrouter-'));
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
  const secrets = secretsOf(upstream);
  const ofConnection = namedIn(headers.connection);
  const passed: (string | string[])[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || kept.has(name) || ofConnection.includes(name)) continue;
    if (name.startsWith('x-presetd-') || name.startsWith('access-control-')) continue;
    if (tellsSecret(String(value), secrets) || tellsSecret(name, secrets)) continue;
    passed.push(name, value);
  }
  const { 'x-request-id': requestId } = headers;
  if (
    typeof requestId === 'string' &&
    !ofConnection.includes('x-request-id') &&
    !tellsSecret(requestId, secrets)
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

function tellsSecret(text: string, secrets: readonly string[]): boolean {
  for (const secret of secrets) if (text.includes(secret)) return true;
  return false;
}

export function withoutSecrets(text: string, upstream: Upstream): string {
  return secretsOf(upstream).reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
}

const found = new WeakMap<Upstream, readonly string[]>();

/** What an upstream is sent and its clients are not told, in all ways in which JSON may write it; found once for each. */
function secretsOf(upstream: Upstream): readonly string[] {
  let secrets = found.get(upstream);
  if (secrets === undefined) {
    secrets = findSecrets(upstream);
    found.set(upstream, secrets);
  }
  return secrets;
}

/** Its key, and what of the operator's headers looks like one. */
function findSecrets({ key, kind, headers }: Upstream): readonly string[] {
  const values = Object.entries(headers)
    .filter(([name, value]) => !isForwarded(kind, name) && (secretName.test(name) || looksRandom(value)))
    .map(([, value]) => value.trim().replace(/^(?:basic|bearer|token) +/i, ''));
  const secrets = [key?.secret ?? '', ...values].filter(isLongEnough).flatMap((secret) => {
    const inJson = JSON.stringify(secret).slice(1, -1);
    return [secret, inJson, inJson.replaceAll('/', '\\/')];
  });
  // One may be part of another.
  return [...new Set(secrets)].toSorted((a, b) => b.length - a.length);
}

/** Local servers are often given a key such as `x`, which is no secret and is in everything. Digits alone may be any number. */
function isLongEnough(text: string): boolean {
  return text.length >= 8 && !/^\d+$/.test(text);
}

const secretName = /auth|cookie|credential|key|pass|secret|signature|token/i;

/** Names of regions, providers and products do not, and are in what an upstream rightly says. */
function looksRandom(text: string): boolean {
  return text.length >= 16 && /\d/.test(text) && /[a-z]/i.test(text) && !/\s/.test(text);
}
