/**
 * Decides from status, headers and body what kind of response an upstream returned, and whether it
 * can be forwarded at all. Upstreams are often misconfigured or hidden behind proxies, so a 2xx
 * alone proves nothing.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { redactText } from '../response/redaction.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** An error status, a complete JSON body, an event stream, or anything forwarded as it is. */
type ResponseMode = 'error' | 'buffered' | 'stream' | 'passthrough';

/**
 * How to forward a response; undefined if it cannot be forwarded. `mediaTypes` are those that are
 * accepted besides JSON and event streams.
 */
export function classifyResponse(
  status: number,
  headers: IncomingHttpHeaders,
  mediaTypes?: RegExp,
): ResponseMode | undefined {
  if (status >= 400) return 'error';
  if (status >= 300) return undefined;
  const type = headers['content-type'] ?? 'application/json';
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
    return undefined;
  if (/^text\/event-stream\b/i.test(type)) return 'stream';
  if (/^application\/([\w.+-]+\+)?json\b/i.test(type)) return 'buffered';
  return mediaTypes?.test(type) ? 'passthrough' : undefined;
}

/** The failure for a response that `classifyResponse` returned undefined for. */
export function unusableResponse(
  upstream: Upstream,
  status: number,
  headers: IncomingHttpHeaders,
): UpstreamFailure {
  const { name } = upstream;
  if (status >= 300)
    return new UpstreamFailure(
      'garbage',
      `The upstream "${name}" returned a redirect (${status}), which presetd does not follow. Check its base URL.`,
      { isMisconfigured: true },
    );
  if (headers['content-encoding'] !== undefined)
    return new UpstreamFailure(
      'garbage',
      `The upstream "${name}" returned ${status} with a compressed body, which presetd did not request.`,
      { isMisconfigured: true },
    );
  const type = JSON.stringify(redactText(String(headers['content-type'] ?? ''), upstream));
  // Not a misconfiguration for certain: a proxy may be showing a maintenance page.
  return new UpstreamFailure(
    'garbage',
    `The upstream "${name}" returned ${status} with content type ${type} instead of JSON. Check its base URL.`,
  );
}

/** Like `Buffer.concat`, without copying a single chunk. */
export function concatChunks(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

/**
 * Whether a body starts and ends like a JSON object. That is enough to reject an HTML page, an
 * empty body and a truncated one; parsing would cost more than the rest of the call. The text is
 * decoded as latin1, in which a byte order mark reads as the three characters below.
 */
export function looksLikeJsonObject(text: string): boolean {
  return /^(ï»¿)?\s*\{/.test(text) && text.trimEnd().endsWith('}');
}

/**
 * Whether the headers say where the body ends. If the end is only marked by closing the connection,
 * a truncated body looks complete and has to be parsed.
 */
export function hasMessageFraming(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Expects text decoded as latin1, like `looksLikeJsonObject`. */
export function isValidJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^ï»¿/, ''));
    return true;
  } catch {
    return false;
  }
}

export function contentLengthOf({ 'content-length': length }: IncomingHttpHeaders): number | undefined {
  return length === undefined ? undefined : Number(length);
}
