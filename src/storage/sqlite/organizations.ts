import type { DatabaseSync } from 'node:sqlite';
import type { OrganizationStore } from '../../core/storage.ts';
import { read } from './errors.ts';
import { prepareKeyInsert } from './keys.ts';
import { prepareMemberInsert } from './members.ts';
import type { WriteQueue } from './write-queue.ts';

export function sqliteOrganizations(database: DatabaseSync, queue: WriteQueue): OrganizationStore {
  const any = database.prepare('SELECT 1 FROM organizations LIMIT 1');
  const insertOrganization = database.prepare(
    'INSERT INTO organizations (id, name, default_workspace_id, created_at) VALUES (?, ?, ?, ?)',
  );
  const insertWorkspace = database.prepare(
    `INSERT INTO workspaces (id, organization_id, slug, name, created_at) VALUES (?, ?, ?, ?, ?)`,
  );
  const insertMember = prepareMemberInsert(database);
  const insertKey = prepareKeyInsert(database);
  const first = database.prepare(
    `SELECT o.id, o.name, o.default_workspace_id, u.id AS user_id, u.email, u.first_name, u.last_name
     FROM organizations o
     JOIN memberships m ON m.organization_id = o.id AND m.role = 'org:admin'
     JOIN users u ON u.id = m.user_id
     ORDER BY o.created_at, o.id, m.joined_at, m.user_id LIMIT 1`,
  );
  const findWorkspace = database.prepare(
    'SELECT id, slug FROM workspaces WHERE organization_id = ? AND (id = ? OR slug = ?)',
  );

  return {
    bootstrap: ({ organization, workspace, owner, keys, createdAt }) =>
      queue.write(() => {
        if (any.get() !== undefined) return false;
        insertOrganization.run(
          organization.id,
          organization.name,
          organization.defaultWorkspaceId,
          createdAt,
        );
        insertWorkspace.run(
          organization.defaultWorkspaceId,
          organization.id,
          workspace.slug,
          workspace.name,
          createdAt,
        );
        insertMember({ ...owner, organizationId: organization.id, joinedAt: createdAt });
        for (const key of keys) insertKey(key);
        return true;
      }),
    async first() {
      const row = read(() => first.get()) as unknown as FirstRow | undefined;
      return (
        row && {
          organization: { id: row.id, name: row.name, defaultWorkspaceId: row.default_workspace_id },
          admin: {
            id: row.user_id,
            email: row.email,
            firstName: row.first_name,
            lastName: row.last_name,
            role: 'org:admin',
          },
        }
      );
    },
    async findWorkspace(organizationId, idOrSlug) {
      const row = read(() => findWorkspace.get(organizationId, idOrSlug, idOrSlug));
      return row && { id: String(row.id), slug: String(row.slug) };
    },
  };
}

interface FirstRow {
  readonly id: string;
  readonly name: string;
  readonly default_workspace_id: string;
  readonly user_id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
}
