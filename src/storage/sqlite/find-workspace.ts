/** One that is there. */
export const findWorkspaceSql =
  'SELECT 1 FROM workspaces WHERE id = ? AND organization_id = ? AND deleted_at IS NULL';
