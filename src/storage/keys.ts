import type { KeyPlacement } from '../core/organization/key-change.ts';
import type { KeyStore } from '../core/organization/organization-storage.ts';
import { writeEvents } from './audit.ts';
import { changeOrganization, findKey } from './change-organization.ts';
import type { Database, Query } from './database.ts';
import { getExistingKey, getKey, insertKey, selectKeys, storeKey } from './key-records.ts';
import { noteActivity, recordLastUses, usesOf } from './last-uses.ts';
import { getMember } from './members.ts';
import { addWorkspaceMembers, findWorkspace, workspaceRole } from './workspaces.ts';

const inWorkspace = 'SELECT id, created_at FROM api_keys WHERE organization_id = $1 AND disabled <= $3';

const ofManagement = `${inWorkspace} AND workspace_id IS NULL
  AND $2 = (SELECT default_workspace_id FROM organizations WHERE id = $1) AND (owner_id = $6 OR $6 IS NULL)`;

/**
 * The keys of a workspace. Management keys have no workspace and are listed in the default one, so
 * a page merges two ranges of the index. PostgreSQL does not infer from `workspace_id IS NULL` that
 * the rest of the index is in order, so it sorts that range, limited to what the page can need.
 */
const keyPage = {
  sqlite: `${inWorkspace} AND workspace_id = $2 UNION ALL ${ofManagement}
    ORDER BY created_at DESC, id DESC LIMIT $4 OFFSET $5`,
  postgres: `SELECT id, created_at FROM (
      (${inWorkspace} AND workspace_id = $2 ORDER BY created_at DESC, id DESC)
      UNION ALL (
        ${ofManagement} ORDER BY workspace_id DESC, created_at DESC, id DESC LIMIT $4::bigint + $5::bigint
      )
    ) merged ORDER BY created_at DESC, id DESC LIMIT $4 OFFSET $5`,
};

const listKeys = selectKeys(
  'list-keys',
  'ORDER BY page.created_at DESC, page.id DESC',
  ({ engine, joinOne }) => `(${keyPage[engine]}) page ${joinOne('api_keys k', 'k.id = page.id')}`,
);

/** The keys of one person, who has few, so that they are filtered and sorted on the way. */
const listKeysOfOwner = selectKeys(
  'list-keys-of-owner',
  `WHERE k.owner_id = $6 AND k.organization_id = $1 AND k.disabled <= $3
    AND (coalesce(k.workspace_id, o.default_workspace_id) = $2 OR $2 IS NULL)
   ORDER BY k.created_at DESC, k.id DESC LIMIT $4 OFFSET $5`,
);

export function keyStore(database: Database): KeyStore {
  const { query } = database;
  return {
    find: async (secretHash) => (await query(findKey, [secretHash]))[0],
    get: (organizationId, reference) => getKey(query, organizationId, reference),
    async list(filter, includeDisabled, { offset, limit }) {
      const { organizationId, workspaceId, ownerId, managementOwnerId } = filter;
      if (workspaceId !== undefined) {
        const workspace = await findWorkspace(query, organizationId, workspaceId);
        if (workspace === undefined) return undefined;
      }
      const page = [organizationId, workspaceId ?? null, includeDisabled, limit, offset];
      return ownerId === undefined
        ? query(listKeys, [...page, managementOwnerId ?? null])
        : query(listKeysOfOwner, [...page, ownerId]);
    },
    create(key, actor, decide) {
      const { organizationId, workspaceId, ownerId, createdAt } = key;
      if (organizationId === null) {
        return database.transaction(async (query) => {
          await insertKey(query, key);
          return getExistingKey(query, key.id);
        });
      }
      return changeOrganization(database, organizationId, actor, async (query) => {
        const { addsOwnerToWorkspace, events } = decide(
          await placementOf(query, organizationId, ownerId, workspaceId),
        );
        await insertKey(query, key);
        if (addsOwnerToWorkspace)
          await addWorkspaceMembers(query, [{ workspaceId, userId: ownerId, role: 'admin', createdAt }]);
        await writeEvents(query, organizationId, actor, createdAt, events);
        return getExistingKey(query, key.id);
      });
    },
    change: (organizationId, reference, actor, decide, destinationId) =>
      changeOrganization(database, organizationId, actor, async (query) => {
        const current = await getKey(query, organizationId, reference);
        if (current === undefined) return undefined;
        const destination =
          destinationId === undefined
            ? undefined
            : await placementOf(query, organizationId, current.ownerId, destinationId);
        const change = decide(current, destination);
        if (change === undefined) return current;
        await storeKey(query, current, change);
        if (change.addsOwnerToWorkspace) {
          const owner = { workspaceId: destinationId, userId: current.ownerId };
          await addWorkspaceMembers(query, [{ ...owner, role: 'admin', createdAt: change.at }]);
        }
        await writeEvents(query, organizationId, actor, change.at, change.events);
        return change.next ?? current;
      }),
    recordLastUses: (uses, intervalMs) => recordLastUses(database, keyUses, uses, intervalMs),
    async recordFirstUse({ organizationId, ownerId }, at) {
      if (organizationId !== null) await database.write(noteActivity, [organizationId, ownerId, at]);
    },
  };
}

/** The input of the rule for creating or moving a key. */
async function placementOf(
  query: Query,
  organizationId: string,
  ownerId: string,
  workspaceId: string | null,
): Promise<KeyPlacement> {
  const owner = await getMember(query, organizationId, ownerId);
  if (workspaceId === null) return { owner, workspace: undefined, workspaceRole: undefined };
  const workspace = await findWorkspace(query, organizationId, workspaceId);
  const [stored] = await query(workspaceRole, [organizationId, workspaceId, ownerId]);
  return { owner, workspace, workspaceRole: stored?.role ?? undefined };
}

const keyUses = usesOf('api_keys', 'owner_id');
