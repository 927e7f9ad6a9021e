import type { DatabaseSync } from 'node:sqlite';
import type { ApiKey, KeyKind, ResolvedKey } from '../../core/api-key.ts';
import { ambiguousLabel, duplicateSecret } from '../../core/key-errors.ts';
import type { KeyStore } from '../../core/storage.ts';
import { isUniqueViolation, read } from './errors.ts';
import type { WriteQueue } from './write-queue.ts';

const columns = `k.id, k.secret_hash, k.label, k.name, k.kind, k.read_only, k.owner_id, k.organization_id,
  k.workspace_id, k.disabled, k.expires_at, k.created_at`;

/** In the join with the owner's membership. */
const ownerHasLeft = '(k.organization_id IS NOT NULL AND m.user_id IS NULL)';

export const findKeySql = `SELECT ${columns}, o.default_workspace_id, ${ownerHasLeft} AS owner_has_left
  FROM api_keys k
  LEFT JOIN organizations o ON o.id = k.organization_id
  LEFT JOIN memberships m ON m.organization_id = k.organization_id AND m.user_id = k.owner_id
  WHERE k.secret_hash = ?`;

export function sqliteKeys(database: DatabaseSync, queue: WriteQueue): KeyStore {
  const find = database.prepare(findKeySql);
  const insert = prepareKeyInsert(database);
  const list = database.prepare(
    `SELECT ${columns}, u.email AS owner_email, ${ownerHasLeft} AS owner_has_left
     FROM api_keys k JOIN users u ON u.id = k.owner_id
     LEFT JOIN memberships m ON m.organization_id = k.organization_id AND m.user_id = k.owner_id
     ORDER BY k.created_at DESC, k.id DESC LIMIT ? OFFSET ?`,
  );
  const match = database.prepare(`SELECT ${columns} FROM api_keys k WHERE k.id = ? OR k.label = ? LIMIT 2`);
  const disable = database.prepare('UPDATE api_keys SET disabled = 1 WHERE id = ?');

  return {
    async find(secretHash) {
      const row = read(() => find.get(secretHash)) as unknown as ResolvedRow | undefined;
      return row && toResolvedKey(row);
    },
    create: (key) => queue.write(() => insert(key)),
    async list({ offset, limit }) {
      const rows = read(() => list.all(limit, offset)) as unknown as ListedRow[];
      return rows.map((row) => ({
        ...toKey(row),
        ownerEmail: row.owner_email,
        ownerHasLeft: row.owner_has_left === 1,
      }));
    },
    disable: (idOrLabel) =>
      queue.write(() => {
        const [row, another] = match.all(idOrLabel, idOrLabel) as unknown as KeyRow[];
        if (another !== undefined) throw ambiguousLabel(idOrLabel);
        if (row === undefined) return undefined;
        disable.run(row.id);
        return { ...toKey(row), disabled: true };
      }),
  };
}

/** Inserts a key inside a transaction that is already open. */
export function prepareKeyInsert(database: DatabaseSync): (key: ApiKey) => void {
  const insert = database.prepare(
    `INSERT INTO api_keys (
       id, secret_hash, label, name, kind, read_only, owner_id, organization_id, workspace_id, disabled, expires_at, created_at
     ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
      );
    } catch (error) {
      throw isUniqueViolation(error) ? duplicateSecret() : error;
    }
  };
}

interface KeyRow {
  readonly id: string;
  readonly secret_hash: string;
  readonly label: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly read_only: 0 | 1;
  readonly owner_id: string;
  readonly organization_id: string | null;
  readonly workspace_id: string | null;
  readonly disabled: 0 | 1;
  readonly expires_at: string | null;
  readonly created_at: string;
}

interface ListedRow extends KeyRow {
  readonly owner_email: string;
  readonly owner_has_left: 0 | 1;
}

interface ResolvedRow extends KeyRow {
  readonly default_workspace_id: string | null;
  readonly owner_has_left: 0 | 1;
}

function toKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    secretHash: row.secret_hash,
    label: row.label,
    name: row.name,
    kind: row.kind,
    readOnly: row.read_only === 1,
    ownerId: row.owner_id,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    disabled: row.disabled === 1,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
  };
}

function toResolvedKey(row: ResolvedRow): ResolvedKey {
  return {
    ...toKey(row),
    defaultWorkspaceId: row.default_workspace_id,
    ownerHasLeft: row.owner_has_left === 1,
  };
}
