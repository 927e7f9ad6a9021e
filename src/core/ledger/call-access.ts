import { PresetdError } from '../errors.ts';
import type { Caller } from '../organization/caller.ts';
import { isAdmin, requireManagement } from '../organization/organization-access.ts';
import type { WorkspaceStore } from '../organization/organization-storage.ts';
import { includesRight, rightOfScope } from '../organization/right.ts';
import { accessibleWorkspace, unknownWorkspace, workspaceFor } from '../organization/workspace-access.ts';
import type { CallScope, LedgerStore } from './ledger-storage.ts';

/** The stores that usage is read from. */
export interface UsageStores {
  readonly ledger: LedgerStore;
  readonly workspaces: Pick<WorkspaceStore, 'find'>;
}

/**
 * The calls that a caller may list and count: those of a workspace. Without one, an org:admin sees
 * those of the whole organization, deleted workspaces included. Throws `not_found` if there is no
 * such workspace.
 */
export async function readableCalls(
  workspaces: Pick<WorkspaceStore, 'find'>,
  caller: Caller,
  requested: string | undefined,
): Promise<CallScope> {
  if (requested === undefined && seesAll(caller)) return { organizationId: caller.organizationId };
  const { organizationId, workspaceId } = workspaceFor(caller, requested, 'read');
  if (requested !== undefined && (await workspaces.find(organizationId, workspaceId)) === undefined)
    throw unknownWorkspace(requested);
  return { organizationId, workspaceIds: [workspaceId] };
}

function seesAll(caller: Caller): caller is Caller & { readonly organizationId: string } {
  return caller.kind !== 'api' && caller.organizationId !== null && isAdmin(caller);
}

/**
 * The calls that a caller may look at by id: those that they may list, or those of all workspaces
 * in which they have a role. A key that reads nothing else may see its own.
 */
export function visibleCalls(caller: Caller): CallScope {
  if (seesAll(caller)) return { organizationId: caller.organizationId };
  const { organizationId, workspaceId } = accessibleWorkspace(caller, undefined, 'call');
  if (caller.kind !== 'api') return { organizationId, workspaceIds: Object.keys(caller.workspaceRoles) };
  const isLimited = caller.presets !== null || !includesRight(rightOfScope[caller.scope], 'read');
  return isLimited ? { organizationId, keyId: caller.id } : { organizationId, workspaceIds: [workspaceId] };
}

/**
 * The calls whose content a caller may read: those of the workspaces in which they are an admin.
 * Throws `unauthenticated` for an API key, and `forbidden` for somebody who is no admin anywhere.
 */
export function callsWithReadableContent(caller: Caller): CallScope {
  const { organizationId, workspaceRoles } = requireManagement(caller, 'Reading the content of a call');
  if (isAdmin(caller)) return { organizationId };
  const workspaceIds = Object.keys(workspaceRoles).filter((id) => workspaceRoles[id] === 'admin');
  if (workspaceIds.length > 0) return { organizationId, workspaceIds };
  throw new PresetdError(
    'forbidden',
    'Reading the content of a call requires the role admin in its workspace.',
  );
}
