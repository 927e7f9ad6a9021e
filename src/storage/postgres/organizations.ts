import type { OrganizationStore } from '../../core/storage.ts';
import {
  type FirstOrganizationRow,
  firstOrganizationSql,
  toFirstOrganization,
} from '../first-organization.ts';
import type { PostgresConnection, Statement } from './connection.ts';
import { insertKey } from './keys.ts';
import { insertMember } from './members.ts';

const first: Statement = { name: 'first-organization', text: firstOrganizationSql };

const findWorkspace: Statement = {
  name: 'find-workspace',
  text: 'SELECT id, slug FROM workspaces WHERE organization_id = $1 AND (id::text = $2 OR slug = $2)',
};

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
        await insertMember(client, { ...owner, organizationId: organization.id, joinedAt: createdAt });
        for (const key of keys) await insertKey(client, key);
        return true;
      }),
    async first() {
      const [row] = await connection.query<FirstOrganizationRow>(first, []);
      return row && toFirstOrganization(row);
    },
    async findWorkspace(organizationId, idOrSlug) {
      const [row] = await connection.query<{ id: string; slug: string }>(findWorkspace, [
        organizationId,
        idOrSlug,
      ]);
      return row;
    },
  };
}
