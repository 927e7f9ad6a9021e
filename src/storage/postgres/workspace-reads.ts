import { isUuid, type Workspace } from '../../core/organization/workspace.ts';
import { toWorkspace, type WorkspaceRow, workspaceColumns } from '../organization-rows.ts';
import type { Statement } from './connection.ts';
import { type Query, statement } from './query.ts';

/** Finds a workspace by id or slug with two index lookups. Deleted workspaces do not exist. */
export const findWorkspaceStatement: Statement = {
  name: 'find-workspace',
  text: `SELECT ${workspaceColumns}
    FROM (
      SELECT id FROM workspaces WHERE id = $2
      UNION SELECT id FROM workspaces WHERE organization_id = $1 AND slug = $3
    ) found
    CROSS JOIN LATERAL (SELECT * FROM workspaces WHERE id = found.id LIMIT 1) w
    CROSS JOIN LATERAL (SELECT * FROM organizations WHERE id = w.organization_id LIMIT 1) o
    WHERE w.organization_id = $1 AND w.deleted_at IS NULL`,
};

/** Checks that a workspace exists, belongs to the organization and has not been deleted. */
export const workspaceExistsStatement = statement(
  'find-workspace-of',
  'SELECT 1 FROM workspaces WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL',
);

/**
 * Undefined when the organization has no such workspace. A reference that is not a UUID is not
 * compared with ids, which PostgreSQL would reject.
 */
export async function findWorkspace(
  query: Query,
  organizationId: string,
  idOrSlug: string,
): Promise<Workspace | undefined> {
  const values = [organizationId, isUuid(idOrSlug) ? idOrSlug : null, idOrSlug];
  return (await query<WorkspaceRow>(findWorkspaceStatement, values)).map(toWorkspace)[0];
}
