import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isOptionalBody, type Operation } from '../../api/operation.ts';
import { PresetdError } from '../../core/errors.ts';
import { parseJsonBody } from './json-body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The parsed body with every number digit for digit; see `json-body.ts`. */
    exactBody: unknown;
    /** SHA-256 of the raw body if the request has an idempotency key; otherwise empty. */
    bodyHash: string;
  }
}

/**
 * Replaces the framework's body parsers with our strict JSON parser. Any other media type is 415,
 * except on routes with their own parser.
 */
export function acceptOnlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // Some clients send a Content-Type without a body, as curl does with an empty one. The framework
  // would reject it.
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request;
    if (headers['content-type'] === undefined) return done();
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (!requiresBody(request) && !hasBody) delete headers['content-type'];
    done();
  });
  parseAsJson(app, 'application/json');
}

/** Reads bodies of a media type with our strict JSON parser. */
export function parseAsJson(scope: FastifyInstance, mediaType: string): void {
  scope.addContentTypeParser(mediaType, { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      assertNotCompressed(request);
      if (bytes.length === 0 && !requiresBody(request)) return done(null, undefined);
      const { value, exactValue } = parseJsonBody(bytes as Buffer);
      request.exactBody = exactValue;
      if (request.headers['idempotency-key'] !== undefined) request.bodyHash = hash('sha256', bytes, 'hex');
      done(null, value);
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Whether the route has a body that must not be omitted. */
function requiresBody({ routeOptions }: FastifyRequest): boolean {
  const body = routeOptions.schema?.body as Operation['body'];
  return body !== undefined && !isOptionalBody(body);
}

/** Compressed bodies are not decoded: a small one could expand to fill the memory. */
export function assertNotCompressed({ headers }: { headers: IncomingHttpHeaders }): void {
  if ((headers['content-encoding'] ?? 'identity') === 'identity') return;
  throw new PresetdError(
    'unsupported_media_type',
    'The request body is compressed. Send it uncompressed, without a Content-Encoding header.',
  );
}

/**
 * For routes that change one thing. A prompt may have megabytes; the body that renames it need not,
 * and without a limit of its own every such route would buffer as much as a capture does.
 */
const smallBodyBytesMax = 64 * 1_024;

/** For lists of up to 500 people, with room to spare. */
const listBodyBytesMax = 1_024 * 1_024;

/** Route options for a body of at most 64 KiB, or less if the server's own limit is lower. */
export function smallBodyLimit(scope: FastifyInstance): { readonly bodyLimit: number } {
  return limitTo(smallBodyBytesMax, scope);
}

/** Route options for a body of at most 1 MiB, or less if the server's own limit is lower. */
export function listBodyLimit(scope: FastifyInstance): { readonly bodyLimit: number } {
  return limitTo(listBodyBytesMax, scope);
}

function limitTo(bytesMax: number, { initialConfig }: FastifyInstance) {
  return { bodyLimit: Math.min(bytesMax, initialConfig.bodyLimit ?? bytesMax) };
}

/** Whether a limit is one of these, so that raising PRESETD_BODY_LIMIT would not help. */
export function isRouteBodyLimit(bytesMax: number): boolean {
  return bytesMax === smallBodyBytesMax || bytesMax === listBodyBytesMax;
}
