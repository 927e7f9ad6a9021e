/**
 * Rights of the signed-in person, to decide which buttons to show. The server enforces them. A
 * person's role in the workspace limits them, and so does the scope of the key if they signed in
 * with one.
 */

import type { Account, WorkspaceAccess } from '../../../src/api/account.ts';
import {
  includesRight,
  type Right,
  rightOfRole,
  rightOfScope,
} from '../../../src/core/organization/right.ts';

type Caller = Pick<Account, 'organization'> & {
  readonly credential: Pick<Account['credential'], 'kind' | 'scope'>;
};

export function mayIn(caller: Caller, { role }: Pick<WorkspaceAccess, 'role'>, right: Right): boolean {
  return includesRight(rightOfRole[role], right) && includesRight(highestOf(caller.credential), right);
}

/** Whether the user has a role in the workspace. An org:admin's list of workspaces is bounded. */
export function maySeeMembers(
  { organization, workspaces }: Pick<Account, 'organization' | 'workspaces'>,
  workspaceId: string,
): boolean {
  return organization?.role === 'org:admin' || workspaces.some(({ id }) => id === workspaceId);
}

/** Whether the request can change members, workspaces and the keys of others. */
export function isOrganizationAdmin(caller: Caller): boolean {
  return caller.organization?.role === 'org:admin' && highestOf(caller.credential) === 'administer';
}

/** Whether models can be called without another key. The API refuses management keys. */
export function canCallModels({ kind }: Caller['credential']): boolean {
  return kind !== 'management';
}

function highestOf({ kind, scope }: Caller['credential']): Right {
  if (kind === 'session' || (kind === 'management' && scope === 'write')) return 'administer';
  return rightOfScope[scope];
}
