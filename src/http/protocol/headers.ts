import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { PresetdError } from '../../core/errors.ts';

/**
 * The id under which a request is logged. The caller's own `x-request-id` is used if it is safe to
 * log, so that one id follows a request through several services; otherwise a new one is generated.
 */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && /^[\w.:-]{1,128}$/.test(sent) ? sent : randomUUID();
}

/**
 * The idempotency key of a request; undefined if it has none. Throws if it is malformed: visible
 * ASCII is safe to store, to log and to repeat in an error message.
 */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new PresetdError(
    'invalid_request',
    'The header Idempotency-Key must be 1 to 255 visible ASCII characters without spaces, such as a UUID.',
  );
}

/** Headers of every response, whichever code path writes it. */
export function commonHeaders(requestId: string) {
  return { 'x-request-id': requestId, ...noSniff };
}

/** Responses repeat what callers and upstreams wrote; a browser must not guess that it is HTML. */
export const noSniff = { 'x-content-type-options': 'nosniff' };

/** `commonHeaders` as a flat list of names and values. */
export function commonHeaderList(requestId: string): readonly string[] {
  return ['x-request-id', requestId, 'x-content-type-options', 'nosniff'];
}

/**
 * Security headers for HTML pages: what the page may load (`policy` is a list of CSP directives),
 * and that no other site may frame or script it.
 */
export function pageHeaders(policy: readonly string[]): Readonly<Record<string, string>> {
  return {
    'content-security-policy': [...policy, ...always].join('; '),
    ...noSniff,
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  };
}

/** No page of ours submits forms, sets a base URL or may be framed. */
const always = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];
