import { databaseUnavailable } from '../../core/errors.ts';
import type { Actor } from '../../core/organization/actor.ts';
import {
  keyColumns,
  ownerColumns,
  type ResolvedKeyRow,
  type SessionRow,
  sessionColumns,
  toResolvedKey,
  toResolvedSession,
} from '../organization-rows.ts';
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
          await assertAuthorized(query, actor);
          return await work(query);
        });
      } catch (error) {
        if (!(error instanceof LostRace || isRetryable(error))) throw error;
      }
    }
    throw databaseUnavailable(new LostRace());
  });
}

/** The actor's key or session may have lost its rights while the change waited for its lock. */
export async function assertAuthorized(query: Query, { authorization }: Actor): Promise<void> {
  if (authorization === undefined) return;
  const { kind, secretHash, assertStillAuthorized } = authorization;
  const [current] =
    kind === 'session'
      ? (await query<SessionRow>(findSessionStatement, [secretHash])).map(toResolvedSession)
      : (await query<ResolvedKeyRow>(findKeyStatement, [secretHash])).map(toResolvedKey);
  assertStillAuthorized(current);
}

const lockOrganization = statement(
  'lock-organization',
  'SELECT 1 FROM organizations WHERE id = $1 FOR NO KEY UPDATE',
);

/** The roles of a person, or with a workspace only the role in it. */
const rolesOf = (userId: string, workspaceId = 'NULL::uuid') =>
  `SELECT json_object_agg(wm.workspace_id, wm.role) FROM workspace_members wm
    WHERE wm.user_id = ${userId} AND (${workspaceId} IS NULL OR wm.workspace_id = ${workspaceId})`;

/** The tables of `ownerColumns`. */
const ownerJoins = (organizationId: string, userId: string) => `LEFT JOIN LATERAL (
      SELECT default_workspace_id FROM organizations WHERE id = ${organizationId} LIMIT 1
    ) o ON true
    LEFT JOIN LATERAL (
      SELECT role, workspace_role, deactivated_at, last_active_at FROM memberships
      WHERE organization_id = ${organizationId} AND user_id = ${userId} LIMIT 1
    ) m ON true`;

export const findSessionStatement = statement(
  'find-session',
  `SELECT ${sessionColumns}, ${ownerColumns(rolesOf('s.user_id'))}
    FROM sessions s ${ownerJoins('s.organization_id', 's.user_id')}
    WHERE s.token_hash = $1`,
);

/** Finds a key by the hash of its current secret or of one rotated out. */
export const findKeyStatement = statement(
  'find-key',
  `SELECT ${keyColumns}, s.retired_at, m.last_active_at IS NULL AS is_owner_new, ${ownerColumns(rolesOf('k.owner_id', 'k.workspace_id'))}
    FROM (
      SELECT id, NULL::timestamptz AS retired_at FROM api_keys WHERE secret_hash = $1
      UNION ALL SELECT key_id, expires_at FROM retired_secrets WHERE secret_hash = $1
    ) s
    CROSS JOIN LATERAL (SELECT * FROM api_keys WHERE id = s.id LIMIT 1) k
    ${ownerJoins('k.organization_id', 'k.owner_id')}`,
);
