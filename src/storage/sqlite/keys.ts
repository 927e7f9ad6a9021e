import type { DatabaseSync } from 'node:sqlite';
import type { KeyPlacement } from '../../core/organization/key-change.ts';
import type { KeyStore } from '../../core/organization/organization-storage.ts';
import { type KeyRecordRow, toKeyRecord } from '../organization-rows.ts';
import { prepareWriteEvents } from './audit.ts';
import { prepareChangeOrganization, prepareFindKey } from './change-organization.ts';
import { read } from './errors.ts';
import { prepareKeyRecords, recordJoins, selectRecord } from './key-records.ts';
import { prepareMemberReads } from './members.ts';
import { prepareNoteActivity } from './sessions.ts';
import { statement } from './statement.ts';
import { prepareWorkspaceReads, workspaceExistsSql } from './workspaces.ts';
import type { WriteQueue } from './write-queue.ts';

/** `disabled <= ?3` selects either enabled keys only or all keys. */
const inWorkspace = `SELECT id, created_at FROM api_keys
  WHERE organization_id = ?1 AND disabled <= ?3 AND workspace_id`;

/**
 * The keys of a workspace. Management keys have no workspace and are listed in the default one, so
 * a page merges two ranges of the index.
 */
const listKeysSql = statement(
  'list-keys',
  `${selectRecord}
  FROM (
    ${inWorkspace} = ?2
    UNION ALL ${inWorkspace} IS NULL AND ?2 = (SELECT default_workspace_id FROM organizations WHERE id = ?1)
      AND (?6 IS NULL OR owner_id = ?6)
    ORDER BY created_at DESC, id DESC LIMIT ?4 OFFSET ?5
  ) page
  CROSS JOIN api_keys k ON k.id = page.id ${recordJoins}
  ORDER BY page.created_at DESC, page.id DESC`,
);

/** The keys of one person, who has few, so that they are filtered and sorted on the way. */
const listKeysOfOwnerSql = statement(
  'list-keys-of-owner',
  `${selectRecord}
  FROM api_keys k ${recordJoins}
  WHERE k.owner_id = ?6 AND k.organization_id = ?1 AND k.disabled <= ?3
    AND (?2 IS NULL OR coalesce(k.workspace_id, o.default_workspace_id) = ?2)
  ORDER BY k.created_at DESC, k.id DESC LIMIT ?4 OFFSET ?5`,
);

export function sqliteKeys(database: DatabaseSync, queue: WriteQueue): KeyStore {
  const findKey = prepareFindKey(database);
  const changeOrganization = prepareChangeOrganization(database, queue);
  const list = database.prepare(listKeysSql);
  const listOfOwner = database.prepare(listKeysOfOwnerSql);
  const workspaceExists = database.prepare(workspaceExistsSql);
  const noteUse = database.prepare(
    `UPDATE api_keys SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at <= ?3)
     RETURNING organization_id, owner_id`,
  );
  const joinWorkspace = database.prepare(
    "INSERT INTO workspace_members (workspace_id, user_id, created_at, role) VALUES (?, ?, ?, 'admin')",
  );
  const keys = prepareKeyRecords(database);
  const noteActivity = prepareNoteActivity(database);
  const members = prepareMemberReads(database);
  const workspaces = prepareWorkspaceReads(database);
  const writeEvents = prepareWriteEvents(database);

  const siteOf = (organizationId: string, ownerId: string, workspaceId: string | null): KeyPlacement => ({
    owner: members.get(organizationId, ownerId),
    workspace: workspaceId === null ? undefined : workspaces.find(organizationId, workspaceId),
    workspaceRole: workspaceId === null ? undefined : workspaces.roleIn(organizationId, workspaceId, ownerId),
  });

  return {
    async find(secretHash) {
      return read(() => findKey(secretHash));
    },
    async get(organizationId, reference) {
      return read(() => keys.get(organizationId, reference));
    },
    async list(filter, includeDisabled, { offset, limit }) {
      const { organizationId, workspaceId = null, ownerId, managementOwnerId = null } = filter;
      return read(() => {
        if (workspaceId !== null && workspaceExists.get(workspaceId, organizationId) === undefined)
          return undefined;
        const page = [organizationId, workspaceId, includeDisabled ? 1 : 0, limit, offset] as const;
        const rows =
          ownerId === undefined ? list.all(...page, managementOwnerId) : listOfOwner.all(...page, ownerId);
        return (rows as unknown as KeyRecordRow[]).map(toKeyRecord);
      });
    },
    create(key, actor, decide) {
      const { organizationId, workspaceId, ownerId, createdAt } = key;
      if (organizationId === null) {
        return queue.write(() => {
          keys.insert(key);
          return keys.getExisting(key.id);
        });
      }
      return changeOrganization(actor, () => {
        const { addsOwnerToWorkspace, events } = decide(siteOf(organizationId, ownerId, workspaceId));
        keys.insert(key);
        if (addsOwnerToWorkspace) joinWorkspace.run(workspaceId, ownerId, createdAt);
        writeEvents(organizationId, actor, createdAt, events);
        return keys.getExisting(key.id);
      });
    },
    change: (organizationId, reference, actor, decide, destinationId) =>
      changeOrganization(actor, () => {
        const current = keys.get(organizationId, reference);
        if (current === undefined) return undefined;
        const destination =
          destinationId === undefined ? undefined : siteOf(organizationId, current.ownerId, destinationId);
        const change = decide(current, destination);
        if (change === undefined) return current;
        keys.store(current, change);
        if (change.addsOwnerToWorkspace) joinWorkspace.run(destinationId ?? null, current.ownerId, change.at);
        writeEvents(organizationId, actor, change.at, change.events);
        return change.next ?? current;
      }),
    recordLastUses: (uses, intervalMs) =>
      queue.write(() => {
        for (const [id, at] of uses) {
          const used = noteUse.get(id, at, new Date(Date.parse(at) - intervalMs).toISOString());
          if (used?.organization_id) noteActivity(String(used.organization_id), String(used.owner_id), at);
        }
      }),
    async recordFirstUse({ organizationId, ownerId }, at) {
      if (organizationId !== null) await queue.write(() => noteActivity(organizationId, ownerId, at));
    },
  };
}
