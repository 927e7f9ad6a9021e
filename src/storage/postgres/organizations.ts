import type { OrganizationStore } from '../../core/organization/organization-storage.ts';
import {
  type FirstOrganizationRow,
  firstOrganizationSql,
  type OrganizationRow,
  toFirstOrganization,
  toOrganization,
} from '../organization-rows.ts';
import { type PostgresConnection, queryOf } from './connection.ts';
import { insertKey } from './key-records.ts';
import { storeMembers } from './members.ts';
import { statement } from './statement.ts';

const first = statement('first-organization', firstOrganizationSql);

const get = statement(
  'get-organization',
  'SELECT id, name, default_workspace_id FROM organizations WHERE id = $1',
);

/**
 * Bootstraps the first organization and finds it again. An advisory lock makes sure that only one
 * of several starting servers creates it.
 */
export function postgresOrganizations(connection: PostgresConnection): OrganizationStore {
  return {
    bootstrap: ({ organization, workspace, owner, keys, createdAt }) =>
      connection.transaction(async (client) => {
        await client.query(`SELECT pg_advisory_xact_lock(hashtext('presetd bootstrap'))`);
        const { rowCount } = await client.query('SELECT 1 FROM organizations LIMIT 1');
        if (rowCount !== 0) return false;
        await client.query(
          'INSERT INTO organizations (id, name, default_workspace_id, created_at) VALUES ($1, $2, $3, $4)',
          [organization.id, organization.name, organization.defaultWorkspaceId, createdAt],
        );
        await client.query(
          'INSERT INTO workspaces (id, organization_id, slug, name, created_at) VALUES ($1, $2, $3, $4, $5)',
          [organization.defaultWorkspaceId, organization.id, workspace.slug, workspace.name, createdAt],
        );
        const joining = { at: createdAt, current: undefined, next: owner };
        await storeMembers(queryOf(client), organization.id, [joining]);
        for (const key of keys) await insertKey(queryOf(client), key);
        return true;
      }),
    async first() {
      const [row] = await connection.query<FirstOrganizationRow>(first, []);
      return row && toFirstOrganization(row);
    },
    async get(id) {
      return (await connection.query<OrganizationRow>(get, [id])).map(toOrganization)[0];
    },
  };
}
