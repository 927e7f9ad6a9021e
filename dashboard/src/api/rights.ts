/**
 * What the signed-in person may do, to decide which buttons to show. The server enforces it.
 *
 * Rights form a ladder: each includes those before it. A person's role in the workspace limits
 * them, and so does the scope of the key if they signed in with one.
 */

import type { Account, WorkspaceAccess } from '../../../src/api/account.ts';

/** `release` changes what callers get: the live version, the status and the slug of a preset. */
const ladder = ['call', 'read', 'write', 'release', 'administer'] as const;

export type Right = (typeof ladder)[number];

const highestOfRole = { viewer: 'read', editor: 'write', admin: 'administer' } as const;

const highestOfScope = { call: 'call', read: 'read', write: 'release' } as const;

type Caller = Pick<Account, 'organization'> & {
  readonly credential: Pick<Account['credential'], 'kind' | 'scope'>;
};

export function mayIn(caller: Caller, { role }: Pick<WorkspaceAccess, 'role'>, right: Right): boolean {
  const wanted = ladder.indexOf(right);
  return (
    wanted <= ladder.indexOf(highestOfRole[role]) && wanted <= ladder.indexOf(highestOf(caller.credential))
  );
}

/** Whether the request can change members, workspaces and the keys of others. */
export function isOrganizationAdmin(caller: Caller): boolean {
  return caller.organization?.role === 'org:admin' && highestOf(caller.credential) === 'administer';
}

/** Whether models can be called without another key. The API refuses management keys. */
export function canCallModels({ kind }: Caller['credential']): boolean {
  return kind !== 'management';
}

function highestOf({ kind, scope }: Caller['credential']): Right {
  if (kind === 'session' || (kind === 'management' && scope === 'write')) return 'administer';
  return highestOfScope[scope];
}
