import { PresetdError } from '../errors.ts';
import type { Author } from '../event.ts';
import { assertMay, roleIn } from './assert-may.ts';
import type { Caller } from './caller.ts';
import type { Right } from './right.ts';
import type { WorkspaceAddress } from './workspace.ts';

/**
 * Returns the workspace that a request about all its presets is about, if the caller has this right
 * in it and is not limited to some presets.
 */
export function workspaceFor(caller: Caller, requested: string | undefined, right: Right): WorkspaceAddress {
  const workspace = accessibleWorkspace(caller, requested, right);
  if (caller.presets !== null) throw beyondPresets(caller, caller.presets);
  return workspace;
}

/**
 * Returns the workspace that a request is about, if the caller has this right in it. An API key can
 * access only its own workspace, a person those in which they have a role; any other is
 * `not_found`, whether or not it exists. The store checks that it belongs to the organization.
 */
export function accessibleWorkspace(
  caller: Caller,
  requested: string | undefined,
  right: Right,
): WorkspaceAddress {
  if (caller.organizationId === null) {
    throw new PresetdError(
      'not_found',
      'This management key is personal: it belongs to no organization, so it has no workspace with presets.',
    );
  }
  const own = caller.workspaceId ?? caller.defaultWorkspaceId;
  const workspaceId = requested?.toLowerCase() ?? own;
  if (workspaceId === null || (caller.kind === 'api' && workspaceId !== own))
    throw unknownWorkspace(workspaceId);
  // The owner of an API key knows its workspace, and learns that they lost access to it.
  if (caller.kind !== 'api' && roleIn(caller, workspaceId) === undefined) throw unknownWorkspace(workspaceId);
  assertMay(caller, workspaceId, right);
  return { organizationId: caller.organizationId, workspaceId };
}

export function authorOf(caller: Caller): Author {
  return { userId: caller.ownerId, keyLabel: caller.label };
}

export function beyondPresets({ label }: Caller, presets: readonly string[]): PresetdError {
  return new PresetdError(
    'forbidden',
    `The key ${label} is limited to ${presets.length === 1 ? 'the preset' : 'the presets'} ${presets.join(', ')}. Use another key for anything else.`,
  );
}

export function unknownWorkspace(idOrSlug: string | null): PresetdError {
  return new PresetdError('not_found', `There is no workspace "${idOrSlug}" that you can access.`);
}
