import type { Caller } from './authenticate.ts';
import { PresetdError } from './errors.ts';
import { assertMayWrite, isAdmin } from './organization-access.ts';
import type { PresetAddress, WorkspaceAddress } from './preset.ts';
import type { Author } from './preset-event.ts';
import { assertSlug } from './slug.ts';

/** Who asks for which preset. */
export interface PresetRequest {
  readonly caller: Caller;
  readonly slug: string;
  /** From the query; without it, the workspace of the key. */
  readonly workspaceId: string | undefined;
}

export function readablePreset({ caller, slug, workspaceId }: PresetRequest): PresetAddress {
  const workspace = readableWorkspace(caller, workspaceId);
  assertSlug(slug);
  return { ...workspace, slug };
}

export function writablePreset({ caller, slug, workspaceId }: PresetRequest): PresetAddress {
  const workspace = writableWorkspace(caller, workspaceId);
  assertSlug(slug);
  return { ...workspace, slug };
}

export function writableWorkspace(caller: Caller, requested: string | undefined): WorkspaceAddress {
  assertMayWrite(caller);
  const workspace = readableWorkspace(caller, requested);
  if (!belongsTo(caller, workspace.workspaceId))
    throw new PresetdError(
      'forbidden',
      `The owner of the management key ${caller.label} is an org:member who does not belong to the workspace ${workspace.workspaceId}, and so may only read there.`,
    );
  return workspace;
}

/** An API key lives in one workspace, an admin in all of them. */
function belongsTo(caller: Caller, workspaceId: string): boolean {
  if (caller.kind === 'api' || isAdmin(caller)) return true;
  return workspaceId === caller.defaultWorkspaceId || caller.ownerWorkspaceIds.includes(workspaceId);
}

export function readableWorkspace(caller: Caller, requested: string | undefined): WorkspaceAddress {
  if (caller.organizationId === null) {
    throw new PresetdError(
      'not_found',
      'This management key is personal: it belongs to no organization and so has no workspace for presets.',
    );
  }
  const own = caller.workspaceId ?? caller.defaultWorkspaceId;
  const workspaceId = requested?.toLowerCase() ?? own;
  const isReachable = caller.kind === 'management' || workspaceId === own;
  if (workspaceId === null || !isReachable) throw unknownWorkspace(workspaceId);
  return { organizationId: caller.organizationId, workspaceId };
}

export function authorOf(caller: Caller): Author {
  return { userId: caller.ownerId, keyLabel: caller.label };
}

export function unknownWorkspace(idOrSlug: string | null): PresetdError {
  return new PresetdError('not_found', `There is no workspace "${idOrSlug}" that this key can reach.`);
}

export function unknownPreset(slug: string): PresetdError {
  return new PresetdError('not_found', `There is no preset "${slug}" that this key can reach.`);
}
