import { PresetdError } from '../errors.ts';
import type { Caller } from './caller.ts';
import { includesRight, type Right, rightOfRole, rightOfScope } from './right.ts';
import type { WorkspaceRole } from './workspace-role.ts';

/** Names the refused action in messages. */
const actionOf: Readonly<Record<Right, string>> = {
  call: 'call models',
  read: 'read presets',
  write: 'change presets',
  release: 'change the live version, status or slug of a preset, archive, restore or import presets',
  administer: 'manage keys and members',
};

/** The caller's role in a workspace; undefined if they have none. */
export function roleIn(caller: Caller, workspaceId: string): WorkspaceRole | undefined {
  return caller.ownerRole === 'org:admin' ? 'admin' : caller.workspaceRoles[workspaceId];
}

/** Both the credential and the role of its owner must allow it: no key exceeds its owner. */
export function may(caller: Caller, workspaceId: string, right: Right): boolean {
  const role = roleIn(caller, workspaceId);
  return (
    role !== undefined &&
    includesRight(rightOfCredential(caller), right) &&
    includesRight(rightOfRole[role], right)
  );
}

/**
 * Throws `forbidden` with the reason if the caller may not do this in the workspace. The caller
 * must have a role in it; see `workspace-access.ts`. `action` is what the caller wanted to do.
 */
export function assertMay(
  caller: Caller,
  workspaceId: string,
  right: Right,
  action: string = actionOf[right],
): void {
  if (!includesRight(rightOfCredential(caller), right)) throw beyondCredential(caller, right, action);
  const role = roleIn(caller, workspaceId);
  if (role === undefined || !includesRight(rightOfRole[role], right))
    throw beyondRole(caller, role, right, action);
}

function rightOfCredential({ kind, readOnly, scope }: Caller): Right {
  if (kind === 'api') return rightOfScope[scope];
  return readOnly ? 'read' : 'administer';
}

function beyondCredential({ kind, label, scope }: Caller, right: Right, action: string): PresetdError {
  if (kind !== 'api') return readOnlyKey({ label });
  const sufficient = Object.entries(rightOfScope).filter(([, granted]) => includesRight(granted, right));
  const scopes = sufficient.map(([name]) => name).join(' or ');
  return new PresetdError(
    'forbidden',
    `The key ${label} has the scope ${scope} and cannot ${action}. Use ${scopes === '' ? 'a management key' : `a key with the scope ${scopes}`}.`,
  );
}

export function readOnlyKey({ label }: Pick<Caller, 'label'>): PresetdError {
  return new PresetdError(
    'forbidden',
    `The management key ${label} is read-only. Use a key with write access.`,
  );
}

function beyondRole(
  caller: Caller,
  role: WorkspaceRole | undefined,
  right: Right,
  action: string,
): PresetdError {
  const needed = Object.entries(rightOfRole).find(([, granted]) => includesRight(granted, right))?.[0];
  return new PresetdError(
    'forbidden',
    `${describeLimit(caller, role, action)} Ask a workspace admin for the role ${needed}.`,
  );
}

function describeLimit({ kind, label }: Caller, role: WorkspaceRole | undefined, action: string): string {
  const owner = `The owner of the key ${label}`;
  if (role === undefined)
    return `${kind === 'session' ? 'You have' : `${owner} has`} no role in this workspace.`;
  const limit = `of this workspace${kind === 'session' ? '' : ' and'} cannot ${action}.`;
  if (kind !== 'session') return `${owner} is ${role === 'viewer' ? 'a' : 'an'} ${role} ${limit}`;
  return `${role === 'viewer' ? 'Viewers' : 'Editors'} ${limit}`;
}
