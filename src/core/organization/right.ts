import type { KeyScope } from './key-scope.ts';
import type { WorkspaceRole } from './workspace-role.ts';

/**
 * The rights of a caller in a workspace, each including the ones before: call presets and
 * models, read presets, write versions and labels, change what calls get (the live version, the
 * status, the slug), manage keys and members.
 */
const rights = ['call', 'read', 'write', 'release', 'administer'] as const;

export type Right = (typeof rights)[number];

export const rightOfRole: Readonly<Record<WorkspaceRole, Right>> = {
  viewer: 'read',
  editor: 'write',
  admin: 'administer',
};

export const rightOfScope: Readonly<Record<KeyScope, Right>> = {
  call: 'call',
  read: 'read',
  write: 'release',
};

export function includesRight(granted: Right, right: Right): boolean {
  return rights.indexOf(granted) >= rights.indexOf(right);
}
