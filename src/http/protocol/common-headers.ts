import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * The id under which a request is logged. The caller's own `x-request-id` is used if it is safe to
 * log, so that one id follows a request through several services; otherwise a new one is generated.
 */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && /^[\w.:-]{1,128}$/.test(sent) ? sent : randomUUID();
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
