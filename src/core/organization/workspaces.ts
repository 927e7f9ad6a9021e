import type { Clock } from '../clock.ts';
import {
  type ContentLogChange,
  type ContentLogSettings,
  contentLogIssues,
  defaultContentLog,
} from '../content-log/content-log-settings.ts';
import { PresetdError, raise } from '../errors.ts';
import { newId } from '../identifiers.ts';
import { definedFields } from '../json/defined-fields.ts';
import type { Page } from '../page.ts';
import {
  assertNoIssues,
  assertStorableText,
  assertValidName,
  invalidField,
  isStorableText,
} from '../request-issues.ts';
import { actorFrom } from './actor.ts';
import { roleIn } from './assert-may.ts';
import type { Authenticator } from './authenticate.ts';
import type { Caller } from './caller.ts';
import {
  assertAdministers,
  requireAdmin,
  requireManagement,
  requireWriteAccessUntilStored,
} from './organization-access.ts';
import type { WorkspaceStore } from './organization-storage.ts';
import { isUuid, type Workspace, type WorkspaceMember } from './workspace.ts';
import { unknownWorkspace } from './workspace-access.ts';
import {
  addWorkspaceMembers,
  changeWorkspaceRole,
  deleteWorkspace,
  editWorkspace,
  removeWorkspaceMembers,
  type WorkspaceEdit,
  type WorkspaceMembersRule,
  type WorkspaceRule,
  workspaceCreated,
} from './workspace-change.ts';
import type { WorkspaceRole } from './workspace-role.ts';

interface NewWorkspace {
  readonly name: string;
  readonly slug: string;
  readonly description?: string | null;
  readonly contentLog?: ContentLogChange | undefined;
}

export type Workspaces = ReturnType<typeof createWorkspaces>;

/** The part of the cache of presets that a deleted workspace concerns. */
interface CacheOfWorkspaces {
  invalidateAfter<T>(
    write: Promise<T>,
    isAffected: (preset: { readonly workspaceId: string }) => boolean,
  ): Promise<T>;
}

/**
 * Reads and changes the workspaces of an organization; each is found by id or slug. Every method
 * needs a management key or a session. Only an org:admin can change a workspace, and only its
 * admins can change its members. Methods throw `not_found` if there is no such workspace.
 */
export function createWorkspaces(
  workspaces: WorkspaceStore,
  clock: Clock,
  authenticator: Authenticator,
  presetCache: CacheOfWorkspaces,
) {
  const adminActor = (caller: Caller, action: string) =>
    actorFrom(caller, clock, (current) => requireAdmin(current, action));

  async function find(caller: Caller, idOrSlug: string, action: string): Promise<Workspace> {
    const { organizationId } = requireManagement(caller, action);
    const found = isStorableText(idOrSlug) ? await workspaces.find(organizationId, idOrSlug) : undefined;
    return found ?? raise(unknownWorkspace(idOrSlug));
  }

  async function change(
    caller: Caller,
    idOrSlug: string,
    action: string,
    rule: WorkspaceRule,
    countsActiveKeys = false,
  ): Promise<Workspace> {
    const { organizationId } = requireAdmin(caller, action);
    if (!isStorableText(idOrSlug)) return raise(unknownWorkspace(idOrSlug));
    const activeAt = countsActiveKeys ? clock() : undefined;
    const actor = adminActor(caller, action);
    const decide = (current: Workspace, activeKeys: number) => rule(current, activeKeys, clock());
    return (
      (await workspaces.change(organizationId, idOrSlug, actor, decide, activeAt)) ??
      raise(unknownWorkspace(idOrSlug))
    );
  }

  async function changeMembers(
    caller: Caller,
    idOrSlug: string,
    action: string,
    kind: 'add' | 'remove' | 'change-role',
    userIds: readonly string[],
    rule: WorkspaceMembersRule,
  ): Promise<readonly WorkspaceMember[]> {
    const { organizationId, actor, current } = requireWriteAccessUntilStored(caller, clock, action);
    if (!isStorableText(idOrSlug)) return raise(unknownWorkspace(idOrSlug));
    for (const [index, userId] of userIds.entries()) assertStorableText(`/user_ids/${index}`, userId);
    const at = clock();
    const decide: Parameters<WorkspaceStore['changeMembers']>[3]['decide'] = (workspace, candidates) => {
      assertAdministers(current(), workspace.id, action);
      return rule(workspace, candidates, at);
    };
    const write = workspaces.changeMembers(organizationId, idOrSlug, actor, { kind, userIds, decide }, at);
    // The rights of an org:member depend on their roles in workspaces.
    const changed = await authenticator.invalidateAfter(write, ({ ownerId }) => userIds.includes(ownerId));
    return changed ?? raise(unknownWorkspace(idOrSlug));
  }

  return {
    list(
      caller: Caller,
      page: Page,
    ): Promise<{ readonly workspaces: readonly Workspace[]; readonly totalCount: number }> {
      return workspaces.list(requireManagement(caller, 'Listing workspaces').organizationId, page);
    },
    get: (caller: Caller, idOrSlug: string) => find(caller, idOrSlug, 'Reading a workspace'),
    async create(caller: Caller, details: NewWorkspace): Promise<Workspace> {
      const action = 'Creating a workspace';
      const { organizationId, ownerId } = requireAdmin(caller, action);
      assertValidDetails(details);
      const workspace: Workspace = {
        description: null,
        ...details,
        id: newId(),
        organizationId,
        createdBy: ownerId,
        createdAt: clock(),
        updatedAt: null,
        isDefault: false,
        memberCount: 1,
        contentLog: { ...defaultContentLog, ...definedFields(details.contentLog ?? {}) },
      };
      return workspaces.create(workspace, adminActor(caller, action), (creator) =>
        workspaceCreated(workspace, creator),
      );
    },
    async edit(caller: Caller, idOrSlug: string, changes: WorkspaceEdit): Promise<Workspace> {
      assertValidDetails(changes);
      const edited = change(caller, idOrSlug, 'Changing a workspace', editWorkspace(changes));
      // Cached keys know whether their workspace logs calls.
      return changes.contentLog === undefined
        ? edited
        : authenticator.invalidateAfter(edited, (key, workspace) => key.workspaceId === workspace?.id);
    },
    async contentLog(caller: Caller, idOrSlug: string): Promise<ContentLogSettings> {
      const action = 'Reading the settings of a content log';
      const { id, contentLog } = await find(caller, idOrSlug, action);
      if (roleIn(caller, id) !== 'admin')
        throw new PresetdError('forbidden', `${action} requires the role admin in the workspace.`);
      return contentLog;
    },
    async delete(caller: Caller, idOrSlug: string): Promise<void> {
      let id: string | undefined;
      const rule: WorkspaceRule = (current, ...context) => {
        id = current.id;
        return deleteWorkspace(current, ...context);
      };
      const deletion = change(caller, idOrSlug, 'Deleting a workspace', rule, true);
      // A cache hit does not check the workspace, so its presets must leave the cache.
      await presetCache.invalidateAfter(deletion, (preset) => preset.workspaceId === id);
    },
    /** Visible only to people who have a role in the workspace too. */
    async members(
      caller: Caller,
      idOrSlug: string,
      page: Page,
    ): Promise<{ readonly members: readonly WorkspaceMember[]; readonly totalCount: number }> {
      const workspace = await find(caller, idOrSlug, 'Listing the members of a workspace');
      if (roleIn(caller, workspace.id) === undefined) raise(unknownWorkspace(idOrSlug));
      return { members: await workspaces.members(workspace, page), totalCount: workspace.memberCount };
    },
    addMembers: (caller: Caller, idOrSlug: string, userIds: readonly string[], role: WorkspaceRole) =>
      changeMembers(
        caller,
        idOrSlug,
        'Adding members to a workspace',
        'add',
        userIds,
        addWorkspaceMembers(role),
      ),
    async changeRole(
      caller: Caller,
      idOrSlug: string,
      userId: string,
      role: WorkspaceRole,
    ): Promise<WorkspaceMember> {
      const action = 'Changing the role of a member';
      const rule = changeWorkspaceRole(role);
      const [changed] = await changeMembers(caller, idOrSlug, action, 'change-role', [userId], rule);
      if (changed === undefined) throw new Error('the member whose role was changed is missing');
      return changed;
    },
    removeMembers: (caller: Caller, idOrSlug: string, userIds: readonly string[]) =>
      changeMembers(
        caller,
        idOrSlug,
        'Removing members from a workspace',
        'remove',
        userIds,
        removeWorkspaceMembers,
      ),
  };
}

/** Checks what a JSON schema cannot express. */
function assertValidDetails({ name, slug, description, contentLog = {} }: WorkspaceEdit): void {
  assertNoIssues(contentLogIssues(contentLog));
  if (name !== undefined) assertValidName('/name', name);
  assertStorableText('/description', description);
  if (slug !== undefined && isUuid(slug))
    throw invalidField('/slug', 'must not look like the id of a workspace');
}
