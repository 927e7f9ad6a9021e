import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A caller's own id is kept when it is harmless, so that one id follows a request through several services. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

/**
 * Headers of every answer, whichever code path writes it. Answers repeat what callers and upstreams wrote, so a browser
 * must not guess that some of it is a page.
 */
export function commonHeaders(requestId: string) {
  return { 'x-request-id': requestId, ...noSniff };
}

export const noSniff = { 'x-content-type-options': 'nosniff' };

/** The same as names and values in turn. */
export function commonHeaderList(requestId: string): readonly string[] {
  return ['x-request-id', requestId, 'x-content-type-options', 'nosniff'];
}
