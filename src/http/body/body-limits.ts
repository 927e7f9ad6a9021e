import type { FastifyInstance } from 'fastify';

/**
 * For routes that change one thing. A prompt may have megabytes; the body that renames it need not,
 * and without a limit of its own every such route would buffer as much as a capture does.
 */
const smallBodyBytesMax = 64 * 1_024;

/** For lists of up to 500 people, with room to spare. */
const listBodyBytesMax = 1_024 * 1_024;

/** Route options for a body of at most 64 KiB, or less if the server's own limit is lower. */
export function smallBodyLimit(scope: FastifyInstance): { readonly bodyLimit: number } {
  return { bodyLimit: Math.min(smallBodyBytesMax, scope.initialConfig.bodyLimit ?? smallBodyBytesMax) };
}

/** Route options for a body of at most 1 MiB, or less if the server's own limit is lower. */
export function listBodyLimit(scope: FastifyInstance): { readonly bodyLimit: number } {
  return { bodyLimit: Math.min(listBodyBytesMax, scope.initialConfig.bodyLimit ?? listBodyBytesMax) };
}

/** Whether a limit is one of these, so that raising PRESETD_BODY_LIMIT would not help. */
export function isRouteBodyLimit(bytesMax: number): boolean {
  return bytesMax === smallBodyBytesMax || bytesMax === listBodyBytesMax;
}
