import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';

/** UUIDv7: ids made later sort later, so new rows land at the end of an index. */
export function newId(): string {
  return v7();
}

export function newUserId(): string {
  return `user_${randomBytes(16).toString('hex')}`;
}
