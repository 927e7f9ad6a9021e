import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { PresetdError } from '../../core/errors.ts';
import { sendRawError } from '../errors/error-response.ts';
import type { RequestLog } from '../request-log.ts';

/**
 * Rejects requests that a proxy in front of us may parse differently than Node.js does, and returns
 * whether it did. The two could disagree on where such a request ends, which allows request
 * smuggling, so the connection ends, too.
 */
export function rejectAmbiguousRequest(
  request: IncomingMessage,
  response: ServerResponse,
  logRequest: RequestLog,
  log: FastifyBaseLogger,
): boolean {
  const problem = findAmbiguity(request);
  if (problem === undefined) return false;
  response.shouldKeepAlive = false;
  const { requestId, status } = sendRawError(
    request,
    response,
    new PresetdError('invalid_request', problem),
    log,
  );
  const { method = '' } = request;
  logRequest({ id: requestId, method, route: undefined, status, ms: 0, keyId: undefined });
  return true;
}

/**
 * The problem as an error message; undefined if there is none. Runs for every request, so it is
 * cheap.
 */
export function findAmbiguity({ headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    if (httpVersion !== '1.1')
      return `HTTP/${httpVersion} does not support Transfer-Encoding. Send a Content-Length, or use HTTP/1.1.`;
    if (coding.toLowerCase() !== 'chunked')
      return 'The only supported Transfer-Encoding is "chunked". Send that alone, or a Content-Length.';
  }
  if (headers.host === undefined)
    return httpVersion === '1.1' ? 'The Host header is missing. HTTP/1.1 requires it.' : undefined;
  return hasMultipleHosts(rawHeaders) ? 'There is more than one Host header. Send exactly one.' : undefined;
}

/** `headers` has only the first of several Host headers, so the raw list is searched. */
function hasMultipleHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}
