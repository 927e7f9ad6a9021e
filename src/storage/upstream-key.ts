import { hash } from 'node:crypto';

/** Short enough to be exact as a number. Calls with the same key by accident are told apart by the id. */
export function upstreamKeyOf(upstreamId: string): number {
  return Number.parseInt(hash('sha256', upstreamId, 'hex').slice(0, 13), 16);
}
