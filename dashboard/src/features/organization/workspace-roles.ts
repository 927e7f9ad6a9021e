import type { WorkspaceRole } from '../../../../src/core/organization/workspace-role.ts';

/** Roles in a workspace, the least access first. */
export const roleOptions: readonly (readonly [WorkspaceRole, string])[] = [
  ['viewer', 'Viewer'],
  ['editor', 'Editor'],
  ['admin', 'Admin'],
];

/** Explains the roles, for forms that give one. */
export const roleHint =
  'Viewers read and call presets. Editors also save versions and labels. Admins also change the live version, archive, and manage keys and members.';
