import {
  type ContentLogChange,
  type ContentLogSettings,
  defaultContentLog,
} from '../content-log/content-log-settings.ts';
import { type Issue, PresetdError } from '../errors.ts';
import { type Details, type DetailsEdit, detailChanges, detailValues, type EventValues } from '../event.ts';
import { definedFields } from '../json/defined-fields.ts';
import { assertNoIssues } from '../request-issues.ts';
import type { Member } from './organization.ts';
import {
  changeEvents,
  type OrganizationChange,
  type OrganizationEvent,
  organizationEvent,
} from './organization-event.ts';
import type { OrganizationEventKind } from './organization-event-kinds.ts';
import type { Workspace, WorkspaceMember } from './workspace.ts';
import type { WorkspaceRole } from './workspace-role.ts';

const details = {
  name: 'workspace.renamed',
  slug: 'workspace.slug_changed',
  description: 'workspace.described',
} as const satisfies Details<Workspace, OrganizationEventKind>;

export interface WorkspaceEdit extends DetailsEdit<Workspace, typeof details> {
  readonly contentLog?: ContentLogChange | undefined;
}

export type WorkspaceChange = OrganizationChange<Workspace>;

/**
 * Pure rules: each takes a workspace and returns the change to store, or undefined if nothing
 * changes. An active key is enabled and unexpired, and its owner belongs to the organization.
 */
export type WorkspaceRule = (
  current: Workspace,
  activeKeys: number,
  at: string,
) => WorkspaceChange | undefined;

/** A user to be added to a workspace or removed from it. */
export interface WorkspaceCandidate {
  readonly userId: string;
  /** Undefined if the user does not belong to the organization. */
  readonly member: Member | undefined;
  /** The user's role in this workspace; undefined if they do not belong to it. */
  readonly workspaceRole: WorkspaceRole | undefined;
  /** The user's active keys in this workspace. */
  readonly activeKeys: number;
}

export interface WorkspaceMembersChange {
  readonly at: string;
  /** The users to add or remove, or whose role changes. */
  readonly userIds: readonly string[];
  /** Their role afterwards; null if they are removed. */
  readonly role: WorkspaceRole | null;
  readonly events: readonly OrganizationEvent[];
}

export type WorkspaceMembersRule = (
  workspace: Workspace,
  candidates: readonly WorkspaceCandidate[],
  at: string,
) => WorkspaceMembersChange;

/** The events of a new workspace. The creator, if still a member, becomes a member of it. */
export function workspaceCreated(
  workspace: Workspace,
  creator: Member | undefined,
): readonly OrganizationEvent[] {
  const created = workspaceEvent('workspace.created', workspace, null, detailValues(details, workspace));
  const joined = creator === undefined ? [] : [memberAddedTo(workspace, creator, 'admin')];
  return [created, ...joined, ...contentLogEvents(workspace, defaultContentLog)];
}

export function editWorkspace({ contentLog: changes = {}, ...edit }: WorkspaceEdit): WorkspaceRule {
  return (current, _activeKeys, at) => {
    const contentLog = { ...current.contentLog, ...definedFields(changes) };
    const next = { ...current, ...definedFields(edit), contentLog, updatedAt: at };
    const events = changeEvents(detailChanges(details, current, next), (kind, before, after) =>
      workspaceEvent(kind, current, before, after),
    );
    const all = [...events, ...contentLogEvents(next, current.contentLog)];
    return all.length === 0 ? undefined : { at, next, events: all };
  };
}

function contentLogEvents(workspace: Workspace, before: ContentLogSettings): readonly OrganizationEvent[] {
  return changeEvents(
    [['workspace.content_log_changed', contentLogValues(before), contentLogValues(workspace.contentLog)]],
    (kind, ...values) => workspaceEvent(kind, workspace, ...values),
  );
}

export const deleteWorkspace: WorkspaceRule = (current, activeKeys, at) => {
  if (current.isDefault)
    throw new PresetdError(
      'invalid_request',
      `The workspace ${current.slug} is the default workspace of the organization and cannot be deleted.`,
    );
  if (activeKeys > 0)
    throw new PresetdError(
      'invalid_request',
      `The workspace ${current.slug} still has ${activeKeys === 1 ? 'an active key' : 'active keys'}. Disable or delete ${activeKeys === 1 ? 'it' : 'them'} first.`,
    );
  return {
    at,
    next: null,
    events: [workspaceEvent('workspace.deleted', current, detailValues(details, current), null)],
  };
};

/**
 * Adding to the default workspace changes nothing: every member of the organization belongs to it.
 */
export function addWorkspaceMembers(role: WorkspaceRole): WorkspaceMembersRule {
  return (workspace, candidates, at) => {
    assertAll(candidates, ({ member, userId }) =>
      member === undefined ? `is ${userId}, which is not the id of a member of the organization` : undefined,
    );
    const added = unique(candidates).filter(({ workspaceRole }) => workspaceRole === undefined);
    return {
      at,
      userIds: added.map(({ userId }) => userId),
      role,
      events: added.flatMap(({ member }) =>
        member === undefined ? [] : [memberAddedTo(workspace, member, role)],
      ),
    };
  };
}

/** Throws `not_found` for someone outside the workspace and `conflict` for an org:admin. */
export function changeWorkspaceRole(role: WorkspaceRole): WorkspaceMembersRule {
  return (workspace, candidates, at) => {
    const changed = candidates.filter(({ userId, member, workspaceRole }) => {
      if (member === undefined || workspaceRole === undefined)
        throw new PresetdError('not_found', `${userId} is not a member of the workspace ${workspace.slug}.`);
      if (member.role === 'org:admin' && role !== 'admin')
        throw new PresetdError(
          'conflict',
          `${member.email} is an org:admin, who is an admin of every workspace. Make them an org:member first.`,
        );
      return workspaceRole !== role;
    });
    return {
      at,
      userIds: candidates.map(({ userId }) => userId),
      role,
      events: changed.map(({ userId, member, workspaceRole = role }) =>
        workspaceEvent(
          'workspace.member_role_changed',
          workspace,
          { user_id: userId, email: member?.email ?? null, role: workspaceRole },
          { user_id: userId, email: member?.email ?? null, role },
        ),
      ),
    };
  };
}

/**
 * A member with active keys in the workspace cannot be removed: the keys would outlive their
 * access.
 */
export const removeWorkspaceMembers: WorkspaceMembersRule = (workspace, candidates, at) => {
  if (workspace.isDefault)
    throw new PresetdError(
      'invalid_request',
      `Every member of the organization belongs to the default workspace ${workspace.slug}. To remove someone from it, remove them from the organization.`,
    );
  assertAll(candidates, ({ member, userId, activeKeys }) =>
    activeKeys > 0
      ? `is ${member?.email ?? userId}, who has ${activeKeys === 1 ? 'an active key' : 'active keys'} in this workspace; disable or delete ${activeKeys === 1 ? 'it' : 'them'} first`
      : undefined,
  );
  const removed = unique(candidates).filter(({ workspaceRole }) => workspaceRole !== undefined);
  return {
    at,
    userIds: removed.map(({ userId }) => userId),
    role: null,
    events: removed.map(({ userId, member }) =>
      workspaceEvent(
        'workspace.member_removed',
        workspace,
        { user_id: userId, email: member?.email ?? null },
        null,
      ),
    ),
  };
};

/**
 * The users whom a change added, removed or gave a role, as members of the workspace. Those who
 * were removed have the role that they had.
 */
export function changedMembers(
  workspace: Workspace,
  candidates: readonly WorkspaceCandidate[],
  { at, userIds, role: roleAfter }: WorkspaceMembersChange,
): readonly WorkspaceMember[] {
  const byId = new Map(candidates.map((candidate) => [candidate.userId, candidate]));
  return userIds.flatMap((userId) => {
    const { member, workspaceRole: roleBefore } = byId.get(userId) ?? {};
    const workspaceRole = roleAfter ?? roleBefore;
    if (workspaceRole === undefined) return [];
    const { email = '', role = 'org:member' } = member ?? {};
    return [{ workspaceId: workspace.id, userId, email, role, workspaceRole, createdAt: at }];
  });
}

export function memberAddedTo(
  workspace: Workspace,
  { id, email }: Member,
  role: WorkspaceRole,
): OrganizationEvent {
  return workspaceEvent('workspace.member_added', workspace, null, { user_id: id, email, role });
}

/** A request can name a user twice. */
function unique(candidates: readonly WorkspaceCandidate[]): readonly WorkspaceCandidate[] {
  return [...new Map(candidates.map((candidate) => [candidate.userId, candidate])).values()];
}

/** All or nothing: reports every candidate that cannot be added or removed, and changes none. */
function assertAll(
  candidates: readonly WorkspaceCandidate[],
  problemOf: (candidate: WorkspaceCandidate) => string | undefined,
): void {
  const issues: Issue[] = candidates.flatMap((candidate, index) => {
    const message = problemOf(candidate);
    return message === undefined ? [] : [{ path: `/user_ids/${index}`, message }];
  });
  assertNoIssues(issues);
}

function workspaceEvent(
  kind: OrganizationEventKind,
  { id, slug }: Workspace,
  before: EventValues | null,
  after: EventValues | null,
): OrganizationEvent {
  return organizationEvent(kind, id, { id, name: slug }, before, after);
}

/** As texts where an event has no such values: fractions and lists. */
function contentLogValues(settings: ContentLogSettings): EventValues {
  return {
    enabled: settings.isEnabled,
    sampling_rate: String(settings.samplingRate),
    redaction_patterns: JSON.stringify(settings.redactionPatterns),
    retention_days: settings.retentionDays,
    bytes_max: settings.bytesMax,
  };
}
