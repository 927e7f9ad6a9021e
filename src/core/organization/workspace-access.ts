import { PresetdError } from '../errors.ts';
import { assertSlug, type PresetAddress, type WorkspaceAddress } from '../presets/preset.ts';
import type { Author } from '../presets/preset-event.ts';
import type { Caller } from './api-key.ts';
import { assertMayWrite, isAdmin } from './organization-access.ts';

/** A request about one preset. */
export interface PresetRequest {
  readonly caller: Caller;
  readonly slug: string;
  /** From the query string. Undefined means the workspace of the key. */
  readonly workspaceId: string | undefined;
}

/** Returns the address of the preset if the caller may read it. Does not check that it exists. */
export function readablePreset({ caller, slug, workspaceId }: PresetRequest): PresetAddress {
  const workspace = readableWorkspace(caller, workspaceId);
  assertSlug(slug);
  return { ...workspace, slug };
}

/** Returns the address of the preset if the caller may change it. Does not check that it exists. */
export function writablePreset({ caller, slug, workspaceId }: PresetRequest): PresetAddress {
  const workspace = writableWorkspace(caller, workspaceId);
  assertSlug(slug);
  return { ...workspace, slug };
}

/** Like `readableWorkspace`, for writing: throws `forbidden` if the caller may only read. */
export function writableWorkspace(caller: Caller, requested: string | undefined): WorkspaceAddress {
  assertMayWrite(caller);
  const workspace = readableWorkspace(caller, requested);
  if (!belongsTo(caller, workspace.workspaceId))
    throw new PresetdError(
      'forbidden',
      `The owner of the management key ${caller.label} is not a member of the workspace ${workspace.workspaceId} and can only read it. Ask an org:admin to add them.`,
    );
  return workspace;
}

/** An API key is bound to its workspace. Admins can write to every workspace. */
function belongsTo(caller: Caller, workspaceId: string): boolean {
  if (caller.kind === 'api' || isAdmin(caller)) return true;
  return workspaceId === caller.defaultWorkspaceId || caller.ownerWorkspaceIds.includes(workspaceId);
}

/**
 * Returns the workspace that a request is about. An API key can access only its own workspace; any
 * other is `not_found`, whether or not it exists. A management key can name any workspace; the
 * store checks that it belongs to the organization.
 */
export function readableWorkspace(caller: Caller, requested: string | undefined): WorkspaceAddress {
  if (caller.organizationId === null) {
    throw new PresetdError(
      'not_found',
      'This management key is personal: it belongs to no organization, so it has no workspace with presets.',
    );
  }
  const own = caller.workspaceId ?? caller.defaultWorkspaceId;
  const workspaceId = requested?.toLowerCase() ?? own;
  const isAccessible = caller.kind === 'management' || workspaceId === own;
  if (workspaceId === null || !isAccessible) throw unknownWorkspace(workspaceId);
  return { organizationId: caller.organizationId, workspaceId };
}

export function authorOf(caller: Caller): Author {
  return { userId: caller.ownerId, keyLabel: caller.label };
}

export function unknownWorkspace(idOrSlug: string | null): PresetdError {
  return new PresetdError('not_found', `There is no workspace "${idOrSlug}" that this key can access.`);
}

export function unknownPreset(slug: string): PresetdError {
  return new PresetdError('not_found', `There is no preset "${slug}" that this key can access.`);
}
