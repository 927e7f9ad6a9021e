import { databaseUnavailable } from '../../core/errors.ts';
import type { Actor } from '../../core/storage.ts';
import { keyColumns, type ResolvedKeyRow, toResolvedKey } from '../organization-rows.ts';
import { LostRace, type PostgresConnection, type Query, queryOf } from './connection.ts';
import { isRetryable } from './errors.ts';
import { statement } from './statement.ts';

/**
 * Attempts per change. One is lost only when another organization adds the same new user at that
 * moment, or to a deadlock.
 */
const attemptsMax = 5;

/**
 * Runs `work` in a transaction that holds a lock on the organization, so nothing else changes its
 * members, keys or workspaces until the commit. What the rule reads stays true until its decision
 * is durable, and so does the actor's authorization. Reads and everything about presets proceed in
 * parallel.
 */
export function changeOrganization<T>(
  connection: PostgresConnection,
  organizationId: string,
  actor: Actor,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  // Changes of one organization queue up here: waiting for the row lock instead would occupy
  // connections that other requests need.
  return connection.runExclusive(organizationId, async () => {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      try {
        return await connection.transaction(async (client) => {
          const query = queryOf(client);
          await query(lockOrganization, [organizationId]);
          await assertStillAuthorized(query, actor);
          return await work(query);
        });
      } catch (error) {
        if (!(error instanceof LostRace || isRetryable(error))) throw error;
      }
    }
    throw databaseUnavailable(new LostRace());
  });
}

/** The actor's key may have been disabled while the change waited for its lock. */
async function assertStillAuthorized(query: Query, { authorization }: Actor): Promise<void> {
  if (authorization === undefined) return;
  const [key] = (await query<ResolvedKeyRow>(findKeyStatement, [authorization.secretHash])).map(
    toResolvedKey,
  );
  authorization.assertStillAuthorized(key);
}

const lockOrganization = statement(
  'lock-organization',
  'SELECT 1 FROM organizations WHERE id = $1 FOR NO KEY UPDATE',
);

/**
 * Finds a key by the hash of its current secret or of one rotated out. Reads the owner's workspaces
 * only for management keys of members; nobody else is limited by them.
 */
export const findKeyStatement = statement(
  'find-key',
  `SELECT ${keyColumns}, o.default_workspace_id, m.role AS owner_role, s.retired_at,
      CASE WHEN k.kind = 'management' AND m.role = 'org:member' THEN (
        SELECT json_agg(wm.workspace_id) FROM workspace_members wm WHERE wm.user_id = k.owner_id
      ) END AS owner_workspace_ids
    FROM (
      SELECT id, NULL::timestamptz AS retired_at FROM api_keys WHERE secret_hash = $1
      UNION ALL SELECT key_id, expires_at FROM retired_secrets WHERE secret_hash = $1
    ) s
    CROSS JOIN LATERAL (SELECT * FROM api_keys WHERE id = s.id LIMIT 1) k
    LEFT JOIN LATERAL (
      SELECT default_workspace_id FROM organizations WHERE id = k.organization_id LIMIT 1
    ) o ON true
    LEFT JOIN LATERAL (
      SELECT role FROM memberships WHERE organization_id = k.organization_id AND user_id = k.owner_id LIMIT 1
    ) m ON true`,
);
