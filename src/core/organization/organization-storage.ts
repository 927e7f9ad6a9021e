/**
 * The ports for keys, members and workspaces. `core/storage.ts` describes what all methods have in
 * common.
 */

import type { Page } from '../page.ts';
import type { Actor } from './actor.ts';
import type { ApiKey, KeyRecord } from './api-key.ts';
import type { ResolvedKey } from './caller.ts';
import type { KeyChange, KeyCreation, KeyPlacement } from './key-change.ts';
import type { MemberChange, MemberInput, MemberUpsertRule } from './member-change.ts';
import type { Member, MemberPage, Organization } from './organization.ts';
import type { OrganizationEvent } from './organization-event.ts';
import type { Workspace, WorkspaceMember } from './workspace.ts';
import type { WorkspaceCandidate, WorkspaceChange, WorkspaceMembersChange } from './workspace-change.ts';

export interface KeyStore {
  /**
   * Finds a key by the hash of its secret, current or rotated out. `undefined` if no key has it.
   */
  find(secretHash: string): Promise<ResolvedKey | undefined>;
  /**
   * Finds a key by its id, its label or the hash of a secret. `undefined` if the organization has
   * no such key. Throws `conflict` if several keys share the label.
   */
  get(organizationId: string, reference: string): Promise<KeyRecord | undefined>;
  /**
   * Lists keys, newest first; empty past the end. Management keys appear in the default workspace.
   * Returns `undefined` if the filter names a workspace that does not exist.
   */
  list(filter: KeyFilter, includeDisabled: boolean, page: Page): Promise<readonly KeyRecord[] | undefined>;
  /**
   * Passes the owner and workspace of the new key to `decide`, then stores the key. `decide` is
   * skipped for a personal key, which has no organization. Throws `conflict` if another key has the
   * same secret.
   */
  create(key: ApiKey, actor: Actor, decide: (placement: KeyPlacement) => KeyCreation): Promise<KeyRecord>;
  /**
   * Passes the key to `decide` and stores the returned change. Returns the key as it is afterwards,
   * or as it last was if it was deleted; `undefined` if the organization has no such key.
   */
  change(
    organizationId: string,
    reference: string,
    actor: Actor,
    decide: (current: KeyRecord, destination: KeyPlacement | undefined) => KeyChange | undefined,
    /**
     * The workspace that `decide` gets as its destination. Without it, the destination is
     * undefined.
     */
    destinationId?: string,
  ): Promise<KeyRecord | undefined>;
  /**
   * Stores when keys were last used, by key id. Skips keys whose stored time is less than
   * `intervalMs` older, and unknown keys. Can skip a key that is being changed at the same time.
   */
  recordLastUses(uses: ReadonlyMap<string, string>, intervalMs: number): Promise<void>;
  /** Stores that the owner of a key was active. Does nothing if they are not a member. */
  recordFirstUse(key: Pick<ResolvedKey, 'organizationId' | 'ownerId'>, at: string): Promise<void>;
}

/** Keys of a workspace, of an owner, or of an owner in a workspace. At least one is given. */
interface KeyFilter {
  readonly organizationId: string;
  readonly workspaceId?: string | undefined;
  readonly ownerId?: string | undefined;
  /** Omits other people's management keys. */
  readonly managementOwnerId?: string | undefined;
}

export interface MemberStore {
  /**
   * Lists members by joining time, then id; empty past the end. `undefined` if there is no such
   * organization.
   */
  list(organizationId: string, page: Page): Promise<MemberPage | undefined>;
  /**
   * Lists, in the same order, members whose names or address contain a word starting with each of
   * `words`; no members for an empty list. With common words the total is only a minimum, because
   * counting stops at the first match after the page. `undefined` if there is no such organization.
   */
  search(organizationId: string, words: readonly string[], page: Page): Promise<MemberPage | undefined>;
  /**
   * Adds members of all organizations that are missing from the search index and returns their
   * number. Searches find them before that too, but more slowly.
   */
  index(): Promise<number>;
  /** Finds a member by id or email address. `undefined` if the organization has no such member. */
  find(organizationId: string, idOrEmail: string): Promise<Member | undefined>;
  /**
   * Passes each person to `decide`, in order, and stores the returned changes together. No two
   * people may share an address. Returns each person as they are afterwards; `undefined` for
   * someone who is not a member.
   */
  upsert(
    organizationId: string,
    actor: Actor,
    people: readonly MemberInput[],
    decide: MemberUpsertRule,
  ): Promise<readonly (Member | undefined)[]>;
  /**
   * Finds a member by id or email address, passes them to `decide` and stores the returned change.
   * Removing a member also disables their keys. Returns the member as they are afterwards, or as
   * they last were if they were removed; `undefined` if the organization has no such member.
   */
  change(
    organizationId: string,
    idOrEmail: string,
    actor: Actor,
    decide: (current: Member, isLastAdmin: boolean) => MemberChange | undefined,
  ): Promise<Member | undefined>;
}

/** Workspaces are found by id or slug. Deleted workspaces are never found. */
export interface WorkspaceStore {
  /** Lists workspaces by creation time, then id; empty past the end. */
  list(organizationId: string, page: Page): Promise<{ workspaces: readonly Workspace[]; totalCount: number }>;
  /** `undefined` if the organization has no such workspace. */
  find(organizationId: string, idOrSlug: string): Promise<Workspace | undefined>;
  /**
   * Stores a workspace with its creator as a member. `decide` gets the creator, `undefined` if they
   * are not a member of the organization. Throws `slugTaken` if another workspace uses the slug.
   */
  create(
    workspace: Workspace,
    actor: Actor,
    decide: (creator: Member | undefined) => readonly OrganizationEvent[],
  ): Promise<Workspace>;
  /**
   * Passes the workspace to `decide` and stores the returned change. Deleting a workspace also
   * deletes its keys. Returns the workspace as it is afterwards, or as it last was if it was
   * deleted; `undefined` if the organization has no such workspace. Throws `slugTaken` if another
   * workspace uses the new slug.
   */
  change(
    organizationId: string,
    idOrSlug: string,
    actor: Actor,
    decide: (current: Workspace, activeKeys: number) => WorkspaceChange | undefined,
    /**
     * `activeKeys` counts the keys active at this time, up to 100. Without it, the count is skipped
     * and 0.
     */
    activeAt?: string,
  ): Promise<Workspace | undefined>;
  /** Lists the members of a workspace in the order they joined; empty past the end. */
  members(workspace: Workspace, page: Page): Promise<readonly WorkspaceMember[]>;
  /**
   * Passes these users to `decide`, and adds the ones it returns, removes them or changes their
   * role. Returns the users that were changed; `undefined` if the organization has no such
   * workspace.
   */
  changeMembers(
    organizationId: string,
    idOrSlug: string,
    actor: Actor,
    change: {
      readonly kind: 'add' | 'remove' | 'change-role';
      readonly userIds: readonly string[];
      readonly decide: (
        workspace: Workspace,
        candidates: readonly WorkspaceCandidate[],
      ) => WorkspaceMembersChange;
    },
    now: string,
  ): Promise<readonly WorkspaceMember[] | undefined>;
}

export interface OrganizationStore {
  /**
   * Creates the first organization with its workspace, owner and keys. Returns false, and changes
   * nothing, if one exists.
   */
  bootstrap(bootstrap: Bootstrap): Promise<boolean>;
  /**
   * Returns the oldest organization and its longest-standing admin; `undefined` before the first
   * start.
   */
  first(): Promise<{ organization: Organization; admin: Member } | undefined>;
  /** `undefined` if there is no such organization. */
  get(id: string): Promise<Organization | undefined>;
}

/** Everything that the first start creates. */
interface Bootstrap {
  readonly organization: Organization;
  readonly workspace: { readonly slug: string; readonly name: string };
  readonly owner: Member;
  readonly keys: readonly ApiKey[];
  readonly createdAt: string;
}
