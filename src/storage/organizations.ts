import type { Member, Organization } from '../core/organization/organization.ts';
import type { OrganizationStore } from '../core/organization/organization-storage.ts';
import type { Database } from './database.ts';
import { insertKey } from './key-records.ts';
import { memberColumns } from './member-columns.ts';
import { storeMembers } from './members.ts';
import { type Columns, fields, select } from './select.ts';
import { statement } from './statement.ts';
import { insertWorkspaces } from './workspaces.ts';

/** Bootstraps the first organization and finds it again. */
export function organizationStore(database: Database): OrganizationStore {
  const { query } = database;
  return {
    bootstrap: ({ organization: { id, name, defaultWorkspaceId }, workspace, owner, keys, createdAt }) =>
      database.transaction(async (query) => {
        await query(lockBootstrap);
        if ((await query(anyOrganization)).length > 0) return false;
        await query(insertOrganization, [id, name, defaultWorkspaceId, createdAt]);
        const inOrganization = { id: defaultWorkspaceId, organizationId: id, createdAt };
        await insertWorkspaces(query, [
          { ...workspace, ...inOrganization, description: null, createdBy: null, contentLog: null },
        ]);
        await storeMembers(query, id, [{ at: createdAt, current: undefined, next: owner }]);
        for (const key of keys) await insertKey(query, key);
        return true;
      }),
    first: async () => (await query(firstOrganization))[0],
    get: async (id) => (await query(getOrganization, [id]))[0],
  };
}

/** Expects the organization as `o`. */
const organizationColumns: Columns<Organization> = fields('o', 'id', 'name', 'defaultWorkspaceId');

/** Makes sure that only one of several starting servers creates the organization. */
const lockBootstrap = statement('lock-bootstrap', {
  // The transaction holds SQLite's write lock.
  sqlite: 'SELECT 1',
  postgres: `SELECT pg_advisory_xact_lock(hashtext('presetd bootstrap'))`,
});

const anyOrganization = statement('any-organization', 'SELECT 1 FROM organizations LIMIT 1');

const insertOrganization = statement(
  'insert-organization',
  'INSERT INTO organizations (id, name, default_workspace_id, created_at) VALUES ($1, $2, $3, $4)',
);

/** The oldest organization and its longest-standing active admin, looked up before the rest. */
const firstOrganization = select<{ readonly organization: Organization; readonly admin: Member }>(
  'first-organization',
  { organization: organizationColumns, admin: memberColumns },
  ({ joinOne }) => `FROM (
      SELECT id, name, default_workspace_id, created_at, (
        SELECT user_id FROM memberships
        WHERE organization_id = organizations.id AND role = 'org:admin' AND deactivated_at IS NULL
        ORDER BY joined_at, user_id LIMIT 1
      ) AS admin_id
      FROM organizations
    ) o
    ${joinOne('memberships m', 'm.organization_id = o.id AND m.user_id = o.admin_id')}
    ${joinOne('users u', 'u.id = m.user_id')}
    ORDER BY o.created_at, o.id LIMIT 1`,
);

const getOrganization = select(
  'get-organization',
  organizationColumns,
  `FROM organizations o WHERE o.id = $1`,
);
