import type { OrganizationEventKind } from './audit-kinds.ts';
import { type Issue, PresetdError } from './errors.ts';
import type { Member } from './organization.ts';
import {
  changeEvents,
  type OrganizationChange,
  type OrganizationEvent,
  organizationEvent,
} from './organization-event.ts';
import type { EventValues } from './preset-event.ts';
import { assertNoIssues } from './request-issues.ts';
import type { Workspace } from './workspace.ts';

export interface WorkspaceEdit {
  readonly name?: string | undefined;
  readonly slug?: string | undefined;
  readonly description?: string | null | undefined;
}

export type WorkspaceChange = OrganizationChange<Workspace>;

/** An active key is neither disabled nor expired, and its owner belongs to the organization. */
export type WorkspaceRule = (
  current: Workspace,
  activeKeys: number,
  at: string,
) => WorkspaceChange | undefined;

/** Somebody who is to be added to a workspace or removed from it. */
export interface WorkspaceCandidate {
  readonly userId: string;
  /** Undefined when they do not belong to the organization. */
  readonly member: Member | undefined;
  readonly isWorkspaceMember: boolean;
  /** Theirs in this workspace. */
  readonly activeKeys: number;
}

export interface WorkspaceMembersChange {
  readonly at: string;
  /** Who comes, or who goes. */
  readonly userIds: readonly string[];
  readonly events: readonly OrganizationEvent[];
}

export type WorkspaceMembersRule = (
  workspace: Workspace,
  candidates: readonly WorkspaceCandidate[],
  at: string,
) => WorkspaceMembersChange;

export function workspaceCreated(
  workspace: Workspace,
  creator: Member | undefined,
): readonly OrganizationEvent[] {
  const created = workspaceEvent('workspace.created', workspace, null, factsOf(workspace));
  return creator === undefined ? [created] : [created, memberAddedTo(workspace, creator)];
}

export function editWorkspace(wanted: WorkspaceEdit): WorkspaceRule {
  return (current, _activeKeys, at) => {
    const { name = current.name, slug = current.slug, description = current.description } = wanted;
    const next = { ...current, name, slug, description, updatedAt: at };
    const events = changeEvents(
      [
        ['workspace.renamed', { name: current.name }, { name }],
        ['workspace.slug_changed', { slug: current.slug }, { slug }],
        ['workspace.described', { description: current.description }, { description }],
      ],
      (kind, before, after) => workspaceEvent(kind, current, before, after),
    );
    return events.length === 0 ? undefined : { at, next, events };
  };
}

export const deleteWorkspace: WorkspaceRule = (current, activeKeys, at) => {
  if (current.isDefault)
    throw new PresetdError(
      'invalid_request',
      `The workspace ${current.slug} is the default one, which every organization has. It cannot be deleted.`,
    );
  if (activeKeys > 0)
    throw new PresetdError(
      'invalid_request',
      `The workspace ${current.slug} still has ${activeKeys === 1 ? 'an active key' : 'active keys'}. Disable or delete ${activeKeys === 1 ? 'it' : 'them'} first.`,
    );
  return { at, next: null, events: [workspaceEvent('workspace.deleted', current, factsOf(current), null)] };
};

export const addWorkspaceMembers: WorkspaceMembersRule = (workspace, candidates, at) => {
  refuse(candidates, ({ member, userId }) =>
    member === undefined ? `is ${userId}, which is not the id of a member of the organization` : undefined,
  );
  const added = workspace.isDefault ? [] : once(candidates).filter((each) => !each.isWorkspaceMember);
  return {
    at,
    userIds: added.map(({ userId }) => userId),
    events: added.flatMap(({ member }) => (member === undefined ? [] : [memberAddedTo(workspace, member)])),
  };
};

export const removeWorkspaceMembers: WorkspaceMembersRule = (workspace, candidates, at) => {
  if (workspace.isDefault)
    throw new PresetdError(
      'invalid_request',
      `Every member of the organization belongs to the default workspace ${workspace.slug}. Remove them from the organization, or leave them in.`,
    );
  refuse(candidates, ({ member, userId, activeKeys }) =>
    activeKeys > 0
      ? `is ${member?.email ?? userId}, who has ${activeKeys === 1 ? 'an active key' : 'active keys'} in this workspace; disable or delete ${activeKeys === 1 ? 'it' : 'them'} first`
      : undefined,
  );
  const removed = once(candidates).filter((each) => each.isWorkspaceMember);
  return {
    at,
    userIds: removed.map(({ userId }) => userId),
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

export function memberAddedTo(workspace: Workspace, { id, email }: Member): OrganizationEvent {
  return workspaceEvent('workspace.member_added', workspace, null, { user_id: id, email });
}

/** Somebody may be named twice. */
function once(candidates: readonly WorkspaceCandidate[]): readonly WorkspaceCandidate[] {
  return [...new Map(candidates.map((candidate) => [candidate.userId, candidate])).values()];
}

/** All of it or nothing: one who cannot be added or removed stops the others. */
function refuse(
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

function factsOf({ slug, name, description }: Workspace): EventValues {
  return { slug, name, description };
}
