import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { PresetdError } from '../core/errors.ts';
import { endConnection } from './end-connection.ts';
import { sendRawError } from './raw-error-response.ts';
import type { RequestLog } from './request-log.ts';

/**
 * Refuses what Node.js takes and a proxy may read otherwise, and ends the connection: where it ends, and so what comes after it,
 * is not the same for both.
 */
export function rejectAmbiguousRequest(
  request: IncomingMessage,
  response: ServerResponse,
  logRequest: RequestLog,
  log: FastifyBaseLogger,
): boolean {
  const problem = findAmbiguity(request);
  if (problem === undefined) return false;
  endConnection(response);
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

/** What is wrong with a request that two readers may read differently; undefined for nearly all. Asked of every request. */
export function findAmbiguity({ headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    if (httpVersion !== '1.1')
      return `HTTP/${httpVersion} has no Transfer-Encoding. Send the body with a Content-Length, or with HTTP/1.1.`;
    if (coding.toLowerCase() !== 'chunked')
      return 'The only Transfer-Encoding that can be read is "chunked". Send the body with that alone, or with a Content-Length.';
  }
  if (headers.host === undefined)
    return httpVersion === '1.1' ? 'There is no Host header, which HTTP/1.1 requires. Send one.' : undefined;
  return hasMultipleHosts(rawHeaders) ? 'There is more than one Host header. Send one.' : undefined;
}

/** Of several, `headers` has the first alone. */
function hasMultipleHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}
