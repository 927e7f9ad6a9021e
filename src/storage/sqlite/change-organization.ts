import type { DatabaseSync } from 'node:sqlite';
import type { ResolvedKey } from '../../core/organization/api-key.ts';
import type { Actor } from '../../core/storage.ts';
import { keyColumns, type ResolvedKeyRow, toResolvedKey } from '../organization-rows.ts';
import { statement } from './statement.ts';
import type { WriteQueue } from './write-queue.ts';

/**
 * Runs a change of an organization's members, keys or workspaces in its own transaction. The write
 * queue runs one transaction at a time, so what `work` reads stays true until it commits.
 */
type ChangeOrganization = <T>(actor: Actor, work: () => T) => Promise<T>;

/**
 * The actor's key is checked again inside the transaction: it may have been disabled while the
 * change was queued.
 */
export function prepareChangeOrganization(database: DatabaseSync, queue: WriteQueue): ChangeOrganization {
  const findKey = prepareFindKey(database);
  return ({ authorization }, work) =>
    queue.write(() => {
      authorization?.assertStillAuthorized(findKey(authorization.secretHash));
      return work();
    });
}

/** Returns undefined when no key has this secret, current or rotated out. */
export function prepareFindKey(database: DatabaseSync): (secretHash: string) => ResolvedKey | undefined {
  const find = database.prepare(findKeySql);
  return (secretHash) => {
    const row = find.get(secretHash) as unknown as ResolvedKeyRow | undefined;
    return row && toResolvedKey(row);
  };
}

/**
 * Reads the owner's workspaces only for management keys of members; nobody else is limited by them.
 */
const findKeySql = statement(
  'find-key',
  `SELECT ${keyColumns}, o.default_workspace_id, m.role AS owner_role, s.retired_at,
    CASE WHEN k.kind = 'management' AND m.role = 'org:member' THEN (
      SELECT json_group_array(wm.workspace_id) FROM workspace_members wm WHERE wm.user_id = k.owner_id
    ) END AS owner_workspace_ids
  FROM (
    SELECT id, NULL AS retired_at FROM api_keys WHERE secret_hash = ?1
    UNION ALL SELECT key_id, expires_at FROM retired_secrets WHERE secret_hash = ?1
  ) s
  CROSS JOIN api_keys k ON k.id = s.id
  LEFT JOIN organizations o ON o.id = k.organization_id
  LEFT JOIN memberships m ON m.organization_id = k.organization_id AND m.user_id = k.owner_id`,
);
