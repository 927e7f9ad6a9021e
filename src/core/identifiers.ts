import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { WorkspaceMember } from './organization/workspace.ts';

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

/**
 * Derives the id that the API reports for a membership. The database stores none, so the id is a
 * hash of workspace and user, as a UUIDv8 (RFC 9562). It must stay the same in every release.
 */
export function workspaceMembershipId({ workspaceId, userId }: WorkspaceMember): string {
  const digits = hash('sha256', `${workspaceId} ${userId}`, 'hex');
  const variant = ((Number.parseInt(digits.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`];
  return [...parts, `${variant}${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-');
}
