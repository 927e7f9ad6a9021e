import type { IncomingHttpHeaders } from 'node:http';
import { redactText } from './redaction.ts';
import { UpstreamFailure } from './upstream-failure.ts';
import type { Upstream } from './upstreams/upstream.ts';

/** An upstream refuses, answers as a whole, or in a stream. */
export type ResponseMode = 'refusal' | 'whole' | 'stream';

/** How an answer is passed on; undefined for one that cannot be. */
export function classifyResponse(status: number, headers: IncomingHttpHeaders): ResponseMode | undefined {
  if (status >= 400) return 'refusal';
  if (status >= 300) return undefined;
  const type = headers['content-type'] ?? 'application/json';
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
    return undefined;
  if (/^text\/event-stream\b/i.test(type)) return 'stream';
  return /^application\/([\w.+-]+\+)?json\b/i.test(type) ? 'whole' : undefined;
}

export function unusableResponse(
  upstream: Upstream,
  status: number,
  headers: IncomingHttpHeaders,
): UpstreamFailure {
  const { name } = upstream;
  if (status >= 300)
    return new UpstreamFailure(
      'garbage',
      `The upstream "${name}" answered with a redirect (${status}), which is not followed. Check its base URL.`,
      { isMisconfigured: true },
    );
  const isCompressed = headers['content-encoding'] !== undefined;
  const type = JSON.stringify(redactText(String(headers['content-type'] ?? ''), upstream));
  const what = isCompressed
    ? 'that is compressed, which was not asked for'
    : `of the type ${type} instead of JSON. Check its base URL`;
  // A page instead of JSON may be one that a proxy shows for a moment.
  return new UpstreamFailure('garbage', `The upstream "${name}" answered ${status} with something ${what}.`, {
    isMisconfigured: isCompressed,
  });
}

export function concatChunks(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

/**
 * Whether the bytes of a text can be those of an object, by its ends. That tells it from a page, from half of itself and from
 * nothing; to parse it would take longer than all the rest. A byte order mark may stand before it.
 */
export function looksLikeJsonObject(text: string): boolean {
  return /^(ï»¿)?\s*\{/.test(text) && text.trimEnd().endsWith('}');
}

/** Whether the upstream says where its answer ends. Where it only closes the connection, half of one looks like all of it. */
export function hasMessageFraming(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

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
