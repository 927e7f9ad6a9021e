import { type ContentLogSettings, parseContentLog } from '../core/content-log/content-log-settings.ts';
import type { Actor } from '../core/organization/actor.ts';
import {
  type OwnerAccess,
  type ResolvedKey,
  type ResolvedSession,
  sessionLabel,
} from '../core/organization/caller.ts';
import type { WorkspaceRole } from '../core/organization/workspace-role.ts';
import type { Database, Query } from './database.ts';
import { keyColumns } from './key-records.ts';
import { type Columns, fields, flag, json, select } from './select.ts';
import { type Sql, statement } from './statement.ts';

/**
 * Runs `work` in a transaction that holds a lock on the organization, so nothing else changes its
 * members, keys or workspaces until the commit. What the rule reads stays true until its decision
 * is durable, and so does the actor's authorization. Reads and everything about presets proceed in
 * parallel.
 */
export function changeOrganization<T>(
  database: Database,
  organizationId: string,
  actor: Actor,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  return database.transaction(async (query) => {
    await query(lockOrganization, [organizationId]);
    await assertAuthorized(query, actor);
    return work(query);
  }, organizationId);
}

/** The actor's key or session may have lost its rights while the change waited for its turn. */
export async function assertAuthorized(query: Query, { authorization }: Actor): Promise<void> {
  if (authorization === undefined) return;
  const { kind, secretHash, assertStillAuthorized } = authorization;
  if (kind === 'session') assertStillAuthorized(await findSession(query, secretHash));
  else assertStillAuthorized((await query(findKey, [secretHash]))[0]);
}

const lockOrganization = statement(
  'lock-organization',
  ({ forUpdate }) => `SELECT 1 FROM organizations WHERE id = $1 ${forUpdate}`,
);

/**
 * The person behind a key or session. Expects the organization as `o` and the membership as `m`;
 * `isTheirs` selects their rows in `workspace_members wm`, which is empty for the default one.
 */
const ownerColumns = (isTheirs: string): Columns<Omit<OwnerAccess, 'ownerId' | 'organizationId'>> => ({
  defaultWorkspaceId: 'o.default_workspace_id',
  ownerRole: 'm.role',
  isOwnerDeactivated: flag('m.deactivated_at IS NOT NULL'),
  workspaceRoles: json(({ array, objectOf }) => {
    const others = `(SELECT ${objectOf('wm.workspace_id', 'wm.role')} FROM workspace_members wm WHERE ${isTheirs})`;
    return `CASE m.role WHEN 'org:member' THEN ${array('o.default_workspace_id', 'm.workspace_role', others)}
      ELSE 'null' END`;
  }, toWorkspaceRoles),
});

type Roles = OwnerAccess['workspaceRoles'];

function toWorkspaceRoles(stored: readonly [string, WorkspaceRole, Roles | null] | null): Roles {
  return stored === null ? {} : { [stored[0]]: stored[1], ...stored[2] };
}

/** The tables of `ownerColumns`. */
const ownerJoins = ({ leftJoinOne }: Sql, organizationId: string, userId: string) =>
  `${leftJoinOne('organizations o', `o.id = ${organizationId}`)}
    ${leftJoinOne('memberships m', `m.organization_id = ${organizationId} AND m.user_id = ${userId}`)}`;

/** Finds a session by the hash of its token. Undefined when absent. */
export async function findSession(query: Query, tokenHash: string): Promise<ResolvedSession | undefined> {
  const [found] = await query(findSessionStatement, [tokenHash]);
  return found && { ...found, ...sessionRights, label: sessionLabel(found.id) };
}

/** Unlike a key, a session has all the rights of its user. */
const sessionRights = {
  kind: 'session',
  workspaceId: null,
  readOnly: false,
  scope: 'write',
  presets: null,
  contentLog: null,
} as const;

const findSessionStatement = select<Omit<ResolvedSession, keyof typeof sessionRights | 'label'>>(
  'find-session',
  {
    ...fields('s', 'id', 'organizationId', 'method', 'createdAt', 'lastUsedAt', 'expiresAt'),
    secretHash: 's.token_hash',
    ownerId: 's.user_id',
    ...ownerColumns('wm.user_id = s.user_id'),
  },
  (sql) => `FROM sessions s ${ownerJoins(sql, 's.organization_id', 's.user_id')}
    WHERE s.token_hash = $1`,
);

const resolvedKeyColumns: Columns<ResolvedKey> = {
  ...keyColumns,
  ...ownerColumns('wm.user_id = k.owner_id AND (k.workspace_id IS NULL OR wm.workspace_id = k.workspace_id)'),
  secretExpiresAt: 's.retired_at',
  contentLog: {
    sql: '(SELECT content_log FROM workspaces WHERE id = k.workspace_id)',
    decode: (stored) => enabledContentLog(stored as string | null),
  },
  isOwnerNew: flag('m.role IS NOT NULL AND m.last_active_at IS NULL'),
};

function enabledContentLog(stored: string | null): ContentLogSettings | null {
  const settings = parseContentLog(stored);
  return settings.isEnabled ? settings : null;
}

/** Finds keys by the hash of their current secret or of one rotated out. */
const fromKeys = (isWanted: (sql: Sql) => string) => (sql: Sql) =>
  `FROM (
      SELECT id, secret_hash, NULL AS retired_at FROM api_keys WHERE ${isWanted(sql)}
      UNION ALL SELECT key_id, secret_hash, expires_at FROM retired_secrets WHERE ${isWanted(sql)}
    ) s
    ${sql.joinOne('api_keys k', 'k.id = s.id')} ${ownerJoins(sql, 'k.organization_id', 'k.owner_id')}`;

export const findKey = select(
  'find-key',
  resolvedKeyColumns,
  fromKeys(() => 'secret_hash = $1'),
);

/** Finds the keys of several actors. */
export const findKeys = select<ResolvedKey & { readonly wantedHash: string }>(
  'find-keys',
  { ...resolvedKeyColumns, wantedHash: 's.secret_hash' },
  fromKeys(({ isIn }) => isIn('secret_hash', '$1', 'text')),
);
