import { hash } from 'node:crypto';

/**
 * A number that is exact. It begins with the hour of the call, so that the index grows at its end: with
 * hashes alone, every call would change another page. Calls can have the same key by accident, so
 * the id is compared, too.
 */
export function upstreamKeyOf(upstreamId: string, hour: number): number {
  return keyInHour(hashOf(upstreamId), hour);
}

/** The keys that an id has in each of these hours. */
export function upstreamKeysOf(upstreamId: string, hours: readonly number[]): readonly number[] {
  const hashed = hashOf(upstreamId);
  return hours.map((hour) => keyInHour(hashed, hour));
}

function keyInHour(hashed: number, hour: number): number {
  return hour * 2 ** 32 + hashed;
}

function hashOf(upstreamId: string): number {
  return Number.parseInt(hash('sha256', upstreamId, 'hex').slice(0, 8), 16);
}
