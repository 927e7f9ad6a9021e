/** The access that a key gives, and the actions that the user may take on it. */

import type { Account } from '../../../../src/api/account.ts';
import type { Key } from '../../../../src/api/keys.ts';
import type { WorkspaceRole } from '../../../../src/core/organization/workspace-role.ts';
import { issueOf } from '../../api/api-error.ts';
import { isOrganizationAdmin } from '../../api/rights.ts';
import type { Choice } from '../../components/fields.tsx';

export type KeyAction = 'edit' | 'rotate' | 'disable' | 'enable' | 'delete';

/** The choices for a new key, the least access first. */
const accessChoices = [
  {
    value: 'call',
    label: 'Call',
    hint: 'For apps. Calls presets and models of one workspace, and lists their names for clients. It cannot read or change a preset.',
  },
  {
    value: 'read',
    label: 'Read',
    hint: 'Also reads presets, for example to export them or to check them in CI.',
  },
  {
    value: 'write',
    label: 'Write',
    hint: 'Also saves versions, changes the live version and archives, limited to the permissions of its owner.',
  },
  {
    value: 'management',
    label: 'Management key',
    hint: 'For scripts that manage the organization and the presets of every workspace, limited to the permissions of its owner.',
  },
  {
    value: 'read_only',
    label: 'Management key (read-only)',
    hint: 'Reads everything that a management key can, and changes nothing.',
  },
] as const;

export type KeyAccess = (typeof accessChoices)[number]['value'];

/**
 * The choices of a person with this role in the workspace of the key. A key never exceeds its
 * owner, so viewers cannot create one that writes.
 */
export function accessChoicesFor(role: WorkspaceRole | undefined): readonly Choice<KeyAccess>[] {
  const hint = 'You are a viewer of this workspace, so your keys cannot change presets in it.';
  return accessChoices.map((choice) =>
    choice.value === 'write' && role === 'viewer' ? { ...choice, hint, isDisabled: true } : choice,
  );
}

/** The access of a key for display. */
export function describeAccess({
  kind,
  read_only,
  scope,
}: Pick<Key, 'kind' | 'read_only' | 'scope'>): string {
  if (kind === 'management') return read_only ? 'Management (read-only)' : 'Management';
  return accessChoices.find(({ value }) => value === scope)?.label ?? scope;
}

type Owned = Pick<Key, 'kind' | 'creator_user_id' | 'workspace_id' | 'disabled'>;

/**
 * The actions that the user may take. Owners and admins of the organization may do everything.
 * Admins of a workspace can stop its keys, but not start them again or see their secrets.
 */
export function keyActions(account: Account, key: Owned): readonly KeyAction[] {
  if (account.credential.kind === 'api' || account.credential.scope !== 'write') return [];
  const toggle = key.disabled ? 'enable' : 'disable';
  if (key.creator_user_id === account.id || isOrganizationAdmin(account))
    return ['edit', 'rotate', toggle, 'delete'];
  const role = account.workspaces.find(({ id }) => id === key.workspace_id)?.role;
  if (key.kind !== 'api' || role !== 'admin') return [];
  return key.disabled ? ['delete'] : ['disable', 'delete'];
}

/** Problems by field of the form. */
export type KeyProblems = {
  readonly [Field in 'name' | 'access' | 'presets' | 'owner' | 'limit' | 'expiry']?: string | undefined;
};

/**
 * The fields that the server rejected, in the words of the form; undefined if it was none of them.
 * `presets` are the names in the request.
 */
export function rejectedFields(
  error: unknown,
  owner: string,
  presets: readonly string[] = [],
): KeyProblems | undefined {
  const name = issueOf(error, '/name', 'The name');
  if (name !== undefined) return { name };
  if (isAbout(error, '/scope'))
    return {
      access: `${owner} is a viewer of this workspace, so the key cannot change presets. Choose Call or Read.`,
    };
  if (isAbout(error, '/creator_user_id'))
    return { owner: `${owner} does not belong to this workspace. Add them to it first.` };
  const unknown = presets.filter((_, index) => isAbout(error, `/presets/${index}`));
  if (unknown.length > 0)
    return {
      presets: `There is no preset ${unknown.map((each) => `“${each}”`).join(' or ')} in this workspace.`,
    };
  return undefined;
}

function isAbout(error: unknown, path: string): boolean {
  return issueOf(error, path, '') !== undefined;
}
