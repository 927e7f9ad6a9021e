import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { PresetdError } from '../core/errors.ts';
import type { Precondition } from '../core/precondition.ts';

const tagPattern = '(?:W/)?"([\\x21\\x23-\\x7e\\x80-\\xff]*)"';
const tagExpression = new RegExp(tagPattern, 'g');
const tagListExpression = new RegExp(`^[ \\t]*(?:${tagPattern}[ \\t]*(?:,[ \\t]*|$))+$`);

const documentedTag = '(W/)?"[!#-~\\u0080-\\u00ff]*"';

/** What the routes say of these headers. */
export const ifMatchHeader = {
  type: 'string',
  pattern: `^(\\*|${documentedTag}([ \\t]*,[ \\t]*${documentedTag})*)$`,
  description: 'The ETag that the preset must still have, a list of them, or `*` for any.',
};
export const ifMatch = { type: 'object', properties: { 'if-match': ifMatchHeader } };
export const ifNoneMatch = {
  type: 'object',
  properties: { 'if-none-match': { type: 'string', description: 'An ETag that you have already.' } },
};
export const notModified = { description: 'It still has the ETag that you have.', type: 'null' };

/** What was read may be kept, but must be asked about at each use. */
export const readCacheControl = 'private, no-cache';

/** Answers with the tag of what was read, and without the body when the reader has just that already. */
export function sendWithEtag(
  headers: IncomingHttpHeaders,
  reply: FastifyReply,
  tag: string,
  render: () => string,
): FastifyReply {
  setEtag(reply, tag);
  reply.header('cache-control', readCacheControl);
  if (matchesEtag(headers['if-none-match'], tag)) return reply.code(304).send();
  return reply.type('application/json').send(render());
}

export function setEtag(reply: FastifyReply, tag: string): void {
  reply.header('etag', etagOf(tag));
}

export function etagOf(tag: string): string {
  return `"${tag}"`;
}

/** What a write demands of the preset: `If-Match` with the tags of a read, `If-None-Match: *` for one that is new. */
export function preconditionOf(headers: IncomingHttpHeaders): Precondition {
  const mustBeNew =
    headers['if-none-match'] === undefined ? undefined : parseIfNoneMatch(headers['if-none-match']);
  const ifMatch = headers['if-match'] === undefined ? undefined : parseIfMatch(headers['if-match']);
  return { ifMatch, mustBeNew };
}

function parseIfMatch(header: string): readonly string[] | '*' {
  if (header.trim() === '*') return '*';
  // A proxy that compresses weakens the tags it passes on; they still tell one state from another.
  if (tagListExpression.test(header)) return parseTags(header);
  throw new PresetdError(
    'invalid_request',
    'The header If-Match must be * or the ETag of an answer with its quotes, such as If-Match: "…".',
  );
}

function parseIfNoneMatch(header: string): boolean {
  if (header.trim() === '*') return true;
  throw new PresetdError(
    'invalid_request',
    'On a write the header If-None-Match must be *, which demands that the preset does not exist yet.',
  );
}

function matchesEtag(header: string | undefined, tag: string): boolean {
  return header !== undefined && (header.trim() === '*' || parseTags(header).includes(tag));
}

function parseTags(header: string): readonly string[] {
  return [...header.matchAll(tagExpression)].map(([, tag = '']) => tag);
}
