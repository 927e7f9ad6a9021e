import { arrivalOf } from '../core/ledger/call-record.ts';

/**
 * Returns a number for an upstream's id of a response: a slot of time and a hash within it. A batch
 * then changes only the index pages of its slots. With hashes alone, every call would change
 * another page. Two calls can have the same key by accident, so searches also compare the id.
 *
 * The slot of a call in a large batch is its second, and in a small batch its hour. So a slot has
 * few pages, and there are few slots, each of which a search has to try.
 */
export function upstreamKeyOf(upstreamId: string, callId: string, callsInBatch: number): number {
  const elapsed = Math.floor(arrivalOf(callId) / 1_000) - firstSecond;
  const second = Math.min(Math.max(0, elapsed), lastSecond);
  const slot = callsInBatch < largeBatch ? second - (second % 3_600) : second;
  return slot * hashes + hashOf(upstreamId);
}

/** The keys that an id has in these slots. */
export function upstreamKeysOf(upstreamId: string, slots: readonly number[]): readonly number[] {
  const hashed = hashOf(upstreamId);
  return slots.map((slot) => slot * hashes + hashed);
}

const largeBatch = 100;

/** 2025-01-01. From then on, 53 bits are enough for 68 years. */
const firstSecond = 1_735_689_600;
const lastSecond = 2 ** 31 - 1;

/** How many hashes there are. The slot of a key is the key divided by it. */
export const hashes = 2 ** 22;

/** FNV-1a, which takes a tenth of the time of a cryptographic hash. */
function hashOf(upstreamId: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < upstreamId.length; index += 1)
    hash = Math.imul(hash ^ upstreamId.charCodeAt(index), 0x01000193);
  return (hash ^ (hash >>> 22)) & (hashes - 1);
}
