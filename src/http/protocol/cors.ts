import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestLog } from '../request-log.ts';
import { commonHeaders, requestIdOf } from './headers.ts';

/**
 * Lets web pages of configured origins call the API (cross-origin resource sharing).
 *
 * The headers are set on the raw response before anything else runs. Node.js merges them with the
 * headers of the actual response, whether the fast path, the framework, the gateway or load
 * shedding sends it. Credentials are never allowed, so a page has to send its own key.
 */
interface Cors {
  addHeaders(request: IncomingMessage, response: ServerResponse): void;
  /** Responds to a preflight request of an allowed origin, and returns whether it did. */
  respondToPreflight(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Undefined if no origin is allowed. `*` allows all. */
export function createCors(origins: readonly string[], logRequest: RequestLog): Cors | undefined {
  if (origins.length === 0) return undefined;
  const allowsAll = origins.includes('*');
  const allowed = new Set(origins);
  const isAllowed = ({ headers: { origin } }: IncomingMessage) =>
    origin !== undefined && (allowsAll || allowed.has(origin));
  return {
    addHeaders(request, response) {
      if (!isApi(request)) return;
      if (!allowsAll) response.setHeader('vary', 'origin');
      if (!isAllowed(request)) return;
      response.setHeader('access-control-allow-origin', allowsAll ? '*' : (request.headers.origin ?? ''));
      response.setHeader('access-control-expose-headers', '*');
    },
    respondToPreflight(request, response) {
      const { method, headers } = request;
      const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
      if (!isPreflight || !isApi(request) || !isAllowed(request)) return false;
      const id = requestIdOf(headers);
      const requested = allowedHeaders(headers['access-control-request-headers']);
      response.writeHead(204, {
        ...commonHeaders(id),
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        ...(requested !== '' && { 'access-control-allow-headers': requested }),
        'access-control-max-age': maxAgeSeconds,
      });
      response.end();
      logRequest({ id, method, route: undefined, status: 204, ms: 0, keyId: undefined });
      return true;
    },
  };
}

/** How long a browser may reuse the response to a preflight request. Chromium's maximum. */
const maxAgeSeconds = '7200';

/** The pages of the dashboard and the API reference are for their own origin. */
function isApi({ url = '' }: IncomingMessage): boolean {
  return /^\/api(?:[/?]|$)/.test(url);
}

/**
 * The requested headers that pages may send, which are those of the API, of tracing and of the
 * official SDKs. Not all that exist: a page must not forge `X-Forwarded-For`, for example.
 */
function allowedHeaders(requested = ''): string {
  const names = requested.toLowerCase().split(',');
  return names
    .map((name) => name.trim())
    .filter((name) => allowedNames.has(name) || allowedPrefixes.test(name))
    .join(', ');
}

const allowedNames: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'cache-control',
  'content-type',
  'http-referer',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-api-key',
  'x-client-request-id',
  'x-grok-conv-id',
  'x-request-id',
  'x-session-affinity',
  'x-session-id',
  'x-title',
]);

const allowedPrefixes = /^(?:x-)?(?:anthropic|openai|openrouter|presetd|stainless)-[a-z0-9-]{1,64}$/;
