import { actorFrom } from './actor.ts';
import type { Authenticator, Caller } from './authenticate.ts';
import type { Clock } from './clock.ts';
import { newId } from './identifiers.ts';
import type { Page } from './organization.ts';
import { requireAdmin, requireManagementKey } from './organization-access.ts';
import type { PresetCache } from './preset-cache.ts';
import { assertStorableText, assertValidField, assertValidName, isStorableText } from './request-issues.ts';
import type { WorkspaceStore } from './storage.ts';
import { isUuid, type Workspace, type WorkspaceMember } from './workspace.ts';
import { unknownWorkspace } from './workspace-access.ts';
import {
  addWorkspaceMembers,
  deleteWorkspace,
  editWorkspace,
  removeWorkspaceMembers,
  type WorkspaceEdit,
  type WorkspaceMembersRule,
  type WorkspaceRule,
  workspaceCreated,
} from './workspace-change.ts';

export interface NewWorkspace {
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
}

export type Workspaces = ReturnType<typeof createWorkspaces>;

/** The rooms of an organization. A workspace is named by its id or its slug. */
export function createWorkspaces(
  workspaces: WorkspaceStore,
  clock: Clock,
  authenticator: Authenticator,
  presetCache: Pick<PresetCache, 'invalidateAfter'>,
) {
  const adminChanger = (caller: Caller, doing: string) =>
    actorFrom(caller, clock, (present) => requireAdmin(present, doing));

  async function find(caller: Caller, idOrSlug: string, doing: string): Promise<Workspace> {
    const { organizationId } = requireManagementKey(caller, doing);
    const found = isStorableText(idOrSlug) ? await workspaces.find(organizationId, idOrSlug) : undefined;
    return found ?? unknown(idOrSlug);
  }

  async function change(
    caller: Caller,
    idOrSlug: string,
    doing: string,
    rule: WorkspaceRule,
    keys: 'counted' | 'not counted' = 'not counted',
  ): Promise<Workspace> {
    const { organizationId } = requireAdmin(caller, doing);
    if (!isStorableText(idOrSlug)) return unknown(idOrSlug);
    const at = clock();
    const actor = adminChanger(caller, doing);
    const decide = (current: Workspace, activeKeys: number) => rule(current, activeKeys, clock());
    const activeAt = keys === 'counted' ? at : undefined;
    return (await workspaces.change(organizationId, idOrSlug, actor, decide, activeAt)) ?? unknown(idOrSlug);
  }

  async function changeMembers(
    caller: Caller,
    idOrSlug: string,
    doing: string,
    kind: 'add' | 'remove',
    userIds: readonly string[],
    rule: WorkspaceMembersRule,
  ): Promise<readonly WorkspaceMember[]> {
    const { organizationId } = requireAdmin(caller, doing);
    if (!isStorableText(idOrSlug)) return unknown(idOrSlug);
    for (const [index, userId] of userIds.entries()) assertStorableText(`/user_ids/${index}`, userId);
    const at = clock();
    const decide: Parameters<WorkspaceStore['changeMembers']>[3]['decide'] = (workspace, candidates) =>
      rule(workspace, candidates, at);
    const work = workspaces.changeMembers(
      organizationId,
      idOrSlug,
      adminChanger(caller, doing),
      { kind, userIds, decide },
      at,
    );
    // What a management key of an org:member may do depends on the workspaces of its owner.
    const changed = await authenticator.invalidateAfter(work, (key) => userIds.includes(key.ownerId));
    return changed ?? unknown(idOrSlug);
  }

  return {
    list(
      caller: Caller,
      page: Page,
    ): Promise<{ readonly workspaces: readonly Workspace[]; readonly totalCount: number }> {
      return workspaces.list(requireManagementKey(caller, 'Listing workspaces').organizationId, page);
    },
    get: (caller: Caller, idOrSlug: string) => find(caller, idOrSlug, 'Reading a workspace'),
    async create(caller: Caller, wanted: NewWorkspace): Promise<Workspace> {
      const doing = 'Making a workspace';
      const { organizationId, ownerId } = requireAdmin(caller, doing);
      assertEdit(wanted);
      const workspace: Workspace = {
        ...wanted,
        id: newId(),
        organizationId,
        createdBy: ownerId,
        createdAt: clock(),
        updatedAt: null,
        isDefault: false,
        memberCount: 1,
      };
      return workspaces.create(workspace, adminChanger(caller, doing), (creator) =>
        workspaceCreated(workspace, creator),
      );
    },
    async edit(caller: Caller, idOrSlug: string, wanted: WorkspaceEdit): Promise<Workspace> {
      assertEdit(wanted);
      return change(caller, idOrSlug, 'Changing a workspace', editWorkspace(wanted));
    },
    async delete(caller: Caller, idOrSlug: string): Promise<void> {
      let id: string | undefined;
      const rule: WorkspaceRule = (current, ...facts) => {
        id = current.id;
        return deleteWorkspace(current, ...facts);
      };
      const work = change(caller, idOrSlug, 'Deleting a workspace', rule, 'counted');
      // Nobody asks for the workspace of a preset that is in memory.
      await presetCache.invalidateAfter(work, (preset) => preset.workspaceId === id);
    },
    async members(
      caller: Caller,
      idOrSlug: string,
      page: Page,
    ): Promise<{ readonly members: readonly WorkspaceMember[]; readonly totalCount: number }> {
      const workspace = await find(caller, idOrSlug, 'Listing the members of a workspace');
      return { members: await workspaces.members(workspace, page), totalCount: workspace.memberCount };
    },
    addMembers: (caller: Caller, idOrSlug: string, userIds: readonly string[]) =>
      changeMembers(caller, idOrSlug, 'Adding members to a workspace', 'add', userIds, addWorkspaceMembers),
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

function assertEdit({ name, slug, description }: WorkspaceEdit): void {
  if (name !== undefined) assertValidName('/name', name);
  assertStorableText('/description', description);
  if (slug !== undefined)
    assertValidField('/slug', isUuid(slug) ? 'must not look like the id of a workspace' : undefined);
}

function unknown(idOrSlug: string): never {
  throw unknownWorkspace(idOrSlug);
}
