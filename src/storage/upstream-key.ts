import { hash } from 'node:crypto';
import { arrivalOf } from '../core/ledger/call-record.ts';

/**
 * A number for an upstream's id of a response: a slot of time and a hash within it. A batch so changes
 * only the pages of an index that belong to its slots. With hashes alone, every call would change another
 * page. Calls can have the same key by accident, so the id is compared, too.
 *
 * A call of a large batch has its second as a slot, one of a small batch its hour. Then the pages of a slot
 * are never many more than those that a batch changes anyway, and there are few slots, which a search has
 * to try one after the other.
 */
export function upstreamKeyOf(upstreamId: string, callId: string, callsInBatch: number): number {
  const elapsed = Math.floor(arrivalOf(callId) / 1_000) - firstSecond;
  const second = Math.min(Math.max(0, elapsed), lastSecond);
  return keyIn(callsInBatch < largeBatch ? second - (second % 3_600) : second, upstreamId);
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

function keyIn(slot: number, upstreamId: string): number {
  return slot * hashes + hashOf(upstreamId);
}

function hashOf(upstreamId: string): number {
  return Number.parseInt(hash('sha256', upstreamId, 'hex').slice(0, 8), 16) % hashes;
}
