import type { DatabaseSync } from 'node:sqlite';
import { deleteKey } from '../../core/organization/key-change.ts';
import type { WorkspaceStore } from '../../core/organization/organization-storage.ts';
import { slugTaken, type Workspace } from '../../core/organization/workspace.ts';
import type { WorkspaceCandidate } from '../../core/organization/workspace-change.ts';
import type { WorkspaceRole } from '../../core/organization/workspace-role.ts';
import {
  activeKeysMax,
  changedMembers,
  tombstoneSlug,
  toWorkspace,
  toWorkspaceMember,
  type WorkspaceMemberRow,
  type WorkspaceRow,
  workspaceColumns,
} from '../organization-rows.ts';
import { prepareWriteEvents } from './audit.ts';
import { prepareChangeOrganization } from './change-organization.ts';
import { isUniqueViolation, read } from './errors.ts';
import { prepareKeyRecords } from './key-records.ts';
import { prepareMemberReads } from './members.ts';
import { statement } from './statement.ts';
import type { WriteQueue } from './write-queue.ts';

const listWorkspacesSql = statement(
  'list-workspaces',
  `SELECT ${workspaceColumns} FROM (
    SELECT id, created_at FROM workspaces
    WHERE organization_id = ?1 AND deleted_at IS NULL ORDER BY created_at, id LIMIT ?2 OFFSET ?3
  ) page
  CROSS JOIN workspaces w ON w.id = page.id
  CROSS JOIN organizations o ON o.id = w.organization_id
  ORDER BY page.created_at, page.id`,
);

/** An org:admin is an admin of every workspace, whatever the stored role is. */
const memberOf = (role: string) => `SELECT wm.user_id, u.email, m.role,
  iif(m.role = 'org:admin', 'admin', ${role}) AS workspace_role, wm.created_at`;

const workspaceMembersSql = statement(
  'workspace-members',
  `${memberOf('wm.role')}
  FROM (
    SELECT * FROM workspace_members WHERE workspace_id = ?1 ORDER BY created_at, user_id LIMIT ?3 OFFSET ?4
  ) wm
  CROSS JOIN users u ON u.id = wm.user_id
  CROSS JOIN memberships m ON m.organization_id = ?2 AND m.user_id = wm.user_id
  ORDER BY wm.created_at, wm.user_id`,
);

/** Everyone in the organization is a member of its default workspace. */
const defaultWorkspaceMembersSql = statement(
  'default-workspace-members',
  `${memberOf('m.workspace_role')}
  FROM (
    SELECT user_id, joined_at AS created_at FROM memberships
    WHERE organization_id = ?2 AND ?1 IS NOT NULL ORDER BY joined_at, user_id LIMIT ?3 OFFSET ?4
  ) wm
  CROSS JOIN users u ON u.id = wm.user_id
  CROSS JOIN memberships m ON m.organization_id = ?2 AND m.user_id = wm.user_id
  ORDER BY wm.created_at, wm.user_id`,
);

/** A key works if it is enabled, has not expired and its owner is still a member. */
const keyIsActive = `NOT k.disabled AND (k.expires_at IS NULL OR k.expires_at > ?3) AND EXISTS (
    SELECT 1 FROM memberships m WHERE m.organization_id = k.organization_id AND m.user_id = k.owner_id
  )`;

const countActiveKeysSql = statement(
  'count-active-keys',
  `SELECT count(*) AS keys FROM (
    SELECT 1 FROM api_keys k
    WHERE k.organization_id = ?1 AND k.workspace_id = ?2 AND ${keyIsActive} LIMIT ${activeKeysMax}
  )`,
);

/** Reads the owner's keys, not the workspace's, of which there may be many more. */
const countActiveKeysOfOwnerSql = statement(
  'count-active-keys-of-owner',
  `SELECT count(*) AS keys FROM (
    SELECT 1 FROM api_keys k
    WHERE k.owner_id = ?1 AND k.workspace_id = ?2 AND ${keyIsActive} LIMIT ${activeKeysMax}
  )`,
);

export function sqliteWorkspaces(database: DatabaseSync, queue: WriteQueue): WorkspaceStore {
  const count = database.prepare('SELECT workspace_count FROM organizations WHERE id = ?');
  const list = database.prepare(listWorkspacesSql);
  const insert = database.prepare(
    `INSERT INTO workspaces (id, organization_id, slug, name, description, created_by, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = database.prepare(
    'UPDATE workspaces SET slug = ?, name = ?, description = ?, updated_at = ? WHERE id = ?',
  );
  const markDeleted = database.prepare('UPDATE workspaces SET slug = ?, deleted_at = ? WHERE id = ?');
  const members = database.prepare(workspaceMembersSql);
  const defaultMembers = database.prepare(defaultWorkspaceMembersSql);
  const activeKeys = database.prepare(countActiveKeysSql);
  const activeKeysOfOwner = database.prepare(countActiveKeysOfOwnerSql);
  const addMember = database.prepare(
    'INSERT INTO workspace_members (workspace_id, user_id, created_at, role) VALUES (?, ?, ?, ?)',
  );
  const changeRole = database.prepare(
    'UPDATE workspace_members SET role = ? WHERE workspace_id = ? AND user_id = ?',
  );
  const changeDefaultRole = database.prepare(
    'UPDATE memberships SET workspace_role = ? WHERE organization_id = ? AND user_id = ?',
  );
  const removeMember = database.prepare(
    'DELETE FROM workspace_members WHERE workspace_id = ? AND user_id = ?',
  );
  const removeMembers = database.prepare('DELETE FROM workspace_members WHERE workspace_id = ?');
  const reads = prepareWorkspaceReads(database);
  const memberReads = prepareMemberReads(database);
  const keys = prepareKeyRecords(database);
  const writeEvents = prepareWriteEvents(database);
  const changeOrganization = prepareChangeOrganization(database, queue);

  const candidate = (workspace: Workspace, userId: string, now: string): WorkspaceCandidate => {
    return {
      userId,
      member: memberReads.get(workspace.organizationId, userId),
      workspaceRole: reads.roleIn(workspace.organizationId, workspace.id, userId),
      activeKeys: Number(activeKeysOfOwner.get(userId, workspace.id, now)?.keys),
    };
  };

  return {
    async list(organizationId, { offset, limit }) {
      return read(() => {
        const totalCount = Number(count.get(organizationId)?.workspace_count ?? 0);
        // An offset past the end would walk over every workspace for nothing.
        if (offset >= totalCount) return { workspaces: [], totalCount };
        const rows = list.all(organizationId, limit, offset) as unknown as WorkspaceRow[];
        return { workspaces: rows.map(toWorkspace), totalCount };
      });
    },
    async find(organizationId, idOrSlug) {
      return read(() => reads.find(organizationId, idOrSlug));
    },
    create: (workspace, actor, decide) =>
      changeOrganization(actor, () => {
        const { id, organizationId, slug, name, description, createdBy, createdAt } = workspace;
        const creator = createdBy === null ? undefined : memberReads.get(organizationId, createdBy);
        const events = decide(creator);
        translateSlugConflict(slug, () =>
          insert.run(id, organizationId, slug, name, description, createdBy, createdAt),
        );
        if (creator !== undefined) addMember.run(id, creator.id, createdAt, 'admin');
        writeEvents(organizationId, actor, createdAt, events);
        return reads.find(organizationId, id) ?? workspace;
      }),
    change: (organizationId, idOrSlug, actor, decide, activeAt) =>
      changeOrganization(actor, () => {
        const current = reads.find(organizationId, idOrSlug);
        if (current === undefined) return undefined;
        const active =
          activeAt === undefined ? 0 : activeKeys.get(organizationId, current.id, activeAt)?.keys;
        const change = decide(current, Number(active));
        if (change === undefined) return current;
        const { at, next, events } = change;
        writeEvents(organizationId, actor, at, events);
        if (next !== null) {
          const { slug, name, description, updatedAt, id } = next;
          translateSlugConflict(slug, () => update.run(slug, name, description, updatedAt, id));
          return next;
        }
        for (const key of keys.ofWorkspace(current.id)) {
          const deletion = deleteKey(key, at);
          keys.store(key, deletion);
          writeEvents(organizationId, actor, at, deletion.events);
        }
        removeMembers.run(current.id);
        markDeleted.run(tombstoneSlug(current.id), at, current.id);
        return current;
      }),
    async members(workspace, { offset, limit }) {
      return read(() => {
        // An offset past the end would walk over every member for nothing.
        if (offset >= workspace.memberCount) return [];
        const statement = workspace.isDefault ? defaultMembers : members;
        const rows = statement.all(workspace.id, workspace.organizationId, limit, offset);
        return (rows as unknown as WorkspaceMemberRow[]).map((row) => toWorkspaceMember(workspace.id, row));
      });
    },
    changeMembers: (organizationId, idOrSlug, actor, { kind, userIds, decide }, now) =>
      changeOrganization(actor, () => {
        const workspace = reads.find(organizationId, idOrSlug);
        if (workspace === undefined) return undefined;
        const candidates = userIds.map((userId) => candidate(workspace, userId, now));
        const change = decide(workspace, candidates);
        for (const userId of change.userIds) {
          if (kind === 'add') addMember.run(workspace.id, userId, change.at, change.role);
          else if (kind === 'remove') removeMember.run(workspace.id, userId);
          else if (workspace.isDefault) changeDefaultRole.run(change.role, organizationId, userId);
          else changeRole.run(change.role, workspace.id, userId);
        }
        writeEvents(organizationId, actor, change.at, change.events);
        return changedMembers(workspace, candidates, change);
      }),
  };
}

/**
 * The unique index decides whether a slug is taken, so there is no race between check and insert.
 */
function translateSlugConflict(slug: string, write: () => unknown): void {
  try {
    write();
  } catch (error) {
    throw isUniqueViolation(error) ? slugTaken(slug) : error;
  }
}

/** Ids are stored in lower case but accepted in any; slugs are case-sensitive. */
const findWorkspaceSql = statement(
  'find-workspace',
  `SELECT ${workspaceColumns}
  FROM workspaces w JOIN organizations o ON o.id = w.organization_id
  WHERE w.organization_id = ?1 AND (w.id = lower(?2) OR w.slug = ?2) AND w.deleted_at IS NULL`,
);

/** Checks that a workspace exists, belongs to the organization and has not been deleted. */
export const workspaceExistsSql =
  'SELECT 1 FROM workspaces WHERE id = ? AND organization_id = ? AND deleted_at IS NULL';

/**
 * The role of a member in a workspace, which is stored with their membership for the default
 * workspace. No row if they are not a member of the organization; null outside the workspace.
 */
const workspaceRoleSql = statement(
  'workspace-role',
  `SELECT CASE
    WHEN m.role = 'org:admin' AND (o.default_workspace_id = ?2 OR wm.user_id IS NOT NULL) THEN 'admin'
    WHEN o.default_workspace_id = ?2 THEN m.workspace_role
    ELSE wm.role
  END AS role
  FROM memberships m
  JOIN organizations o ON o.id = m.organization_id
  LEFT JOIN workspace_members wm ON wm.workspace_id = ?2 AND wm.user_id = ?3
  WHERE m.organization_id = ?1 AND m.user_id = ?3`,
);

interface WorkspaceReads {
  find(organizationId: string, idOrSlug: string): Workspace | undefined;
  /** Undefined for someone outside the workspace, also for an org:admin who has not joined it. */
  roleIn(organizationId: string, workspaceId: string, userId: string): WorkspaceRole | undefined;
}

export function prepareWorkspaceReads(database: DatabaseSync): WorkspaceReads {
  const find = database.prepare(findWorkspaceSql);
  const findRole = database.prepare(workspaceRoleSql);
  return {
    find(organizationId, idOrSlug) {
      const row = find.get(organizationId, idOrSlug) as unknown as WorkspaceRow | undefined;
      return row && toWorkspace(row);
    },
    roleIn(organizationId, workspaceId, userId) {
      const row = findRole.get(organizationId, workspaceId, userId);
      return (row?.role ?? undefined) as WorkspaceRole | undefined;
    },
  };
}
