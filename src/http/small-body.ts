import type { FastifyInstance } from 'fastify';

/** What a change of one thing takes. Whoever may send a prompt of many megabytes need not rename one with as many. */
const smallBytesMax = 64 * 1_024;

/** A list of 500 people, with room. */
const listBytesMax = 1_024 * 1_024;

export function smallBody(scope: FastifyInstance): { readonly bodyLimit: number } {
  return { bodyLimit: Math.min(smallBytesMax, scope.initialConfig.bodyLimit ?? smallBytesMax) };
}

export function listBody(scope: FastifyInstance): { readonly bodyLimit: number } {
  return { bodyLimit: Math.min(listBytesMax, scope.initialConfig.bodyLimit ?? listBytesMax) };
}

/** Whether this limit is one of these, and not that of the server. */
export function isSmallBody(bytesMax: number): boolean {
  return bytesMax === smallBytesMax || bytesMax === listBytesMax;
}
