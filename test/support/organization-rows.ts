import { newId } from '../../src/core/identifiers.ts';
import type { NamedRequest } from './every-operation.ts';

/**
 * - `key`: every key may, and no session; `session`: every session may, and no key; `anyone`: both
 * - `directory`: read what all members may know; `own`: change what belongs to the caller
 * - `insight`: read the members and the audit log of the workspace; `all history`: the audit log of
 *   the whole organization
 * - `others' keys`: see another member's key in the workspace; `stopping`: disable or delete
 *   it; `taking over`: change it in any other way; `managing`: manage the members of the workspace
 * - `organization`: everything that only an org:admin may do
 */
export type OrganizationNeed =
  | 'key'
  | 'session'
  | 'anyone'
  | 'directory'
  | 'own'
  | 'insight'
  | 'all history'
  | "others' keys"
  | 'stopping'
  | 'taking over'
  | 'managing'
  | 'organization';

/** The members, keys and names that requests refer to. */
export interface OrganizationSubjects {
  readonly workspace: string;
  /** The slug of a preset, or of a workspace to create. */
  readonly slug: string;
  /** The caller, and a key of theirs. */
  readonly ownerId: string;
  readonly ownKey: string;
  /** Another member, who belongs to the workspace, and a key of theirs. */
  readonly otherId: string;
  readonly otherKey: string;
  /** An unused email address. */
  readonly email: string;
}

/** `done` is the status if it is allowed, 200 unless given. */
export type OrganizationRow = readonly [
  operation: string,
  need: OrganizationNeed,
  request: (subjects: OrganizationSubjects) => NamedRequest,
  done?: number,
];

const send =
  (method: string) =>
  (path: string, body?: unknown, headers?: NamedRequest['headers']): NamedRequest => ({
    method,
    path,
    ...(body !== undefined && { body }),
    ...(headers !== undefined && { headers }),
  });
export const [get, post, put, patch, remove] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map(send) as [
  ReturnType<typeof send>,
  ReturnType<typeof send>,
  ReturnType<typeof send>,
  ReturnType<typeof send>,
  ReturnType<typeof send>,
];

/** What requests need, for all operations except those on presets and models. */
export const organizationRows: readonly OrganizationRow[] = [
  ['getCurrentKey', 'key', () => get('/key')],
  ['listProviders', 'anyone', () => get('/providers')],
  ['listKeys', 'directory', () => get('/keys')],
  ['listKeys', 'directory', () => get('/keys?include_disabled=true')],
  ['listKeys', 'directory', ({ workspace }) => get(`/keys?workspace_id=${workspace}`)],
  ['getKey', 'directory', ({ ownKey }) => get(`/keys/${ownKey}`)],
  ['getKey', "others' keys", ({ otherKey }) => get(`/keys/${otherKey}`)],
  ['createKey', 'own', () => post('/keys', { name: 'Mine', kind: 'management' }), 201],
  [
    'createKey',
    'own',
    ({ ownerId }) => post('/keys', { name: 'Mine', creator_user_id: ownerId, kind: 'management' }),
    201,
  ],
  [
    'createKey',
    'organization',
    ({ otherId, workspace }) =>
      post('/keys', { name: 'Theirs', creator_user_id: otherId, workspace_id: workspace, scope: 'call' }),
    201,
  ],
  [
    'createKey',
    'organization',
    ({ otherId }) => post('/keys', { name: 'Theirs', creator_user_id: otherId, kind: 'management' }),
    201,
  ],
  ['updateKey', 'own', ({ ownKey }) => patch(`/keys/${ownKey}`, { disabled: true })],
  ['updateKey', 'own', ({ ownKey }) => patch(`/keys/${ownKey}`, { name: 'New', disabled: true })],
  ['updateKey', 'stopping', ({ otherKey }) => patch(`/keys/${otherKey}`, { disabled: true })],
  ['updateKey', 'taking over', ({ otherKey }) => patch(`/keys/${otherKey}`, { disabled: false })],
  ['updateKey', 'taking over', ({ otherKey }) => patch(`/keys/${otherKey}`, { expires_at: null })],
  ['updateKey', 'taking over', ({ otherKey }) => patch(`/keys/${otherKey}`, { name: 'x', disabled: true })],
  [
    'updateKey',
    'taking over',
    ({ otherKey, workspace }) => patch(`/keys/${otherKey}`, { workspace_id: workspace }),
  ],
  ['rotateKey', 'own', ({ ownKey }) => post(`/keys/${ownKey}/rotate`)],
  [
    'rotateKey',
    'taking over',
    ({ otherKey }) => post(`/keys/${otherKey}/rotate`, { grace_period_seconds: 0 }),
  ],
  ['deleteKey', 'own', ({ ownKey }) => remove(`/keys/${ownKey}`)],
  ['deleteKey', 'stopping', ({ otherKey }) => remove(`/keys/${otherKey}`)],
  ['listWorkspaces', 'directory', () => get('/workspaces')],
  ['getWorkspace', 'directory', ({ workspace }) => get(`/workspaces/${workspace}`)],
  ['listWorkspaceMembers', 'directory', () => get('/workspaces/default/members')],
  ['listWorkspaceMembers', 'insight', ({ workspace }) => get(`/workspaces/${workspace}/members`)],
  ['createWorkspace', 'organization', ({ slug }) => post('/workspaces', { name: 'New', slug }), 201],
  ['updateWorkspace', 'organization', ({ workspace }) => patch(`/workspaces/${workspace}`, { name: 'New' })],
  ['deleteWorkspace', 'organization', () => remove('/workspaces/default'), 400],
  [
    'addWorkspaceMembers',
    'managing',
    ({ workspace, otherId }) => post(`/workspaces/${workspace}/members/add`, { user_ids: [otherId] }),
  ],
  [
    'updateWorkspaceMember',
    'managing',
    ({ workspace, otherId }) => patch(`/workspaces/${workspace}/members/${otherId}`, { role: 'editor' }),
  ],
  [
    'removeWorkspaceMembers',
    'managing',
    ({ workspace, otherId }) => post(`/workspaces/${workspace}/members/remove`, { user_ids: [otherId] }),
  ],
  ['listOrganizationMembers', 'directory', () => get('/organization/members')],
  ['getOrganizationMember', 'directory', ({ otherId }) => get(`/organization/members/${otherId}`)],
  ['addOrganizationMember', 'organization', ({ email }) => post('/organization/members', { email }), 201],
  [
    'importOrganizationMembers',
    'organization',
    ({ email }) => post('/organization/members/import', { members: [{ email }] }),
  ],
  [
    'updateOrganizationMember',
    'organization',
    ({ otherId }) => patch(`/organization/members/${otherId}`, { first_name: 'New' }),
  ],
  [
    'updateOrganizationMember',
    'organization',
    ({ otherId, email }) => patch(`/organization/members/${otherId}`, { email }),
  ],
  [
    'updateOrganizationMember',
    'organization',
    ({ ownerId }) => patch(`/organization/members/${ownerId}`, { role: 'org:admin' }),
  ],
  ['removeOrganizationMember', 'organization', ({ otherId }) => remove(`/organization/members/${otherId}`)],
  ['getAccount', 'anyone', () => get('/account')],
  ['updateAccount', 'session', () => patch('/account', { first_name: 'New' })],
  ['setPassword', 'session', () => put('/account/password', { password: 'short' }), 400],
  ['listSessions', 'session', () => get('/account/sessions')],
  ['endSession', 'session', () => remove(`/account/sessions/${newId()}`), 404],
  ['endAllSessions', 'session', () => remove('/account/sessions')],
  ['signOut', 'session', () => post('/sign-out')],
  ['getDeviceRequest', 'session', () => get('/sign-in/device/none'), 404],
  ['decideDeviceRequest', 'session', () => post('/sign-in/device/none', { approve: true }), 404],
  ['listPeople', 'directory', () => get('/organization/people')],
  ['getPerson', 'directory', ({ otherId }) => get(`/organization/people/${otherId}`)],
  ['invitePerson', 'organization', ({ email }) => post('/organization/invitations', { email }), 201],
  [
    'createSignInLink',
    'organization',
    ({ otherId }) => post(`/organization/people/${otherId}/sign-in-link`),
    201,
  ],
  ['deactivatePerson', 'organization', ({ otherId }) => post(`/organization/people/${otherId}/deactivate`)],
  ['reactivatePerson', 'organization', ({ otherId }) => post(`/organization/people/${otherId}/reactivate`)],
  ['listPersonSessions', 'organization', ({ otherId }) => get(`/organization/people/${otherId}/sessions`)],
  ['endPersonSessions', 'organization', ({ otherId }) => remove(`/organization/people/${otherId}/sessions`)],
  [
    'endPersonSession',
    'organization',
    ({ otherId }) => remove(`/organization/people/${otherId}/sessions/${newId()}`),
    404,
  ],
  ['listAuditEvents', 'directory', () => get('/audit?workspace=default')],
  ['listAuditEvents', 'insight', ({ workspace }) => get(`/audit?workspace=${workspace}`)],
  ['listAuditEvents', 'all history', () => get('/audit')],
];
