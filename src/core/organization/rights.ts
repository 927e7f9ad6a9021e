import { PresetdError } from '../errors.ts';
import type { Caller } from './caller.ts';
import type { KeyScope } from './key-scope.ts';
import type { WorkspaceRole } from './workspace-role.ts';

/**
 * What a caller may do in a workspace, each right including the ones before: call presets and
 * models, read presets, write versions and labels, change what calls get (the live version, the
 * status, the slug), manage keys and members.
 */
const rights = ['call', 'read', 'write', 'release', 'administer'] as const;

export type Right = (typeof rights)[number];

const rightOfRole: Readonly<Record<WorkspaceRole, Right>> = {
  viewer: 'read',
  editor: 'write',
  admin: 'administer',
};

const rightOfScope: Readonly<Record<KeyScope, Right>> = { call: 'call', read: 'read', write: 'release' };

/** What the caller wanted to do, for messages. */
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
    role !== undefined && includes(rightOfCredential(caller), right) && includes(rightOfRole[role], right)
  );
}

/**
 * Throws `forbidden` with the reason if the caller may not do this in the workspace. The caller must
 * have a role in it; see `workspace-access.ts`.
 */
export function assertMay(caller: Caller, workspaceId: string, right: Right): void {
  if (!includes(rightOfCredential(caller), right)) throw beyondCredential(caller, right);
  const role = roleIn(caller, workspaceId);
  if (role === undefined || !includes(rightOfRole[role], right)) throw beyondRole(caller, role, right);
}

function includes(granted: Right, right: Right): boolean {
  return rights.indexOf(granted) >= rights.indexOf(right);
}

function rightOfCredential({ kind, readOnly, scope }: Caller): Right {
  if (kind === 'api') return rightOfScope[scope];
  return readOnly ? 'read' : 'administer';
}

function beyondCredential({ kind, label, scope }: Caller, right: Right): PresetdError {
  if (kind !== 'api')
    return new PresetdError(
      'forbidden',
      `The management key ${label} is read-only. Use a key with write access.`,
    );
  const sufficient = Object.entries(rightOfScope).filter(([, granted]) => includes(granted, right));
  const scopes = sufficient.map(([name]) => name).join(' or ');
  return new PresetdError(
    'forbidden',
    `The key ${label} has the scope ${scope} and cannot ${actionOf[right]}. Use ${scopes === '' ? 'a management key' : `a key with the scope ${scopes}`}.`,
  );
}

function beyondRole(caller: Caller, role: WorkspaceRole | undefined, right: Right): PresetdError {
  const subject = caller.kind === 'session' ? 'You are' : `The owner of the key ${caller.label} is`;
  const needed = Object.entries(rightOfRole).find(([, granted]) => includes(granted, right))?.[0];
  return new PresetdError(
    'forbidden',
    `${subject} ${role === undefined ? 'not a member' : withArticle(role)} of this workspace, who cannot ${actionOf[right]}. Ask an admin of the workspace for the role ${needed}.`,
  );
}

function withArticle(role: WorkspaceRole): string {
  return role === 'viewer' ? 'a viewer' : `an ${role}`;
}
