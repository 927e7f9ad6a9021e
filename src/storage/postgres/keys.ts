import type { PoolClient } from 'pg';
import type { ApiKey, ListedKey, ResolvedKey } from '../../core/api-key.ts';
import { ambiguousLabel, duplicateSecret } from '../../core/key-errors.ts';
import type { KeyStore } from '../../core/storage.ts';
import type { PostgresConnection, Statement } from './connection.ts';
import { isUniqueViolation } from './errors.ts';

const columns = `k.id, k.secret_hash AS "secretHash", k.label, k.name, k.kind, k.read_only AS "readOnly",
  k.owner_id AS "ownerId", k.organization_id AS "organizationId", k.workspace_id AS "workspaceId", k.disabled,
  k.expires_at AS "expiresAt", k.created_at AS "createdAt"`;

/** In the join with the owner's membership. */
const ownerHasLeft = '(k.organization_id IS NOT NULL AND m.user_id IS NULL)';

export const findKeyStatement: Statement = {
  name: 'find-key',
  text: `SELECT ${columns}, o.default_workspace_id AS "defaultWorkspaceId",
      ${ownerHasLeft} AS "ownerHasLeft"
    FROM api_keys k
    LEFT JOIN organizations o ON o.id = k.organization_id
    LEFT JOIN memberships m ON m.organization_id = k.organization_id AND m.user_id = k.owner_id
    WHERE k.secret_hash = $1`,
};

const list: Statement = {
  name: 'list-keys',
  text: `SELECT ${columns}, u.email AS "ownerEmail", ${ownerHasLeft} AS "ownerHasLeft"
    FROM api_keys k JOIN users u ON u.id = k.owner_id
    LEFT JOIN memberships m ON m.organization_id = k.organization_id AND m.user_id = k.owner_id
    ORDER BY k.created_at DESC, k.id DESC LIMIT $1 OFFSET $2`,
};

export function postgresKeys(connection: PostgresConnection): KeyStore {
  return {
    async find(secretHash) {
      const [row] = await connection.query<ResolvedKey>(findKeyStatement, [secretHash]);
      return row;
    },
    create: (key) => connection.transaction((client) => insertKey(client, key)),
    list: ({ offset, limit }) => connection.query<ListedKey>(list, [limit, offset]),
    disable: (idOrLabel) =>
      connection.transaction(async (client) => {
        const { rows } = await client.query<ApiKey>(
          `SELECT ${columns} FROM api_keys k WHERE k.id::text = $1 OR k.label = $1 LIMIT 2 FOR UPDATE`,
          [idOrLabel],
        );
        const [row, another] = rows;
        if (another !== undefined) throw ambiguousLabel(idOrLabel);
        if (row === undefined) return undefined;
        await client.query('UPDATE api_keys SET disabled = true WHERE id = $1', [row.id]);
        return { ...row, disabled: true };
      }),
  };
}

/** Inserts a key inside a transaction that is already open. */
export async function insertKey(client: PoolClient, key: ApiKey): Promise<void> {
  try {
    await client.query(
      `INSERT INTO api_keys (
         id, secret_hash, label, name, kind, read_only, owner_id, organization_id, workspace_id, disabled, expires_at,
         created_at
       ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
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
      ],
    );
  } catch (error) {
    throw isUniqueViolation(error) ? duplicateSecret() : error;
  }
}
