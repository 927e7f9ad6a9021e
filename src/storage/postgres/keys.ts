import type { KeyPlacement } from '../../core/organization/key-change.ts';
import type { KeyStore } from '../../core/organization/organization-storage.ts';
import { type KeyRecordRow, type ResolvedKeyRow, toKeyRecord, toResolvedKey } from '../organization-rows.ts';
import { writeEvents } from './audit.ts';
import { changeOrganization, findKeyStatement } from './change-organization.ts';
import { type PostgresConnection, type Query, queryOf } from './connection.ts';
import { getExistingKey, getKey, insertKey, recordJoins, selectRecord, storeKey } from './key-records.ts';
import { getMember } from './members.ts';
import { noteActivity, noteUsesSql } from './sessions.ts';
import { statement } from './statement.ts';
import { findWorkspace, roleIn } from './workspaces.ts';

const inWorkspace = 'SELECT id, created_at FROM api_keys WHERE organization_id = $1 AND (NOT disabled OR $3)';

/**
 * The keys of a workspace. Management keys have no workspace and are listed in the default one, so
 * a page merges two ranges of the index. PostgreSQL does not infer from `workspace_id IS NULL` that
 * the rest of the index is in order, so it sorts that range, limited to what the page can need.
 */
const listKeysStatement = statement(
  'list-keys',
  `${selectRecord}
    FROM (
      SELECT id, created_at FROM (
        (${inWorkspace} AND workspace_id = $2 ORDER BY created_at DESC, id DESC)
        UNION ALL (
          ${inWorkspace} AND workspace_id IS NULL
            AND $2 = (SELECT default_workspace_id FROM organizations WHERE id = $1)
            AND ($6::text IS NULL OR owner_id = $6)
          ORDER BY workspace_id DESC, created_at DESC, id DESC LIMIT $4::bigint + $5::bigint
        )
      ) merged ORDER BY created_at DESC, id DESC LIMIT $4 OFFSET $5
    ) page
    CROSS JOIN LATERAL (SELECT * FROM api_keys WHERE id = page.id LIMIT 1) k ${recordJoins}
    ORDER BY page.created_at DESC, page.id DESC`,
);

/** The keys of one person, who has few, so that they are filtered and sorted on the way. */
const listKeysOfOwnerStatement = statement(
  'list-keys-of-owner',
  `${selectRecord}
    FROM api_keys k ${recordJoins}
    WHERE k.owner_id = $6 AND k.organization_id = $1 AND (NOT k.disabled OR $3)
      AND ($2::uuid IS NULL OR coalesce(k.workspace_id, o.default_workspace_id) = $2)
    ORDER BY k.created_at DESC, k.id DESC LIMIT $4 OFFSET $5`,
);

export function postgresKeys(connection: PostgresConnection): KeyStore {
  const query = connection.query.bind(connection);
  return {
    async find(secretHash) {
      return (await connection.query<ResolvedKeyRow>(findKeyStatement, [secretHash])).map(toResolvedKey)[0];
    },
    get: (organizationId, reference) => getKey(query, organizationId, reference),
    async list(filter, includeDisabled, { offset, limit }) {
      const { organizationId, workspaceId, ownerId, managementOwnerId } = filter;
      if (
        workspaceId !== undefined &&
        (await findWorkspace(query, organizationId, workspaceId)) === undefined
      )
        return undefined;
      const page = [organizationId, workspaceId ?? null, includeDisabled, limit, offset];
      const rows =
        ownerId === undefined
          ? await connection.query<KeyRecordRow>(listKeysStatement, [...page, managementOwnerId ?? null])
          : await connection.query<KeyRecordRow>(listKeysOfOwnerStatement, [...page, ownerId]);
      return rows.map(toKeyRecord);
    },
    create(key, actor, decide) {
      const { organizationId, workspaceId, ownerId, createdAt } = key;
      if (organizationId === null) {
        return connection.transaction(async (client) => {
          await insertKey(queryOf(client), key);
          return getExistingKey(queryOf(client), key.id);
        });
      }
      return changeOrganization(connection, organizationId, actor, async (query) => {
        const { addsOwnerToWorkspace, events } = decide(
          await siteOf(query, organizationId, ownerId, workspaceId),
        );
        await insertKey(query, key);
        if (addsOwnerToWorkspace) await query(joinWorkspace, [workspaceId, ownerId, createdAt]);
        await writeEvents(query, organizationId, actor, createdAt, events);
        return getExistingKey(query, key.id);
      });
    },
    change: (organizationId, reference, actor, decide, destinationId) =>
      changeOrganization(connection, organizationId, actor, async (query) => {
        const current = await getKey(query, organizationId, reference);
        if (current === undefined) return undefined;
        const destination =
          destinationId === undefined
            ? undefined
            : await siteOf(query, organizationId, current.ownerId, destinationId);
        const change = decide(current, destination);
        if (change === undefined) return current;
        await storeKey(query, current, change);
        if (change.addsOwnerToWorkspace)
          await query(joinWorkspace, [destinationId, current.ownerId, change.at]);
        await writeEvents(query, organizationId, actor, change.at, change.events);
        return change.next ?? current;
      }),
    async recordLastUses(uses, intervalMs) {
      const ids = [...uses.keys()];
      await connection.query(noteUsesStatement, [ids, [...uses.values()], intervalMs]);
    },
    async recordFirstUse({ organizationId, ownerId }, at) {
      await connection.query(noteActivity, [organizationId, ownerId, at]);
    },
  };
}

/** The input of the rule for creating or moving a key. */
async function siteOf(
  query: Query,
  organizationId: string,
  ownerId: string,
  workspaceId: string | null,
): Promise<KeyPlacement> {
  return {
    owner: await getMember(query, organizationId, ownerId),
    workspace: workspaceId === null ? undefined : await findWorkspace(query, organizationId, workspaceId),
    workspaceRole:
      workspaceId === null ? undefined : await roleIn(query, organizationId, workspaceId, ownerId),
  };
}

const joinWorkspace = statement(
  'join-workspace',
  "INSERT INTO workspace_members (workspace_id, user_id, created_at, role) VALUES ($1, $2, $3, 'admin')",
);

const noteUsesStatement = statement('note-key-uses', noteUsesSql('api_keys', 'owner_id'));
