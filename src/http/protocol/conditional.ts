import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { PresetdError } from '../../core/errors.ts';
import type { Precondition } from '../../core/presets/precondition.ts';

// Conditional requests (RFC 9110, section 13): ETag, If-Match and If-None-Match.

const tagPattern = '(?:W/)?"([\\x21\\x23-\\x7e\\x80-\\xff]*)"';
const tagExpression = new RegExp(tagPattern, 'g');
const tagListExpression = new RegExp(`^[ \\t]*(?:${tagPattern}[ \\t]*(?:,[ \\t]*|$))+$`);

/** Clients may cache what they read, but must revalidate it before each use. */
export const readCacheControl = 'private, no-cache';

/** Sends what was read with its ETag, or 304 without a body if the client already has it. */
export function sendWithEtag(
  headers: IncomingHttpHeaders,
  reply: FastifyReply,
  tag: string,
  render: () => string | Buffer,
): FastifyReply {
  setEtag(reply, tag);
  reply.header('cache-control', readCacheControl);
  if (matchesEtag(headers['if-none-match'], tag)) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(render());
}

/** For writes, whose response carries the new ETag and is not cacheable. */
export function setEtag(reply: FastifyReply, tag: string): void {
  reply.header('etag', etagOf(tag));
}

export function etagOf(tag: string): string {
  return `"${tag}"`;
}

/**
 * The precondition of a write: `If-Match` with the ETags of a read, or `If-None-Match: *` for a
 * preset or draft that must not exist yet. Both fields are undefined without the headers.
 */
export function preconditionOf(
  headers: IncomingHttpHeaders,
  noun: 'preset' | 'draft' = 'preset',
): Precondition {
  const mustBeNew =
    headers['if-none-match'] === undefined ? undefined : parseIfNoneMatch(headers['if-none-match'], noun);
  const ifMatch = headers['if-match'] === undefined ? undefined : parseIfMatch(headers['if-match']);
  return { ifMatch, mustBeNew };
}

function parseIfMatch(header: string): readonly string[] | '*' {
  if (header.trim() === '*') return '*';
  // Weak tags are accepted: a compressing proxy weakens ours, and they still identify the state.
  if (tagListExpression.test(header)) return parseTags(header);
  throw new PresetdError(
    'invalid_request',
    'The header If-Match must be * or an ETag with its quotes, such as If-Match: "…".',
  );
}

function parseIfNoneMatch(header: string, noun: string): boolean {
  if (header.trim() === '*') return true;
  throw new PresetdError(
    'invalid_request',
    `On a write, the header If-None-Match must be *, which requires that the ${noun} does not exist yet.`,
  );
}

export function matchesEtag(header: string | undefined, tag: string): boolean {
  return header !== undefined && (header.trim() === '*' || parseTags(header).includes(tag));
}

function parseTags(header: string): readonly string[] {
  return [...header.matchAll(tagExpression)].map(([, tag = '']) => tag);
}
