import type { Clock } from '../clock.ts';
import { PresetdError } from '../errors.ts';
import { actorFrom } from './actor.ts';
import { may, readOnlyKey } from './assert-may.ts';
import type { Caller, ResolvedSession } from './caller.ts';

/**
 * Authorization for management endpoints. `action` is the beginning of the error message, such as
 * "Creating a key".
 */

/** A session, or a management key that belongs to an organization, not a personal one. */
export type ManagementCaller = Caller & {
  readonly organizationId: string;
  readonly defaultWorkspaceId: string;
};

/** Throws `unauthenticated` for an API key, `not_found` for a personal management key. */
export function requireManagement(caller: Caller, action: string): ManagementCaller {
  if (caller.kind === 'api')
    throw new PresetdError('unauthenticated', `${action} requires a management key; this is an API key.`);
  const { organizationId, defaultWorkspaceId } = caller;
  if (organizationId === null || defaultWorkspaceId === null)
    throw new PresetdError('not_found', 'This management key is personal: it belongs to no organization.');
  return { ...caller, organizationId, defaultWorkspaceId };
}

/** Like `requireManagement`, and throws `forbidden` if the key is read-only. */
export function requireWriteAccess(caller: Caller, action: string): ManagementCaller {
  const managementCaller = requireManagement(caller, action);
  if (!caller.readOnly) return managementCaller;
  throw readOnlyKey(caller);
}

/**
 * Requires write access now and, through `actor`, again inside the transaction. From then on,
 * `current` returns the caller with the roles that they have at that moment.
 */
export function requireWriteAccessUntilStored(caller: Caller, clock: Clock, action: string) {
  let current = requireWriteAccess(caller, action);
  const actor = actorFrom(caller, clock, (found) => {
    current = requireWriteAccess(found, action);
  });
  return { organizationId: current.organizationId, actor, current: () => current };
}

/** Like `requireWriteAccess`, and throws `forbidden` unless the owner is an admin. */
export function requireAdmin(caller: Caller, action: string): ManagementCaller {
  const managementCaller = requireWriteAccess(caller, action);
  if (!isAdmin(managementCaller))
    throw new PresetdError(
      'forbidden',
      `${action} requires ${caller.kind === 'session' ? 'an org:admin; you are' : `a management key of an org:admin; the owner of ${caller.label} is`} an org:member.`,
    );
  return managementCaller;
}

/** Throws `forbidden` for a key. */
export function requireSession(caller: Caller, action: string): ResolvedSession {
  if (caller.kind === 'session') return caller;
  throw new PresetdError('forbidden', `${action} requires a session; ${caller.label} is a key.`);
}

export function isAdmin(caller: Caller): boolean {
  return caller.ownerRole === 'org:admin';
}

/** Throws `forbidden` unless the caller may manage the members and keys of the workspace. */
export function assertAdministers(caller: ManagementCaller, workspaceId: string, action: string): void {
  if (may(caller, workspaceId, 'administer')) return;
  throw new PresetdError('forbidden', `${action} requires the role admin in the workspace.`);
}
