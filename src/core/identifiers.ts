import { randomBytes, randomUUID } from 'node:crypto';

let lastMs = 0;
let sequence = 0;

/**
 * Returns a UUIDv7 (RFC 9562). It starts with the time, so ids sort by creation and new rows land
 * at the end of an index. A counter orders ids within one millisecond, because the events of one
 * change are listed in the order of their ids. The random part comes from `randomUUID`, which
 * buffers entropy and is ten times as fast as `randomBytes`.
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
