import { deleteKey } from '../../core/organization/key-change.ts';
import type { WorkspaceStore } from '../../core/organization/organization-storage.ts';
import { isUuid, slugTaken, type Workspace } from '../../core/organization/workspace.ts';
import type { WorkspaceCandidate } from '../../core/organization/workspace-change.ts';
import type { WorkspaceRole } from '../../core/organization/workspace-role.ts';
import {
  activeKeysMax,
  changedMembers,
  memberColumns,
  membershipColumns,
  type PersonRow,
  toMemberIfAny,
  tombstoneSlug,
  toWorkspace,
  toWorkspaceMember,
  type WorkspaceMemberRow,
  type WorkspaceRow,
  workspaceColumns,
} from '../organization-rows.ts';
import { writeEvents } from './audit.ts';
import { changeOrganization } from './change-organization.ts';
import type { PostgresConnection, Query } from './connection.ts';
import { isUniqueViolation } from './errors.ts';
import { keysOfWorkspace, removeKeys } from './key-records.ts';
import { getMember } from './members.ts';
import { statement } from './statement.ts';

const listWorkspacesStatement = statement(
  'list-workspaces',
  `SELECT ${workspaceColumns}, o.workspace_count
    FROM (
      SELECT * FROM workspaces WHERE organization_id = $1 AND deleted_at IS NULL
      ORDER BY created_at, id LIMIT $2 OFFSET $3
    ) w
    CROSS JOIN LATERAL (SELECT * FROM organizations WHERE id = w.organization_id LIMIT 1) o
    ORDER BY w.created_at, w.id`,
);

/** An org:admin is an admin of every workspace, whatever the stored role is. */
const memberOf = (role: string) => `SELECT page.user_id, u.email, m.role,
  CASE m.role WHEN 'org:admin' THEN 'admin' ELSE ${role} END AS workspace_role, page.created_at`;

/** The user and role of each member on a page, found by key. */
const personOf = `CROSS JOIN LATERAL (SELECT email FROM users WHERE id = page.user_id LIMIT 1) u
  CROSS JOIN LATERAL (
    SELECT role, workspace_role FROM memberships WHERE organization_id = $1 AND user_id = page.user_id LIMIT 1
  ) m
  ORDER BY page.created_at, page.user_id`;

const workspaceMembersStatement = statement(
  'workspace-members',
  `${memberOf('page.role')}
    FROM (
      SELECT user_id, created_at, role FROM workspace_members
      WHERE workspace_id = $4 ORDER BY created_at, user_id LIMIT $2 OFFSET $3
    ) page ${personOf}`,
);

/** Everyone in the organization is a member of its default workspace. */
const defaultWorkspaceMembersStatement = statement(
  'default-workspace-members',
  `${memberOf('m.workspace_role')}
    FROM (
      SELECT user_id, joined_at AS created_at FROM memberships
      WHERE organization_id = $1 ORDER BY joined_at, user_id LIMIT $2 OFFSET $3
    ) page ${personOf}`,
);

export function postgresWorkspaces(connection: PostgresConnection): WorkspaceStore {
  const query = connection.query.bind(connection);
  return {
    async list(organizationId, { offset, limit }) {
      const rows = await connection.query<WorkspaceRow & { workspace_count: number }>(
        listWorkspacesStatement,
        [organizationId, limit, offset],
      );
      const [first] = rows;
      const totalCount = first?.workspace_count ?? (await countWorkspaces(query, organizationId));
      return { workspaces: rows.map(toWorkspace), totalCount };
    },
    find: (organizationId, idOrSlug) => findWorkspace(query, organizationId, idOrSlug),
    create(workspace, actor, decide) {
      const { id, organizationId, slug, name, description, createdBy, createdAt } = workspace;
      return changeOrganization(connection, organizationId, actor, async (query) => {
        const creator = createdBy === null ? undefined : await getMember(query, organizationId, createdBy);
        const events = decide(creator);
        const values = [id, organizationId, slug, name, description, createdBy, createdAt];
        await translateSlugConflict(slug, query(insertWorkspace, values));
        if (creator !== undefined) await query(addMembers, [id, [creator.id], createdAt, 'admin']);
        await writeEvents(query, organizationId, actor, createdAt, events);
        return (await findWorkspace(query, organizationId, id)) ?? workspace;
      });
    },
    change: (organizationId, idOrSlug, actor, decide, activeAt) =>
      changeOrganization(connection, organizationId, actor, async (query) => {
        const current = await findWorkspace(query, organizationId, idOrSlug);
        if (current === undefined) return undefined;
        const change = decide(current, await countActiveKeys(query, current, activeAt));
        if (change === undefined) return current;
        const { at, next, events } = change;
        await writeEvents(query, organizationId, actor, at, events);
        if (next !== null) {
          const { id, slug, name, description, updatedAt } = next;
          await translateSlugConflict(slug, query(updateWorkspace, [id, slug, name, description, updatedAt]));
          return next;
        }
        const keys = await keysOfWorkspace(query, organizationId, current.id);
        await removeKeys(query, keys);
        const deletions = keys.flatMap((key) => deleteKey(key, at).events);
        await writeEvents(query, organizationId, actor, at, deletions);
        await query(emptyWorkspace, [current.id]);
        await query(markDeleted, [current.id, tombstoneSlug(current.id), at]);
        return current;
      }),
    async members({ id, organizationId, isDefault, memberCount }, { offset, limit }) {
      // An offset past the end would walk over every member for nothing.
      if (offset >= memberCount) return [];
      const page = [organizationId, limit, offset];
      const rows = isDefault
        ? await connection.query<WorkspaceMemberRow>(defaultWorkspaceMembersStatement, page)
        : await connection.query<WorkspaceMemberRow>(workspaceMembersStatement, [...page, id]);
      return rows.map((row) => toWorkspaceMember(id, row));
    },
    changeMembers: (organizationId, idOrSlug, actor, { kind, userIds, decide }, now) =>
      changeOrganization(connection, organizationId, actor, async (query) => {
        const workspace = await findWorkspace(query, organizationId, idOrSlug);
        if (workspace === undefined) return undefined;
        const candidates = await candidatesOf(query, workspace, userIds, now);
        const change = decide(workspace, candidates);
        if (kind === 'add') await query(addMembers, [workspace.id, change.userIds, change.at, change.role]);
        else if (kind === 'remove') await query(removeMembers, [workspace.id, change.userIds]);
        else if (workspace.isDefault)
          await query(changeDefaultRole, [organizationId, change.userIds, change.role]);
        else await query(changeRole, [workspace.id, change.userIds, change.role]);
        await writeEvents(query, organizationId, actor, change.at, change.events);
        return changedMembers(workspace, candidates, change);
      }),
  };
}

/**
 * The input of the rule for adding or removing members, for each user in the order given.
 */
async function candidatesOf(
  query: Query,
  { id, organizationId }: Workspace,
  userIds: readonly string[],
  now: string,
): Promise<readonly WorkspaceCandidate[]> {
  const rows = await query<CandidateRow>(findCandidatesStatement, [organizationId, id, userIds, now]);
  return rows.map((row) => ({
    userId: row.user_id,
    member: toMemberIfAny(row),
    workspaceRole: row.candidate_role ?? undefined,
    activeKeys: row.active_keys,
  }));
}

async function countActiveKeys(
  query: Query,
  { id, organizationId }: Workspace,
  activeAt: string | undefined,
): Promise<number> {
  if (activeAt === undefined) return 0;
  const [row] = await query<{ keys: number }>(countActiveKeysStatement, [organizationId, id, activeAt]);
  return row?.keys ?? 0;
}

async function countWorkspaces(query: Query, organizationId: string): Promise<number> {
  const [row] = await query<{ workspace_count: number }>(workspaceCount, [organizationId]);
  return row?.workspace_count ?? 0;
}

/**
 * The unique index decides whether a slug is taken, so there is no race between check and insert.
 */
async function translateSlugConflict(slug: string, writing: Promise<unknown>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    throw isUniqueViolation(error) ? slugTaken(slug) : error;
  }
}

interface CandidateRow extends PersonRow {
  readonly user_id: string;
  readonly candidate_role: WorkspaceRole | null;
  readonly active_keys: number;
}

/** A key works if it is enabled, has not expired and its owner is still a member. */
const keyIsActive = (
  now: string,
) => `NOT k.disabled AND (k.expires_at IS NULL OR k.expires_at > ${now}) AND EXISTS (
      SELECT 1 FROM memberships m WHERE m.organization_id = k.organization_id AND m.user_id = k.owner_id
    )`;

const countActiveKeysStatement = statement(
  'count-active-keys',
  `SELECT count(*) AS keys FROM (
     SELECT 1 FROM api_keys k WHERE k.organization_id = $1 AND k.workspace_id = $2 AND ${keyIsActive('$3')} LIMIT ${activeKeysMax}
   ) some_keys`,
);

/**
 * The role of a member in a workspace, which is stored with their membership for the default
 * workspace; null outside the workspace, also for an org:admin who has not joined it.
 */
function workspaceRoleOf(organizationId: string, workspaceId: string, userId: string): string {
  return `(
    SELECT CASE
      WHEN m.role = 'org:admin' AND (o.default_workspace_id = ${workspaceId} OR wm.user_id IS NOT NULL) THEN 'admin'
      WHEN o.default_workspace_id = ${workspaceId} THEN m.workspace_role
      ELSE wm.role
    END
    FROM memberships m
    JOIN organizations o ON o.id = m.organization_id
    LEFT JOIN workspace_members wm ON wm.workspace_id = ${workspaceId} AND wm.user_id = m.user_id
    WHERE m.organization_id = ${organizationId} AND m.user_id = ${userId}
  )`;
}

const workspaceRoleStatement = statement(
  'workspace-role',
  `SELECT ${workspaceRoleOf('$1::uuid', '$2::uuid', '$3')} AS role`,
);

/** Undefined for someone outside the workspace, also for an org:admin who has not joined it. */
export async function roleIn(
  query: Query,
  organizationId: string,
  workspaceId: string,
  userId: string,
): Promise<WorkspaceRole | undefined> {
  const values = [organizationId, workspaceId, userId];
  const [row] = await query<{ role: WorkspaceRole | null }>(workspaceRoleStatement, values);
  return row?.role ?? undefined;
}

const findCandidatesStatement = statement(
  'find-workspace-candidates',
  `SELECT wanted.user_id, ${memberColumns},
     ${workspaceRoleOf('$1', '$2', 'wanted.user_id')} AS candidate_role,
     (
       SELECT count(*) FROM (
         SELECT 1 FROM api_keys k
         WHERE k.owner_id = wanted.user_id AND k.workspace_id = $2 AND ${keyIsActive('$4')} LIMIT ${activeKeysMax}
       ) some_keys
     ) AS active_keys
   FROM unnest($3::text[]) WITH ORDINALITY AS wanted (user_id, ordinal)
   LEFT JOIN LATERAL (SELECT * FROM users WHERE id = wanted.user_id LIMIT 1) u ON true
   LEFT JOIN LATERAL (
     SELECT ${membershipColumns} FROM memberships WHERE organization_id = $1 AND user_id = wanted.user_id LIMIT 1
   ) m ON true
   ORDER BY wanted.ordinal`,
);

const workspaceCount = statement(
  'count-workspaces',
  'SELECT workspace_count FROM organizations WHERE id = $1',
);

const insertWorkspace = statement(
  'insert-workspace',
  `INSERT INTO workspaces (id, organization_id, slug, name, description, created_by, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

const updateWorkspace = statement(
  'update-workspace',
  'UPDATE workspaces SET slug = $2, name = $3, description = $4, updated_at = $5 WHERE id = $1',
);

const markDeleted = statement(
  'bury-workspace',
  'UPDATE workspaces SET slug = $2, deleted_at = $3 WHERE id = $1',
);

const addMembers = statement(
  'add-workspace-members',
  `INSERT INTO workspace_members (workspace_id, user_id, created_at, role) SELECT $1, unnest($2::text[]), $3, $4`,
);

const changeRole = statement(
  'change-workspace-role',
  'UPDATE workspace_members SET role = $3 WHERE workspace_id = $1 AND user_id = ANY ($2::text[])',
);

const changeDefaultRole = statement(
  'change-default-workspace-role',
  'UPDATE memberships SET workspace_role = $3 WHERE organization_id = $1 AND user_id = ANY ($2::text[])',
);

const removeMembers = statement(
  'remove-workspace-members',
  'DELETE FROM workspace_members WHERE workspace_id = $1 AND user_id = ANY ($2::text[])',
);

const emptyWorkspace = statement('empty-workspace', 'DELETE FROM workspace_members WHERE workspace_id = $1');

/** Finds a workspace by id or slug with two index lookups. Deleted workspaces do not exist. */
const findWorkspaceStatement = statement(
  'find-workspace',
  `SELECT ${workspaceColumns}
    FROM (
      SELECT id FROM workspaces WHERE id = $2
      UNION SELECT id FROM workspaces WHERE organization_id = $1 AND slug = $3
    ) found
    CROSS JOIN LATERAL (SELECT * FROM workspaces WHERE id = found.id LIMIT 1) w
    CROSS JOIN LATERAL (SELECT * FROM organizations WHERE id = w.organization_id LIMIT 1) o
    WHERE w.organization_id = $1 AND w.deleted_at IS NULL`,
);

/** Checks that a workspace exists, belongs to the organization and has not been deleted. */
export const workspaceExistsStatement = statement(
  'find-workspace-of',
  'SELECT 1 FROM workspaces WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL',
);

/**
 * Undefined when the organization has no such workspace. A reference that is not a UUID is not
 * compared with ids, which PostgreSQL would reject.
 */
export async function findWorkspace(
  query: Query,
  organizationId: string,
  idOrSlug: string,
): Promise<Workspace | undefined> {
  const values = [organizationId, isUuid(idOrSlug) ? idOrSlug : null, idOrSlug];
  return (await query<WorkspaceRow>(findWorkspaceStatement, values)).map(toWorkspace)[0];
}
