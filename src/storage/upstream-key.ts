import { hash } from 'node:crypto';

/**
 * A number that is exact. It begins with the hour of the call, so that the index grows at its end: with
 * hashes alone, every call would change another page. Calls can have the same key by accident, so
 * the id is compared, too.
 */
export function upstreamKeyOf(upstreamId: string, hour: number): number {
  return hour * 2 ** 32 + Number.parseInt(hash('sha256', upstreamId, 'hex').slice(0, 8), 16);
}
