import type { DatabaseSync } from 'node:sqlite';
import type { Actor } from '../../core/organization/actor.ts';
import type { ResolvedKey } from '../../core/organization/api-key.ts';
import type { ResolvedSession } from '../../core/organization/caller.ts';
import {
  keyColumns,
  ownerColumns,
  type ResolvedKeyRow,
  type SessionRow,
  sessionColumns,
  toResolvedKey,
  toResolvedSession,
} from '../organization-rows.ts';
import { statement } from './statement.ts';
import type { WriteQueue } from './write-queue.ts';

/**
 * Runs a change of an organization's members, keys or workspaces in its own transaction. The write
 * queue runs one transaction at a time, so what `work` reads stays true until it commits.
 */
type ChangeOrganization = <T>(actor: Actor, work: () => T) => Promise<T>;

export function prepareChangeOrganization(database: DatabaseSync, queue: WriteQueue): ChangeOrganization {
  const assertAuthorized = prepareAssertAuthorized(database);
  return (actor, work) =>
    queue.write(() => {
      assertAuthorized(actor);
      return work();
    });
}

/**
 * Prepares the check of an actor inside an open transaction: the key or session may have lost its
 * rights while the change was queued.
 */
export function prepareAssertAuthorized(database: DatabaseSync): (actor: Actor) => void {
  const findKey = prepareFindKey(database);
  const findSession = prepareFindSession(database);
  return ({ authorization }) => {
    if (authorization === undefined) return;
    const { kind, secretHash, assertStillAuthorized } = authorization;
    assertStillAuthorized(kind === 'session' ? findSession(secretHash) : findKey(secretHash));
  };
}

/** Returns undefined when no session has this token. */
export function prepareFindSession(
  database: DatabaseSync,
): (tokenHash: string) => ResolvedSession | undefined {
  const find = database.prepare(findSessionSql);
  return (tokenHash) => {
    const row = find.get(tokenHash) as unknown as SessionRow | undefined;
    return row && toResolvedSession(row);
  };
}

/** Returns undefined when no key has this secret, current or rotated out. */
export function prepareFindKey(database: DatabaseSync): (secretHash: string) => ResolvedKey | undefined {
  const find = database.prepare(findKeySql);
  return (secretHash) => {
    const row = find.get(secretHash) as unknown as ResolvedKeyRow | undefined;
    return row && toResolvedKey(row);
  };
}

/** The roles of a person, or with a workspace only the role in it. */
const rolesOf = (userId: string, workspaceId = 'NULL') =>
  `SELECT json_group_object(wm.workspace_id, wm.role) FROM workspace_members wm
    WHERE wm.user_id = ${userId} AND (${workspaceId} IS NULL OR wm.workspace_id = ${workspaceId})`;

const findSessionSql = statement(
  'find-session',
  `SELECT ${sessionColumns}, ${ownerColumns(rolesOf('s.user_id'))}
  FROM sessions s
  JOIN organizations o ON o.id = s.organization_id
  LEFT JOIN memberships m ON m.organization_id = s.organization_id AND m.user_id = s.user_id
  WHERE s.token_hash = ?`,
);

const findKeySql = statement(
  'find-key',
  `SELECT ${keyColumns}, s.retired_at, m.last_active_at IS NULL AS is_owner_new, ${ownerColumns(rolesOf('k.owner_id', 'k.workspace_id'))}
  FROM (
    SELECT id, NULL AS retired_at FROM api_keys WHERE secret_hash = ?1
    UNION ALL SELECT key_id, expires_at FROM retired_secrets WHERE secret_hash = ?1
  ) s
  CROSS JOIN api_keys k ON k.id = s.id
  LEFT JOIN organizations o ON o.id = k.organization_id
  LEFT JOIN memberships m ON m.organization_id = k.organization_id AND m.user_id = k.owner_id`,
);
