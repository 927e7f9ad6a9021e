import type { ResolvedKey } from '../../src/core/organization/caller.ts';

/** A caller with every permission, for tests of layers above the database. */
export const adminCaller: ResolvedKey = {
  id: 'key',
  secretHash: '',
  label: 'sk-…',
  name: '',
  kind: 'management',
  readOnly: false,
  scope: 'write',
  presets: null,
  ownerId: 'user_ada',
  organizationId: 'org',
  workspaceId: null,
  disabled: false,
  expiresAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  defaultWorkspaceId: 'workspace',
  ownerRole: 'org:admin',
  isOwnerDeactivated: false,
  workspaceRoles: {},
  secretExpiresAt: null,
  isOwnerNew: false,
  contentLog: null,
};
