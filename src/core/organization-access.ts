import type { Caller } from './authenticate.ts';
import { PresetdError } from './errors.ts';

/** A caller who may look at an organization: its management key says which. */
export type ManagementCaller = Caller & {
  readonly organizationId: string;
  readonly defaultWorkspaceId: string;
};

export function requireManagementKey(caller: Caller, doing: string): ManagementCaller {
  if (caller.kind !== 'management')
    throw new PresetdError('unauthenticated', `${doing} needs a management key; this is an API key.`);
  const { organizationId, defaultWorkspaceId } = caller;
  if (organizationId === null || defaultWorkspaceId === null)
    throw new PresetdError('not_found', 'This management key is personal: it belongs to no organization.');
  return { ...caller, organizationId, defaultWorkspaceId };
}

/** One who may also change it, or at least what is their own in it. */
export function requireWriteAccess(caller: Caller, doing: string): ManagementCaller {
  const manager = requireManagementKey(caller, doing);
  assertMayWrite(manager);
  return manager;
}

export function requireAdmin(caller: Caller, doing: string): ManagementCaller {
  const manager = requireWriteAccess(caller, doing);
  if (!isAdmin(manager))
    throw new PresetdError(
      'forbidden',
      `${doing} needs a management key of an org:admin; the owner of ${caller.label} is an org:member.`,
    );
  return manager;
}

export function isAdmin(caller: Caller): boolean {
  return caller.ownerRole === 'org:admin';
}

export function assertMayWrite(caller: Caller): void {
  if (!caller.readOnly) return;
  throw new PresetdError(
    'forbidden',
    `The management key ${caller.label} is read-only; use one that may write.`,
  );
}

/** Admins change every key; others their own. */
export function assertMayChangeKeysOf(caller: ManagementCaller, ownerId: string): void {
  if (isAdmin(caller) || ownerId === caller.ownerId) return;
  throw new PresetdError(
    'forbidden',
    `Other people's keys are changed by an org:admin; the owner of ${caller.label} is an org:member.`,
  );
}
