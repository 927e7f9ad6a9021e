import { hash } from 'node:crypto';
import type { WorkspaceMember } from './workspace.ts';

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
