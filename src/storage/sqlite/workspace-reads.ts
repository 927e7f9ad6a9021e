import type { DatabaseSync } from 'node:sqlite';
import type { Workspace } from '../../core/organization/workspace.ts';
import { toWorkspace, type WorkspaceRow, workspaceColumns } from '../organization-rows.ts';

/** Ids are stored in lower case but accepted in any; slugs are case-sensitive. */
export const findWorkspaceSql = `SELECT ${workspaceColumns}
  FROM workspaces w JOIN organizations o ON o.id = w.organization_id
  WHERE w.organization_id = ?1 AND (w.id = lower(?2) OR w.slug = ?2) AND w.deleted_at IS NULL`;

/** Checks that a workspace exists, belongs to the organization and has not been deleted. */
export const workspaceExistsSql =
  'SELECT 1 FROM workspaces WHERE id = ? AND organization_id = ? AND deleted_at IS NULL';

interface WorkspaceReads {
  find(organizationId: string, idOrSlug: string): Workspace | undefined;
}

export function prepareWorkspaceReads(database: DatabaseSync): WorkspaceReads {
  const find = database.prepare(findWorkspaceSql);
  return {
    find(organizationId, idOrSlug) {
      const row = find.get(organizationId, idOrSlug) as unknown as WorkspaceRow | undefined;
      return row && toWorkspace(row);
    },
  };
}
