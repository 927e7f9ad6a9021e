import type { DatabaseSync } from 'node:sqlite';
import type { OrganizationStore } from '../../core/storage.ts';
import {
  type FirstOrganizationRow,
  firstOrganizationSql,
  toFirstOrganization,
} from '../first-organization.ts';
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
  const first = database.prepare(firstOrganizationSql);
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
      const row = read(() => first.get()) as unknown as FirstOrganizationRow | undefined;
      return row && toFirstOrganization(row);
    },
    async findWorkspace(organizationId, idOrSlug) {
      const row = read(() => findWorkspace.get(organizationId, idOrSlug, idOrSlug));
      return row && { id: String(row.id), slug: String(row.slug) };
    },
  };
}
