import {
  type ApiKey,
  ambiguousLabel,
  duplicateSecret,
  type KeyRecord,
} from '../../core/organization/api-key.ts';
import type { KeyChange } from '../../core/organization/key-change.ts';
import { isUuid } from '../../core/organization/workspace.ts';
import { type KeyRecordRow, keyRecordColumns, toKeyRecord } from '../organization-rows.ts';
import type { Query } from './connection.ts';
import { isUniqueViolation } from './errors.ts';
import { statement } from './statement.ts';

export const selectRecord = `SELECT ${keyRecordColumns}`;

/**
 * The joins that `selectRecord` needs. Each LATERAL subquery with LIMIT 1 finds its row by primary
 * key; the planner might turn a plain join into a scan.
 */
export const recordJoins = `CROSS JOIN LATERAL (SELECT email FROM users WHERE id = k.owner_id LIMIT 1) u
  LEFT JOIN LATERAL (
    SELECT default_workspace_id FROM organizations WHERE id = k.organization_id LIMIT 1
  ) o ON true
  LEFT JOIN LATERAL (
    SELECT user_id FROM memberships WHERE organization_id = k.organization_id AND user_id = k.owner_id LIMIT 1
  ) m ON true
  LEFT JOIN LATERAL (
    SELECT user_id FROM workspace_members WHERE workspace_id = k.workspace_id AND user_id = k.owner_id LIMIT 1
  ) wm ON true`;

/**
 * Finds a key by id, label or secret hash. Labels are not unique: a second row means that the
 * reference is ambiguous.
 */
const getKeyStatement = statement(
  'get-key',
  `${selectRecord}
   FROM (
     SELECT id FROM api_keys WHERE id = $2
     UNION SELECT id FROM api_keys WHERE label = $3
     UNION SELECT id FROM api_keys WHERE secret_hash = lower($3)
     UNION SELECT key_id FROM retired_secrets WHERE secret_hash = lower($3)
   ) found
   CROSS JOIN LATERAL (SELECT * FROM api_keys WHERE id = found.id LIMIT 1) k ${recordJoins}
   WHERE k.organization_id = $1 LIMIT 2`,
);

/** Undefined when the organization has no such key; throws `conflict` for an ambiguous label. */
export async function getKey(
  query: Query,
  organizationId: string,
  reference: string,
): Promise<KeyRecord | undefined> {
  const id = isUuid(reference) ? reference : null;
  const rows = await query<KeyRecordRow>(getKeyStatement, [organizationId, id, reference]);
  const [key, another] = rows.map(toKeyRecord);
  if (another !== undefined) throw ambiguousLabel(reference);
  return key;
}

/** Reads a key that exists, such as one inserted before in the same transaction. */
export async function getExistingKey(query: Query, id: string): Promise<KeyRecord> {
  const [key] = (await query<KeyRecordRow>(keyById, [id])).map(toKeyRecord);
  if (key === undefined) throw new Error('a key that was just created is missing');
  return key;
}

/** The keys of a member that are not disabled. */
export async function enabledKeysOf(
  query: Query,
  organizationId: string,
  ownerId: string,
): Promise<readonly KeyRecord[]> {
  return (await query<KeyRecordRow>(enabledKeysStatement, [ownerId, organizationId])).map(toKeyRecord);
}

export async function keysOfWorkspace(
  query: Query,
  organizationId: string,
  workspaceId: string,
): Promise<readonly KeyRecord[]> {
  return (await query<KeyRecordRow>(workspaceKeysStatement, [organizationId, workspaceId])).map(toKeyRecord);
}

/**
 * Inserts a key inside an open transaction. Throws `conflict` when another key has the same secret.
 */
export async function insertKey(query: Query, key: ApiKey): Promise<void> {
  try {
    await query(insert, [
      key.id,
      key.secretHash,
      key.label,
      key.name,
      key.kind,
      key.readOnly,
      key.ownerId,
      key.organizationId,
      key.workspaceId,
      key.disabled,
      key.expiresAt,
      key.createdAt,
      key.scope,
      key.presets && JSON.stringify(key.presets),
    ]);
  } catch (error) {
    throw isUniqueViolation(error) ? duplicateSecret() : error;
  }
}

/** Writes a change of a key, including the retirement of a rotated secret. */
export async function storeKey(
  query: Query,
  current: KeyRecord,
  { at, next, oldSecretsExpireAt }: KeyChange,
): Promise<void> {
  if (next === null) {
    await query(removeKey, [current.id]);
    return;
  }
  const { secretHash, label, name, workspaceId, disabled, expiresAt, updatedAt, id } = next;
  await query(updateKey, [id, secretHash, label, name, disabled, expiresAt, updatedAt, workspaceId]);
  if (oldSecretsExpireAt === undefined) return;
  await query(retireSecret, [current.secretHash, id, oldSecretsExpireAt]);
  await query(shortenRetirement, [id, oldSecretsExpireAt]);
  await query(deleteExpiredSecrets, [id, at]);
}

/** Disables keys in one statement: someone who leaves may own many. */
export async function disableKeys(query: Query, keys: readonly KeyRecord[], at: string): Promise<void> {
  if (keys.length > 0) await query(disableKeysStatement, [keys.map(({ id }) => id), at]);
}

export async function removeKeys(query: Query, keys: readonly KeyRecord[]): Promise<void> {
  if (keys.length > 0) await query(removeKeysStatement, [keys.map(({ id }) => id)]);
}

const disableKeysStatement = statement(
  'disable-keys',
  'UPDATE api_keys SET disabled = true, updated_at = $2 WHERE id = ANY ($1::uuid[])',
);

const removeKeysStatement = statement('remove-keys', 'DELETE FROM api_keys WHERE id = ANY ($1::uuid[])');

const keyById = statement('key-by-id', `${selectRecord} FROM api_keys k ${recordJoins} WHERE k.id = $1`);

const enabledKeysStatement = statement(
  'enabled-keys',
  `${selectRecord} FROM api_keys k ${recordJoins} WHERE k.owner_id = $1 AND k.organization_id = $2 AND NOT k.disabled`,
);

const workspaceKeysStatement = statement(
  'workspace-keys',
  `${selectRecord} FROM api_keys k ${recordJoins} WHERE k.organization_id = $1 AND k.workspace_id = $2`,
);

const insert = statement(
  'insert-key',
  `INSERT INTO api_keys (
     id, secret_hash, label, name, kind, read_only, owner_id, organization_id, workspace_id, disabled, expires_at,
     created_at, scope, presets
   ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
);

const updateKey = statement(
  'update-key',
  `UPDATE api_keys SET secret_hash = $2, label = $3, name = $4, disabled = $5, expires_at = $6, updated_at = $7, workspace_id = $8
   WHERE id = $1`,
);

const removeKey = statement('remove-key', 'DELETE FROM api_keys WHERE id = $1');

const retireSecret = statement(
  'retire-secret',
  'INSERT INTO retired_secrets (secret_hash, key_id, expires_at) VALUES ($1, $2, $3)',
);

const shortenRetirement = statement(
  'retire-sooner',
  'UPDATE retired_secrets SET expires_at = $2 WHERE key_id = $1 AND expires_at > $2',
);

const deleteExpiredSecrets = statement(
  'forget-retired',
  'DELETE FROM retired_secrets WHERE key_id = $1 AND expires_at <= $2',
);
