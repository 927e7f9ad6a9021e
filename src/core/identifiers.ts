import { randomBytes, randomUUID } from 'node:crypto';

let lastMs = 0;
let sequence = 0;

/**
 * UUIDv7 (RFC 9562): milliseconds first, so that later ids sort later and new rows land at the end of an index. Those of
 * one millisecond are counted, so that the events of one change are told in their order. Its random part is that of a
 * random UUID, whose maker buys entropy in bulk and is ten times as fast as asking each time.
 */
export function newId(): string {
  const ms = Date.now();
  sequence = ms === lastMs ? (sequence + 1) & 0xfff : 0;
  lastMs = ms;
  const time = ms.toString(16).padStart(12, '0');
  const count = sequence.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}${randomUUID().slice(18)}`;
}

export function newUserId(): string {
  return `user_${randomBytes(16).toString('hex')}`;
}
