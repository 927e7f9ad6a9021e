import type { Caller } from '../organization/caller.ts';
import { isAdmin } from '../organization/organization-access.ts';
import { includesRight, rightOfScope } from '../organization/right.ts';
import { accessibleWorkspace, workspaceFor } from '../organization/workspace-access.ts';
import type { CallScope } from './ledger-storage.ts';

/**
 * The calls that a caller may list and count: those of a workspace. Without one, an org:admin sees
 * those of the whole organization, deleted workspaces included.
 */
export function readableCalls(caller: Caller, requested: string | undefined): CallScope {
  const { organizationId, kind } = caller;
  if (requested === undefined && kind !== 'api' && organizationId !== null && isAdmin(caller))
    return { organizationId };
  const workspace = workspaceFor(caller, requested, 'read');
  return { organizationId: workspace.organizationId, workspaceIds: [workspace.workspaceId] };
}

/**
 * The calls that a caller may look at by id: those that they may list, or those of all workspaces in
 * which they have a role. A key that reads nothing else may see its own.
 */
export function visibleCalls(caller: Caller): CallScope {
  if (caller.kind !== 'api' && isAdmin(caller)) return readableCalls(caller, undefined);
  const { organizationId } = accessibleWorkspace(caller, undefined, 'call');
  if (caller.kind !== 'api') return { organizationId, workspaceIds: Object.keys(caller.workspaceRoles) };
  const isLimited = caller.presets !== null || !includesRight(rightOfScope[caller.scope], 'read');
  return isLimited ? { organizationId, keyId: caller.id } : readableCalls(caller, undefined);
}
