import type { DatabaseSync } from 'node:sqlite';
import {
  type ApiKey,
  ambiguousLabel,
  duplicateSecret,
  type KeyRecord,
} from '../../core/organization/api-key.ts';
import type { KeyChange } from '../../core/organization/key-change.ts';
import { type KeyRecordRow, keyRecordColumns, toKeyRecord } from '../organization-rows.ts';
import { isUniqueViolation } from './errors.ts';
import { statement } from './statement.ts';

export const selectRecord = `SELECT ${keyRecordColumns}`;

/** The joins that `selectRecord` needs. The key itself is `k`. */
export const recordJoins = `JOIN users u ON u.id = k.owner_id
  LEFT JOIN organizations o ON o.id = k.organization_id
  LEFT JOIN memberships m ON m.organization_id = k.organization_id AND m.user_id = k.owner_id
  LEFT JOIN workspace_members wm ON wm.workspace_id = k.workspace_id AND wm.user_id = k.owner_id`;

/**
 * Finds a key by id, label or secret hash. Labels are not unique: a second row means that the
 * reference is ambiguous.
 */
const getKeySql = statement(
  'get-key',
  `${selectRecord}
  FROM (
    SELECT id FROM api_keys WHERE id = lower(?2)
    UNION SELECT id FROM api_keys WHERE label = ?2
    UNION SELECT id FROM api_keys WHERE secret_hash = lower(?2)
    UNION SELECT key_id FROM retired_secrets WHERE secret_hash = lower(?2)
  ) found
  CROSS JOIN api_keys k ON k.id = found.id ${recordJoins}
  WHERE k.organization_id = ?1 LIMIT 2`,
);

/** Reads and writes keys inside an open transaction. */
interface KeyRecords {
  get(organizationId: string, reference: string): KeyRecord | undefined;
  /** A key that exists, such as one inserted before in the same transaction. */
  getExisting(id: string): KeyRecord;
  /** The keys of a member that are not disabled. */
  enabledOf(organizationId: string, ownerId: string): readonly KeyRecord[];
  ofWorkspace(workspaceId: string): readonly KeyRecord[];
  insert(key: ApiKey): void;
  /** Writes the change, including the retirement of a rotated secret. */
  store(current: KeyRecord, change: KeyChange): void;
}

export function prepareKeyRecords(database: DatabaseSync): KeyRecords {
  const get = database.prepare(getKeySql);
  const byId = database.prepare(`${selectRecord} FROM api_keys k ${recordJoins} WHERE k.id = ?`);
  const ofOwner = database.prepare(
    `${selectRecord} FROM api_keys k ${recordJoins} WHERE k.owner_id = ? AND k.organization_id = ? AND NOT k.disabled`,
  );
  const ofWorkspace = database.prepare(
    `${selectRecord} FROM workspaces w CROSS JOIN api_keys k
       ON k.organization_id = w.organization_id AND k.workspace_id = w.id ${recordJoins} WHERE w.id = ?`,
  );
  const update = database.prepare(
    `UPDATE api_keys SET secret_hash = ?, label = ?, name = ?, workspace_id = ?, disabled = ?, expires_at = ?, updated_at = ?
     WHERE id = ?`,
  );
  const remove = database.prepare('DELETE FROM api_keys WHERE id = ?');
  const retireSecret = database.prepare(
    'INSERT INTO retired_secrets (secret_hash, key_id, expires_at) VALUES (?, ?, ?)',
  );
  const shortenRetirement = database.prepare(
    'UPDATE retired_secrets SET expires_at = ?2 WHERE key_id = ?1 AND expires_at > ?2',
  );
  const deleteExpiredSecrets = database.prepare(
    'DELETE FROM retired_secrets WHERE key_id = ? AND expires_at <= ?',
  );
  const insert = prepareKeyInsert(database);
  const records = (rows: unknown) => (rows as KeyRecordRow[]).map(toKeyRecord);

  return {
    get(organizationId, reference) {
      const [key, another] = records(get.all(organizationId, reference));
      if (another !== undefined) throw ambiguousLabel(reference);
      return key;
    },
    getExisting(id) {
      const [key] = records(byId.all(id));
      if (key === undefined) throw new Error('a key that was just created is missing');
      return key;
    },
    enabledOf: (organizationId, ownerId) => records(ofOwner.all(ownerId, organizationId)),
    ofWorkspace: (workspaceId) => records(ofWorkspace.all(workspaceId)),
    insert,
    store(current, { at, next, oldSecretsExpireAt }) {
      if (next === null) {
        remove.run(current.id);
        return;
      }
      const { secretHash, label, name, workspaceId, disabled, expiresAt, updatedAt, id } = next;
      update.run(secretHash, label, name, workspaceId, disabled ? 1 : 0, expiresAt, updatedAt, id);
      if (oldSecretsExpireAt === undefined) return;
      retireSecret.run(current.secretHash, id, oldSecretsExpireAt);
      shortenRetirement.run(id, oldSecretsExpireAt);
      deleteExpiredSecrets.run(id, at);
    },
  };
}

/**
 * Prepares the insertion of a key inside an open transaction. Throws `conflict` when another key
 * has the same secret.
 */
export function prepareKeyInsert(database: DatabaseSync): (key: ApiKey) => void {
  const insert = database.prepare(
    `INSERT INTO api_keys (
       id, secret_hash, label, name, kind, read_only, owner_id, organization_id, workspace_id, disabled, expires_at, created_at,
       scope, presets
     ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (key) => {
    try {
      insert.run(
        key.id,
        key.secretHash,
        key.label,
        key.name,
        key.kind,
        key.readOnly ? 1 : 0,
        key.ownerId,
        key.organizationId,
        key.workspaceId,
        key.disabled ? 1 : 0,
        key.expiresAt,
        key.createdAt,
        key.scope,
        key.presets && JSON.stringify(key.presets),
      );
    } catch (error) {
      throw isUniqueViolation(error) ? duplicateSecret() : error;
    }
  };
}
