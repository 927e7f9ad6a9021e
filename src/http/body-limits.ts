import type { FastifyInstance } from 'fastify';

/** What a change of one thing takes. Whoever may send a prompt of many megabytes need not rename one with as many. */
const smallBodyBytesMax = 64 * 1_024;

/** A list of 500 people, with room. */
const listBodyBytesMax = 1_024 * 1_024;

export function smallBodyLimit(scope: FastifyInstance): { readonly bodyLimit: number } {
  return { bodyLimit: Math.min(smallBodyBytesMax, scope.initialConfig.bodyLimit ?? smallBodyBytesMax) };
}

export function listBodyLimit(scope: FastifyInstance): { readonly bodyLimit: number } {
  return { bodyLimit: Math.min(listBodyBytesMax, scope.initialConfig.bodyLimit ?? listBodyBytesMax) };
}

/** Whether this limit is one of these, and not that of the server. */
export function isRouteBodyLimit(bytesMax: number): boolean {
  return bytesMax === smallBodyBytesMax || bytesMax === listBodyBytesMax;
}
