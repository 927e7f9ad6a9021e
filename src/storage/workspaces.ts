import { type ContentLogSettings, parseContentLog } from '../core/content-log/content-log-settings.ts';
import { deleteKey } from '../core/organization/key-change.ts';
import { type ExistingUser, isMember } from '../core/organization/member-change.ts';
import type { WorkspaceStore } from '../core/organization/organization-storage.ts';
import { isUuid, slugTaken, type Workspace, type WorkspaceMember } from '../core/organization/workspace.ts';
import { changedMembers, type WorkspaceCandidate } from '../core/organization/workspace-change.ts';
import type { WorkspaceRole } from '../core/organization/workspace-role.ts';
import { writeEvents } from './audit.ts';
import { changeOrganization } from './change-organization.ts';
import { type Database, type Query, unlessTaken } from './database.ts';
import { removeKeys, workspaceKeys } from './key-records.ts';
import { memberColumns } from './member-columns.ts';
import { getMember } from './members.ts';
import { type Columns, columnsOf, type DecodedColumn, flag, select } from './select.ts';
import { type Statement, statement } from './statement.ts';
import { deleteFrom, insertInto, typed, updateIn } from './write-rows.ts';

/** Columns of a workspace that never change, and those that an edit can replace. */
const fixedTypes = {
  ...typed('uuid', 'id', 'organizationId'),
  createdBy: 'text',
  createdAt: 'timestamptz',
} as const;
const editableTypes = { ...typed('text', 'slug', 'name', 'description'), contentLog: 'json' } as const;
const changedTypes = { ...editableTypes, updatedAt: 'timestamptz' } as const;

/**
 * Expects the workspace as `w` and the organization as `o`. Everyone in the organization is a
 * member of its default workspace, which therefore has no rows of its own.
 */
const workspaceColumns: Columns<Workspace> = {
  ...columnsOf<Omit<Workspace, 'isDefault' | 'memberCount'>>('w', { ...fixedTypes, ...changedTypes }),
  isDefault: flag('w.id = o.default_workspace_id'),
  memberCount: 'CASE WHEN w.id = o.default_workspace_id THEN o.member_count ELSE w.member_count END',
  contentLog: contentLog('w.content_log'),
};

/** The settings of a workspace; null in the database is the default. */
export function contentLog(sql: string): DecodedColumn<ContentLogSettings> {
  return { sql, decode: (stored) => parseContentLog(stored as string | null) };
}

const countWorkspaces = statement<{ readonly count: number }>(
  'count-workspaces',
  'SELECT workspace_count AS count FROM organizations WHERE id = $1',
);

const listWorkspaces = select<{ readonly workspace: Workspace; readonly totalCount: number }>(
  'list-workspaces',
  { workspace: workspaceColumns, totalCount: 'o.workspace_count' },
  ({ joinOne }) => `FROM (
      SELECT * FROM workspaces WHERE organization_id = $1 AND deleted_at IS NULL
      ORDER BY created_at, id LIMIT $2 OFFSET $3
    ) w
    ${joinOne('organizations o', 'o.id = w.organization_id')}
    ORDER BY w.created_at, w.id`,
);

/**
 * Selects the members on a page of the workspace $4. An org:admin is an admin of every workspace,
 * whatever the stored role is.
 */
function selectMembers(name: string, page: string, role: string): Statement<WorkspaceMember> {
  return select<WorkspaceMember>(
    name,
    {
      workspaceId: 'CAST($4 AS text)',
      userId: 'page.user_id',
      email: 'u.email',
      role: 'm.role',
      workspaceRole: `CASE m.role WHEN 'org:admin' THEN 'admin' ELSE ${role} END`,
      createdAt: 'page.created_at',
    },
    ({ joinOne }) => `FROM (${page} LIMIT $2 OFFSET $3) page
      ${joinOne('users u', 'u.id = page.user_id')}
      ${joinOne('memberships m', 'm.organization_id = $1 AND m.user_id = page.user_id')}
      ORDER BY page.created_at, page.user_id`,
  );
}

const workspaceMembers = selectMembers(
  'workspace-members',
  `SELECT user_id, created_at, role FROM workspace_members
   WHERE workspace_id = $4 ORDER BY created_at, user_id`,
  'page.role',
);

/** Everyone in the organization is a member of its default workspace. */
const defaultWorkspaceMembers = selectMembers(
  'default-workspace-members',
  `SELECT user_id, joined_at AS created_at FROM memberships
   WHERE organization_id = $1 ORDER BY joined_at, user_id`,
  'm.workspace_role',
);

export function workspaceStore(database: Database): WorkspaceStore {
  const { query } = database;
  return {
    async list(organizationId, { offset, limit }) {
      const rows = await query(listWorkspaces, [organizationId, limit, offset]);
      const totalCount =
        rows[0]?.totalCount ?? (await query(countWorkspaces, [organizationId]))[0]?.count ?? 0;
      return { workspaces: rows.map(({ workspace }) => workspace), totalCount };
    },
    find: (organizationId, idOrSlug) => findWorkspace(query, organizationId, idOrSlug),
    create(workspace, actor, decide) {
      const { id, organizationId, slug, createdBy, createdAt } = workspace;
      return changeOrganization(database, organizationId, actor, async (query) => {
        const creator = createdBy === null ? undefined : await getMember(query, organizationId, createdBy);
        const events = decide(creator);
        // The unique index decides, so there is no race between check and insert.
        await unlessTaken(insertWorkspaces(query, [workspace]), () => slugTaken(slug));
        const membership = { workspaceId: id, role: 'admin', createdAt };
        if (creator !== undefined) await addWorkspaceMembers(query, [{ ...membership, userId: creator.id }]);
        await writeEvents(query, organizationId, actor, createdAt, events);
        return (await findWorkspace(query, organizationId, id)) ?? workspace;
      });
    },
    change: (organizationId, idOrSlug, actor, decide, activeAt) =>
      changeOrganization(database, organizationId, actor, async (query) => {
        const current = await findWorkspace(query, organizationId, idOrSlug);
        if (current === undefined) return undefined;
        const [active] = activeAt ? await query(countActiveKeys, [organizationId, current.id, activeAt]) : [];
        const change = decide(current, active?.keys ?? 0);
        if (change === undefined) return current;
        const { at, next, events } = change;
        await writeEvents(query, organizationId, actor, at, events);
        if (next !== null) {
          await unlessTaken(updateWorkspaces(query, [next]), () => slugTaken(next.slug));
          return next;
        }
        const keys = await query(workspaceKeys, [organizationId, current.id]);
        await removeKeys(query, keys);
        const deletions = keys.flatMap((key) => deleteKey(key, at).events);
        await writeEvents(query, organizationId, actor, at, deletions);
        await query(emptyWorkspace, [current.id]);
        await query(markDeleted, [current.id, `~${current.id}`, at]);
        return current;
      }),
    async members({ id, organizationId, isDefault, memberCount }, { offset, limit }) {
      // An offset past the end would walk over every member for nothing.
      if (offset >= memberCount) return [];
      const members = isDefault ? defaultWorkspaceMembers : workspaceMembers;
      return query(members, [organizationId, limit, offset, id]);
    },
    changeMembers: (organizationId, idOrSlug, actor, { kind, userIds, decide }, now) =>
      changeOrganization(database, organizationId, actor, async (query) => {
        const workspace = await findWorkspace(query, organizationId, idOrSlug);
        if (workspace === undefined) return undefined;
        const found = await query(findCandidates, [organizationId, workspace.id, userIds, now]);
        const candidates = found.map(({ person, workspaceRole, ...candidate }) => ({
          ...candidate,
          member: isMember(person) ? person : undefined,
          workspaceRole: workspaceRole ?? undefined,
        }));
        const change = decide(workspace, candidates);
        const { at: createdAt, role } = change;
        const common = { workspaceId: workspace.id, role, createdAt };
        const members = change.userIds.map((userId) => ({ ...common, userId }));
        if (kind === 'add') await addWorkspaceMembers(query, members);
        else if (kind === 'remove') await removeWorkspaceMembers(query, members);
        else if (workspace.isDefault) await query(changeDefaultRole, [organizationId, change.userIds, role]);
        else await query(changeRole, [workspace.id, change.userIds, role]);
        await writeEvents(query, organizationId, actor, change.at, change.events);
        return changedMembers(workspace, candidates, change);
      }),
  };
}

/**
 * Undefined when the organization has no such workspace. A reference that is not a UUID is not
 * compared with ids, which PostgreSQL would reject. Ids are accepted in any case.
 */
export async function findWorkspace(
  query: Query,
  organizationId: string,
  idOrSlug: string,
): Promise<Workspace | undefined> {
  const id = isUuid(idOrSlug) ? idOrSlug.toLowerCase() : null;
  return (await query(findWorkspaceStatement, [organizationId, id, idOrSlug]))[0];
}

/** Finds a workspace by id or slug with two index lookups. Deleted workspaces do not exist. */
const findWorkspaceStatement = select(
  'find-workspace',
  workspaceColumns,
  ({ joinOne }) => `FROM (
      SELECT id FROM workspaces WHERE id = $2
      UNION SELECT id FROM workspaces WHERE organization_id = $1 AND slug = $3
    ) found
    ${joinOne('workspaces w', 'w.id = found.id')}
    ${joinOne('organizations o', 'o.id = w.organization_id')}
    WHERE w.organization_id = $1 AND w.deleted_at IS NULL`,
);

/** Checks that a workspace exists, belongs to the organization and has not been deleted. */
export const workspaceExistsStatement = statement(
  'find-workspace-of',
  'SELECT 1 FROM workspaces WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL',
);

/**
 * The role of a member of the organization $1 in the workspace $2, which is stored with their
 * membership for the default workspace. Null outside the workspace, also for an org:admin who has
 * not joined it.
 */
const roleOf = (userId: string) => `SELECT CASE
    WHEN m.role = 'org:admin' AND (o.default_workspace_id = $2 OR wm.user_id IS NOT NULL) THEN 'admin'
    WHEN o.default_workspace_id = $2 THEN m.workspace_role
    ELSE wm.role
  END AS role
  FROM memberships m
  JOIN organizations o ON o.id = m.organization_id
  LEFT JOIN workspace_members wm ON wm.workspace_id = $2 AND wm.user_id = m.user_id
  WHERE m.organization_id = $1 AND m.user_id = ${userId}`;

export const workspaceRole = statement<{ readonly role: WorkspaceRole | null }>(
  'workspace-role',
  roleOf('$3'),
);

/** Counting stops here: rules only distinguish none, one and more. */
const activeKeysMax = 100;

/** A key works if it is enabled, has not expired and its owner is still a member. */
const countActive = (keys: string, now: string) => `SELECT count(*) AS keys FROM (
    SELECT 1 FROM api_keys k
    WHERE ${keys} AND NOT k.disabled AND (k.expires_at IS NULL OR k.expires_at > ${now}) AND EXISTS (
      SELECT 1 FROM memberships m WHERE m.organization_id = k.organization_id AND m.user_id = k.owner_id
    ) LIMIT ${activeKeysMax}
  ) active`;

const countActiveKeys = statement<{ readonly keys: number }>(
  'count-active-keys',
  countActive('k.organization_id = $1 AND k.workspace_id = $2', '$3'),
);

/**
 * The input of the rule for adding or removing members, for each user in the order given. Counts
 * the keys of each user, not of the workspace, which may have many more.
 */
const findCandidates = select<
  Pick<WorkspaceCandidate, 'userId' | 'activeKeys'> & {
    readonly person: ExistingUser;
    readonly workspaceRole: WorkspaceRole | null;
  }
>(
  'find-workspace-candidates',
  {
    userId: 'wanted.value',
    person: memberColumns,
    workspaceRole: `(${roleOf('wanted.value')})`,
    activeKeys: `(${countActive('k.owner_id = wanted.value AND k.workspace_id = $2', '$4')})`,
  },
  ({ values, leftJoinOne }) => `FROM ${values('$3', 'text')} wanted
    ${leftJoinOne('users u', 'u.id = wanted.value')}
    ${leftJoinOne('memberships m', 'm.organization_id = $1 AND m.user_id = wanted.value')}
    ORDER BY wanted.ordinal`,
);

type CreatedWorkspace = Omit<Workspace, 'updatedAt' | 'isDefault' | 'memberCount' | 'contentLog'> & {
  /** Null for the default. */
  readonly contentLog: ContentLogSettings | null;
};

export const insertWorkspaces = insertInto<CreatedWorkspace>('insert-workspace', 'workspaces', {
  ...fixedTypes,
  ...editableTypes,
});

const updateWorkspaces = updateIn<Pick<Workspace, 'id' | keyof typeof changedTypes>>(
  'update-workspace',
  'workspaces',
  ['id'],
  { ...changedTypes, id: 'uuid' },
);

/**
 * The slug $2 of a deleted workspace frees the old one. It cannot be requested: `~` is not valid in
 * a slug.
 */
const markDeleted = statement(
  'mark-workspace-deleted',
  'UPDATE workspaces SET slug = $2, deleted_at = $3 WHERE id = $1',
);

export const workspaceMemberTypes = {
  workspaceId: 'uuid',
  userId: 'text',
  role: 'text',
  createdAt: 'timestamptz',
} as const;

export const addWorkspaceMembers = insertInto(
  'add-workspace-members',
  'workspace_members',
  workspaceMemberTypes,
);

const changeRole = statement(
  'change-workspace-role',
  ({ isIn }) =>
    `UPDATE workspace_members SET role = $3 WHERE workspace_id = $1 AND ${isIn('user_id', '$2', 'text')}`,
);

const changeDefaultRole = statement(
  'change-default-workspace-role',
  ({ isIn }) =>
    `UPDATE memberships SET workspace_role = $3 WHERE organization_id = $1 AND ${isIn('user_id', '$2', 'text')}`,
);

export const removeWorkspaceMembers = deleteFrom<Pick<WorkspaceMember, 'workspaceId' | 'userId'>>(
  'remove-workspace-members',
  'workspace_members',
  { workspaceId: 'uuid', userId: 'text' },
);

const emptyWorkspace = statement('empty-workspace', 'DELETE FROM workspace_members WHERE workspace_id = $1');
