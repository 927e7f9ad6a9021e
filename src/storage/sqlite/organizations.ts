import type { DatabaseSync } from 'node:sqlite';
import type { OrganizationStore } from '../../core/organization/organization-storage.ts';
import {
  type FirstOrganizationRow,
  firstOrganizationSql,
  type OrganizationRow,
  toFirstOrganization,
  toOrganization,
} from '../organization-rows.ts';
import { read } from './errors.ts';
import { prepareKeyInsert } from './key-records.ts';
import { prepareMemberStore } from './members.ts';
import type { WriteQueue } from './write-queue.ts';

/**
 * Bootstraps the first organization and finds it again. The write queue takes SQLite's write lock
 * before it checks that there is none, so only one of several starting servers creates it.
 */
export function sqliteOrganizations(database: DatabaseSync, queue: WriteQueue): OrganizationStore {
  const any = database.prepare('SELECT 1 FROM organizations LIMIT 1');
  const insertOrganization = database.prepare(
    'INSERT INTO organizations (id, name, default_workspace_id, created_at) VALUES (?, ?, ?, ?)',
  );
  const insertWorkspace = database.prepare(
    `INSERT INTO workspaces (id, organization_id, slug, name, created_at) VALUES (?, ?, ?, ?, ?)`,
  );
  const storeMember = prepareMemberStore(database);
  const insertKey = prepareKeyInsert(database);
  const first = database.prepare(firstOrganizationSql);
  const get = database.prepare('SELECT id, name, default_workspace_id FROM organizations WHERE id = ?');

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
        storeMember(organization.id, undefined, owner, createdAt);
        for (const key of keys) insertKey(key);
        return true;
      }),
    async first() {
      const row = read(() => first.get()) as unknown as FirstOrganizationRow | undefined;
      return row && toFirstOrganization(row);
    },
    async get(id) {
      const row = read(() => get.get(id)) as unknown as OrganizationRow | undefined;
      return row && toOrganization(row);
    },
  };
}
