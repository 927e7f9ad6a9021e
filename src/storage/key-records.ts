import {
  type ApiKey,
  ambiguousLabel,
  duplicateSecret,
  type KeyRecord,
} from '../core/organization/api-key.ts';
import type { KeyChange } from '../core/organization/key-change.ts';
import { isUuid } from '../core/organization/workspace.ts';
import { type Query, unlessTaken } from './database.ts';
import { type Columns, columnsOf, fields, flag, select } from './select.ts';
import { type Sql, type Statement, statement } from './statement.ts';
import { deleteFrom, insertInto, typed, updateIn } from './write-rows.ts';

/** Columns of a key that never change, and those that an edit or a new secret can replace. */
const fixedTypes = {
  ...typed('uuid', 'id', 'organizationId'),
  ...typed('text', 'kind', 'scope', 'ownerId'),
  readOnly: 'boolean',
  createdAt: 'timestamptz',
} as const;
const editableTypes = {
  ...typed('text', 'secretHash', 'label', 'name', 'limitReset'),
  limitNanos: 'bigint',
  workspaceId: 'uuid',
  disabled: 'boolean',
  expiresAt: 'timestamptz',
  presets: 'json',
} as const;
const keyTypes = { ...fixedTypes, ...editableTypes };

/** Expects the key as `k`. */
export const keyColumns = columnsOf<ApiKey>('k', keyTypes);

const recordColumns: Columns<KeyRecord> = {
  ...keyColumns,
  ...fields('k', 'updatedAt', 'lastUsedAt'),
  ownerEmail: 'u.email',
  ownerHasAccess: flag(`k.organization_id IS NULL OR (m.user_id IS NOT NULL AND (
    k.workspace_id IS NULL OR k.workspace_id = o.default_workspace_id OR wm.user_id IS NOT NULL
  ))`),
  retiredSecretExpiresAt: '(SELECT max(r.expires_at) FROM retired_secrets r WHERE r.key_id = k.id)',
};

/** The tables of `recordColumns` besides the key itself, which is `k`. */
const recordJoins = ({ joinOne, leftJoinOne }: Sql) => `${joinOne('users u', 'u.id = k.owner_id')}
  ${leftJoinOne('organizations o', 'o.id = k.organization_id')}
  ${leftJoinOne('memberships m', 'm.organization_id = k.organization_id AND m.user_id = k.owner_id')}
  ${leftJoinOne('workspace_members wm', 'wm.workspace_id = k.workspace_id AND wm.user_id = k.owner_id')}`;

/** Names a statement that selects keys, from all or from those that `from` joins as `k`. */
export function selectKeys(
  name: string,
  rest: string,
  from: (sql: Sql) => string = () => 'api_keys k',
): Statement<KeyRecord> {
  return select(name, recordColumns, (sql) => `FROM ${from(sql)} ${recordJoins(sql)} ${rest}`);
}

/**
 * Finds a key by id, label or secret hash. Labels are not unique: a second row means that the
 * reference is ambiguous.
 */
const getKeyStatement = selectKeys(
  'get-key',
  'WHERE k.organization_id = $1 LIMIT 2',
  ({ joinOne }) => `(
     SELECT id FROM api_keys WHERE id = $2
     UNION SELECT id FROM api_keys WHERE label = $3
     UNION SELECT id FROM api_keys WHERE secret_hash = lower($3)
     UNION SELECT key_id FROM retired_secrets WHERE secret_hash = lower($3)
   ) found
   ${joinOne('api_keys k', 'k.id = found.id')}`,
);

/** Undefined when the organization has no such key; throws `conflict` for an ambiguous label. */
export async function getKey(
  query: Query,
  organizationId: string,
  reference: string,
): Promise<KeyRecord | undefined> {
  const id = isUuid(reference) ? reference.toLowerCase() : null;
  const [key, another] = await query(getKeyStatement, [organizationId, id, reference]);
  if (another !== undefined) throw ambiguousLabel(reference);
  return key;
}

/** Reads a key that exists, such as one inserted before in the same transaction. */
export async function getExistingKey(query: Query, id: string): Promise<KeyRecord> {
  const [key] = await query(keyById, [id]);
  if (key === undefined) throw new Error('a key that was just created is missing');
  return key;
}

/**
 * Inserts a key inside an open transaction. Throws `conflict` when another key has the same secret.
 */
export async function insertKey(query: Query, key: ApiKey): Promise<void> {
  await unlessTaken(insertKeys(query, [key]), duplicateSecret);
}

/** Writes a change of a key, including the retirement of a rotated secret. */
export async function storeKey(
  query: Query,
  current: KeyRecord,
  { at, next, oldSecretsExpireAt }: KeyChange,
): Promise<void> {
  if (next === null) {
    await removeKeys(query, [current]);
    return;
  }
  await updateKeys(query, [next]);
  if (oldSecretsExpireAt === undefined) return;
  await query(retireSecret, [current.secretHash, next.id, oldSecretsExpireAt]);
  await query(shortenRetirement, [next.id, oldSecretsExpireAt]);
  await query(deleteExpiredSecrets, [next.id, at]);
}

/** Disables keys by id, all at once: someone who leaves may own many. */
export const disableKeys = statement(
  'disable-keys',
  ({ isIn }) => `UPDATE api_keys SET disabled = true, updated_at = $2 WHERE ${isIn('id', '$1', 'uuid')}`,
);

export const removeKeys = deleteFrom<Pick<ApiKey, 'id'>>('remove-keys', 'api_keys', { id: 'uuid' });

const keyById = selectKeys('key-by-id', 'WHERE k.id = $1');

/** The keys of the member $1 of an organization that are not disabled. */
export const enabledKeys = selectKeys(
  'enabled-keys',
  'WHERE k.owner_id = $1 AND k.organization_id = $2 AND NOT k.disabled',
);

export const workspaceKeys = selectKeys(
  'workspace-keys',
  'WHERE k.organization_id = $1 AND k.workspace_id = $2',
);

const insertKeys = insertInto<ApiKey>('insert-key', 'api_keys', keyTypes);

const updateKeys = updateIn<Pick<KeyRecord, 'id' | 'updatedAt' | keyof typeof editableTypes>>(
  'update-key',
  'api_keys',
  ['id'],
  { ...editableTypes, id: 'uuid', updatedAt: 'timestamptz' },
);

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
