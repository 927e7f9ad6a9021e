import type {
  AccountState,
  AttemptLimits,
  AttemptVerdict,
  IdentitySessionStart,
  Person,
  PersonAddress,
  Session,
  SessionSelection,
  SessionStart,
  SignInAttempt,
  SignInLink,
  User,
} from './accounts/account.ts';
import type { DeviceRequest } from './accounts/device.ts';
import type { IdentityChange, KnownIdentity } from './accounts/identity-change.ts';
import type { Invitation, InvitationChange, Invitee } from './accounts/invitation.ts';
import type { ApiKey, KeyRecord, ResolvedKey } from './organization/api-key.ts';
import type { AuditKind } from './organization/audit-kinds.ts';
import type { Caller, ResolvedSession } from './organization/caller.ts';
import type { GroupMapping } from './organization/group-roles.ts';
import type { KeyChange, KeyCreation, KeyPlacement } from './organization/key-change.ts';
import type {
  ExistingUser,
  MemberChange,
  MemberInput,
  MemberUpsertRule,
} from './organization/member-change.ts';
import type { Member, MemberPage, Organization } from './organization/organization.ts';
import type { AuditEvent, OrganizationEvent } from './organization/organization-event.ts';
import type { Workspace, WorkspaceMember } from './organization/workspace.ts';
import type {
  WorkspaceCandidate,
  WorkspaceChange,
  WorkspaceMembersChange,
} from './organization/workspace-change.ts';
import type { Page } from './page.ts';
import type { Draft, DraftSummary } from './presets/draft.ts';
import type {
  AuthoredVersion,
  CaseReference,
  CurrentCases,
  Dialect,
  Preset,
  PresetAddress,
  PresetCase,
  PresetOverview,
  PresetState,
  PresetStatus,
  PresetSummary,
  PresetVersion,
  WorkspaceAddress,
} from './presets/preset.ts';
import type { PresetChange } from './presets/preset-change.ts';
import type { Author, PresetEvent } from './presets/preset-event.ts';
import type { GroupInput, ProvisionedGroup } from './provisioning/provisioned-group.ts';
import type { ProvisionedUser, ProvisionedUserChange } from './provisioning/provisioned-user.ts';

/**
 * The ports between the rules in core and a database engine. SQLite and PostgreSQL both implement
 * every interface here, and the contract tests in `test/contract` run against both.
 *
 * Rules that hold for every method:
 *
 * - Each method is atomic. A write returns once it is durable.
 * - A missing thing is `undefined` or an empty list, as each method says. Expected failures are
 *   `PresetdError`s: `unavailable` when the database cannot be used, or a kind that the method
 *   names.
 * - A `decide` callback applies a rule of core inside the transaction, while the rows it sees are
 *   locked. It runs again when the transaction is retried, so only its last call counts. When it
 *   throws, nothing is stored.
 * - Times are ISO 8601 in UTC with milliseconds, so they compare correctly as text.
 */
export interface Storage {
  readonly presets: PresetStore;
  readonly drafts: DraftStore;
  readonly cases: CaseStore;
  readonly presetUsage: PresetUsageStore;
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  readonly members: MemberStore;
  readonly workspaces: WorkspaceStore;
  readonly audit: AuditStore;
  readonly organizations: OrganizationStore;
  readonly accounts: AccountStore;
  readonly identities: IdentityStore;
  readonly devices: DeviceStore;
  readonly secrets: SecretStore;
  readonly provisioning: ProvisioningStore;
  /** Checks that the database responds and accepts writes; throws `unavailable` otherwise. */
  ping(): Promise<void>;
  /** Finishes the writes already accepted, then closes the database. */
  close(): Promise<void>;
}

export interface NewVersion extends PresetAddress {
  /** The id of the preset if the slug is new. An existing preset keeps its id. */
  readonly presetId: string;
  readonly versionId: string;
  readonly author: Actor;
  /**
   * The current secret of the API key of the request, and the rights it was checked with:
   * `createVersion` stores nothing if they have changed. Null for trusted callers.
   */
  readonly authorizedBy: { readonly secretHash: string; readonly rights: string } | null;
  readonly dialect: Dialect;
  readonly configJson: string;
  readonly systemPrompt: string | null;
  readonly extensionJson: string | null;
  readonly createdAt: string;
}

export interface PresetFilter {
  readonly statuses: readonly PresetStatus[];
  /**
   * Word prefixes that must all occur in a preset: in its slug, name, description or tags, or in the
   * models, the note or the system prompt of its designated version. `undefined` matches every
   * preset; an empty list matches none.
   */
  readonly words: readonly string[] | undefined;
  /** Tags that a preset must have, all of them. */
  readonly tags?: readonly string[] | undefined;
}

/** Makes a change happen at most once, however often a client retries it. */
export interface IdempotencyKey {
  readonly key: string;
  /** Distinguishes a retry from a different request that reuses the key. */
  readonly requestHash: string;
  readonly at: string;
  /** Keys stored before this time are expired and can be used again. */
  readonly expiredBefore: string;
}

export interface ChangedPreset {
  readonly preset: Preset;
  /** True for a retry: nothing was changed, and `preset` is the result of the first request. */
  readonly isReplay: boolean;
}

export interface PresetPage<Listed = PresetSummary> {
  readonly presets: readonly Listed[];
  readonly totalCount: number;
  /**
   * False when a search matches so many presets that counting stopped early: `totalCount` is then a
   * minimum.
   */
  readonly isTotalExact: boolean;
}

/** A `PresetAddress` names a preset by its slug or by one of its aliases. */
export interface PresetStore {
  /**
   * Adds the next version and designates it, creating the preset if the name is new. This is the
   * fast path: concurrent calls share one commit. Throws `conflict` if the preset is archived,
   * `not_found` if the organization has no such workspace or the key has lost rights; `change`
   * finds out which.
   */
  createVersion(version: NewVersion): Promise<Preset>;
  /**
   * Locks the preset, passes its state to `decide` (`undefined` if it does not exist), and stores
   * the returned change with its events. If `decide` returns `undefined`, nothing is stored.
   * Returns the preset as it is afterwards; `undefined` if it still does not exist. Throws
   * `not_found` if the organization has no such workspace, `conflict` if the idempotency key was
   * used for a different request or another preset has a name that the change adds.
   */
  change(
    address: PresetAddress,
    actor: Actor,
    decide: (current: PresetState | undefined, cases: CurrentCases) => PresetChange | undefined,
    idempotencyKey?: IdempotencyKey,
    /**
     * The cases that the change is about. `decide` gets the names of all cases and the contents of
     * these. Without it, cases are not read, and `decide` gets none.
     */
    caseNames?: readonly string[],
  ): Promise<ChangedPreset | undefined>;
  /** Returns the preset with its designated version; `undefined` if there is none. */
  find(address: PresetAddress): Promise<Preset | undefined>;
  /** Returns the preset without any version's content; `undefined` if there is none. */
  state(address: PresetAddress): Promise<PresetState | undefined>;
  /**
   * Lists presets, most recently updated first. Returns `undefined` if there is no such workspace,
   * and an empty page past the end. The count can lag behind the page while presets are being
   * changed. Words of tags and versions are found only once they are indexed, about a second after
   * the change; all other filters apply at once.
   */
  list(workspace: WorkspaceAddress, filter: PresetFilter, page: Page): Promise<PresetPage | undefined>;
  /**
   * Indexes the tags and versions of all presets whose words changed, and returns the number of
   * these presets. Runs in the background after every change.
   */
  index(): Promise<number>;
  /**
   * Adds model and last editor to listed presets, in their order. Both come from a version and an
   * event, which never change, so the result matches the moment when the presets were listed.
   */
  overviews(presets: readonly PresetSummary[]): Promise<readonly PresetOverview[]>;
  /**
   * Lists presets after a slug, in slug order. Empty past the end, or if there is no such
   * workspace.
   */
  listBySlug(workspace: WorkspaceAddress, afterSlug: string, limit: number): Promise<readonly PresetState[]>;
  /** Lists versions, oldest first. Empty past the end, or if there is no such preset. */
  versions(presetId: string, page: Page): Promise<readonly PresetVersion[]>;
  /** Like `versions`, with the email address of each creator. */
  authoredVersions(presetId: string, page: Page): Promise<readonly AuthoredVersion[]>;
  /**
   * Lists events, newest first, up to `preset.revision`: events added after the preset was read do
   * not shift the page. The offset must be below the revision.
   */
  events(preset: PresetState, page: Page): Promise<readonly PresetEvent[]>;
}

/** Test cases of presets. `PresetStore.change` changes them. */
export interface CaseStore {
  /**
   * Returns the current cases by preset id, sorted by name. Presets that never had a case are not in
   * the result.
   */
  current(presetIds: readonly string[]): Promise<ReadonlyMap<string, readonly CaseReference[]>>;
  /** Reads states of cases, current or not, sorted by name. Skips unknown ones. */
  read(presetId: string, references: readonly CaseReference[]): Promise<readonly PresetCase[]>;
  /**
   * Finds a case as it was right after the event with this number, by the name it had then; without
   * a number, as it is now. `undefined` if the preset had none with this name.
   */
  find(presetId: string, name: string, eventNumber?: number): Promise<PresetCase | undefined>;
}

/** When presets were called. A call is not a change: it has no event, and the preset stays as it is. */
export interface PresetUsageStore {
  /** `undefined` if the preset was never called. */
  lastCalledAt(presetId: string): Promise<string | undefined>;
  /** Stores when presets were last called, by id. Skips unknown presets, and times that are not later. */
  recordLastUses(uses: ReadonlyMap<string, string>): Promise<void>;
}

/** Unsaved work on presets. Each person has at most one draft of a preset. */
export interface DraftStore {
  /** `undefined` if the person has none. */
  find(presetId: string, userId: string): Promise<Draft | undefined>;
  /** Returns those of these presets that the person has a draft of. */
  presetsWithDraft(userId: string, presetIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Lists the drafts of a preset, most recently changed first; empty past the end. */
  list(
    presetId: string,
    page: Page,
  ): Promise<{ readonly drafts: readonly DraftSummary[]; readonly totalCount: number }>;
  /**
   * Passes the preset (`undefined` if it does not exist) and the actor's draft of it to `decide`,
   * and stores the draft that it returns. Null deletes the draft, `undefined` changes nothing.
   * Returns the draft as it is afterwards; `undefined` if there is none.
   */
  change(
    address: PresetAddress,
    actor: Actor,
    decide: (preset: PresetState | undefined, current: Draft | undefined) => Draft | null | undefined,
  ): Promise<Draft | undefined>;
}

/**
 * The author of a change. A change can wait for others, and the caller can lose access
 * meanwhile, so stores check the authorization again inside the transaction.
 */
export interface Actor extends Author {
  /** Absent for trusted callers such as the command line on the database itself. */
  readonly authorization?: {
    readonly kind: 'key' | 'session';
    readonly secretHash: string;
    /**
     * Throws if the key or session, as it is now, does not allow the change. Gets `undefined` for
     * one that was deleted.
     */
    readonly assertStillAuthorized: (current: Caller | undefined) => void;
  };
}

/** Keys of a workspace, of an owner, or of an owner in a workspace. At least one is given. */
export interface KeyFilter {
  readonly organizationId: string;
  readonly workspaceId?: string | undefined;
  readonly ownerId?: string | undefined;
  /** Leaves out the management keys of everybody else. */
  readonly managementOwnerId?: string | undefined;
}

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
}

/** The places where people are signed in. */
export interface SessionStore {
  /** Finds a session by the hash of its token. `undefined` if it has ended. */
  find(tokenHash: string): Promise<ResolvedSession | undefined>;
  /**
   * Passes the account to `decide`, then stores the session, deletes all links of the person, and
   * ends the session of `replacedTokenHash`. Beyond 100 sessions of a person, ends those that have
   * not been used for longest. Returns the account; `undefined`, and stores nothing, if the proof
   * no longer holds or the person is not a member.
   */
  start(
    start: SessionStart,
    decide: (account: AccountState) => readonly OrganizationEvent[],
  ): Promise<AccountState | undefined>;
  /** Lists the sessions of a person that have not expired, most recently used first. */
  list(person: PersonAddress, at: string): Promise<readonly Session[]>;
  /** Returns the provider's ID token of a session; null if it has none or has ended. */
  idToken(id: string): Promise<string | null>;
  /**
   * Ends one session of a person, or all. Passes the ended ones to `decide` for its events. Returns
   * them; none if the person is not a member.
   */
  end(
    person: PersonAddress,
    actor: Actor,
    at: string,
    selection: SessionSelection,
    decide: (ended: readonly Session[], person: Member) => readonly OrganizationEvent[],
  ): Promise<readonly Session[]>;
  /**
   * Stores when sessions were last used, by id, and that their people were active. Skips sessions
   * whose stored time is less than `intervalMs` older, and those that have ended.
   */
  recordLastUses(uses: ReadonlyMap<string, string>, intervalMs: number): Promise<void>;
  /** Deletes sessions that have expired, at most `limit`, and returns their number. */
  deleteExpired(at: string, limit: number): Promise<number>;
}

export interface MemberStore {
  /**
   * Lists members by joining time, then id; empty past the end. `undefined` if there is no such
   * organization.
   */
  list(organizationId: string, page: Page): Promise<MemberPage | undefined>;
  /**
   * Lists, in the same order, members whose names or address contain a word starting with each of
   * `words`; nobody for an empty list. With common words the total is only a minimum, because
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
  /** Lists the members of a workspace by joining time, then id; empty past the end. */
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

/** Conditions that an event must meet. An absent field does not filter. */
export interface AuditFilter {
  readonly actorId?: string | undefined;
  /** The event has one of these kinds. */
  readonly kinds?: readonly AuditKind[] | undefined;
  readonly workspaceId?: string | undefined;
  /** A preset belongs to one workspace, so `workspaceId` is not needed with it. */
  readonly presetId?: string | undefined;
  /** Inclusive. */
  readonly since?: string | undefined;
  /** Exclusive. */
  readonly until?: string | undefined;
  /** The last event of the previous page. The list continues after it. */
  readonly after?: { readonly createdAt: string; readonly id: string } | undefined;
}

export interface AuditStore {
  /** Lists events, newest first. */
  list(organizationId: string, filter: AuditFilter, limit: number): Promise<readonly AuditEvent[]>;
  /**
   * Returns the user id for an id or email address, of former members too; `undefined` if unknown.
   */
  findActor(idOrEmail: string): Promise<string | undefined>;
  /**
   * Returns the id of a workspace. Finds a deleted one by id; `undefined` if the organization never
   * had it.
   */
  findWorkspace(organizationId: string, idOrSlug: string): Promise<string | undefined>;
  /**
   * Returns the id of a preset in any status by its slug or an alias; `undefined` if the workspace
   * has none with this name.
   */
  findPreset(workspaceId: string, slug: string): Promise<string | undefined>;
}

/** Everything that the first start creates. */
export interface Bootstrap {
  readonly organization: Organization;
  readonly workspace: { readonly slug: string; readonly name: string };
  readonly owner: Member;
  readonly keys: readonly ApiKey[];
  readonly createdAt: string;
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

/** Accounts at providers. */
export interface IdentityStore {
  /**
   * Passes what is known about an identity to `decide`, then stores the returned member with their
   * roles, links the identity and starts the session, like `SessionStore.start`. Returns the member.
   */
  signIn(start: IdentitySessionStart, decide: (known: KnownIdentity) => IdentityChange): Promise<Member>;
}

/**
 * How people sign in. Methods that find an account return `undefined` if there is none, or if the
 * person belongs to no organization.
 */
export interface AccountStore {
  find(person: PersonAddress): Promise<AccountState | undefined>;
  findByEmail(email: string): Promise<AccountState | undefined>;
  /** Finds the person of a link that is unused and has not expired. */
  findByLink(tokenHash: string, at: string): Promise<AccountState | undefined>;
  /** `undefined` if there is no such user. */
  findUser(id: string): Promise<User | undefined>;
  /** Adds their accounts to members, by user id and in this order; skips those who are not members. */
  people(organizationId: string, userIds: readonly string[]): Promise<readonly Person[]>;
  /**
   * Passes the account and the sessions that will end to `decide`, then stores the password, ends
   * all sessions but one and deletes the links and failed sign-ins of the person. Returns false, and
   * stores nothing, if the person is not a member.
   */
  setPassword(
    person: PersonAddress,
    actor: Actor,
    change: { readonly hash: string; readonly at: string; readonly keptSessionId: string },
    decide: (account: AccountState, ended: readonly Session[]) => readonly OrganizationEvent[],
  ): Promise<boolean>;
  /**
   * Passes the account to `decide`, then stores the link in place of older ones of the person.
   * Returns the account; `undefined` if the person is not a member.
   */
  createLink(
    link: SignInLink,
    actor: Actor,
    decide: (account: AccountState) => readonly OrganizationEvent[],
  ): Promise<AccountState | undefined>;
  /**
   * Passes what is known about the address and the workspaces to `decide`, then stores the member,
   * their roles and their link. Returns the member.
   */
  invite(
    organizationId: string,
    actor: Actor,
    invitation: Invitation,
    decide: (invitee: Invitee) => InvitationChange,
  ): Promise<Member>;
  /**
   * Counts an attempt as a failure before its password is checked, so that parallel attempts cannot
   * exceed a limit. If a limit is reached, counts nothing and returns the time from which attempts
   * are possible again. Deletes some of the attempts that no limit needs any more.
   */
  beginAttempt(attempt: SignInAttempt, limits: AttemptLimits): Promise<AttemptVerdict>;
  /** Stops counting an attempt that succeeded. */
  withdrawAttempt(attempt: SignInAttempt): Promise<void>;
  /** Writes events that change nothing else, such as that of a failed attempt. */
  recordEvents(
    organizationId: string,
    author: Author,
    at: string,
    events: readonly OrganizationEvent[],
  ): Promise<void>;
}

/** Command lines that ask to be signed in. Expired requests are never found. */
export interface DeviceStore {
  /** Stores a request, and deletes some that have expired. */
  create(request: DeviceRequest): Promise<void>;
  /** `undefined` if no request has this code. */
  find(
    code: { readonly userCodeHash: string } | { readonly deviceCodeHash: string },
    at: string,
  ): Promise<DeviceRequest | undefined>;
  /**
   * Passes the request and the person who decides, the user of the actor, to `decide` and stores the
   * result with its events. Returns the request as it is afterwards; `undefined` if no request has
   * this code.
   */
  change(
    organizationId: string,
    userCodeHash: string,
    actor: Actor,
    at: string,
    decide: (
      current: DeviceRequest,
      person: Member | undefined,
    ) => { readonly next: DeviceRequest; readonly events: readonly OrganizationEvent[] },
  ): Promise<DeviceRequest | undefined>;
  /**
   * Deletes an approved request and creates the key that it was approved for, with the events of
   * `decide`. Returns false, and creates nothing, if there is no such request any more or the
   * session that approved it has ended.
   */
  redeem(
    deviceCodeHash: string,
    key: ApiKey & { readonly organizationId: string },
    author: Author,
    at: string,
    decide: (placement: KeyPlacement) => KeyCreation,
  ): Promise<boolean>;
}

/** An attribute by which users or groups are found through an index. */
export interface UserLookup {
  readonly by: 'id' | 'userName' | 'externalId' | 'email';
  readonly value: string;
}

export interface GroupLookup {
  readonly by: 'id' | 'displayName' | 'externalId';
  readonly value: string;
}

/** Users and groups that an identity provider manages through SCIM. */
export interface ProvisioningStore {
  /** Lists users by creation time, then id; empty past the end. */
  listUsers(
    organizationId: string,
    page: Page,
  ): Promise<{ readonly users: readonly ProvisionedUser[]; readonly totalCount: number }>;
  /** Names and addresses are found in any case. Empty if there are none. */
  findUsers(organizationId: string, lookup: UserLookup): Promise<readonly ProvisionedUser[]>;
  /**
   * Passes the user who has this address to `decide`, and whether they are provisioned, then stores
   * the member and the user. Throws `conflict` if another user has the name or the external id.
   */
  createUser(
    organizationId: string,
    email: string,
    actor: Actor,
    decide: (
      existing: ExistingUser | undefined,
      isProvisioned: boolean,
      isLastAdmin: boolean,
    ) => ProvisionedUserChange,
  ): Promise<ProvisionedUser>;
  /**
   * Passes the user to `decide` and stores the returned change; removing them also removes the
   * member. Returns the user as they are afterwards, or as they last were; `undefined` if there is
   * no such user. Throws `conflict` if another user has the name, the external id or the address.
   */
  changeUser(
    organizationId: string,
    id: string,
    actor: Actor,
    decide: (current: ProvisionedUser, isLastAdmin: boolean) => ProvisionedUserChange | undefined,
  ): Promise<ProvisionedUser | undefined>;
  /** Lists groups by creation time, then id; empty past the end. */
  listGroups(
    organizationId: string,
    page: Page,
    withMembers: boolean,
  ): Promise<{ readonly groups: readonly ProvisionedGroup[]; readonly totalCount: number }>;
  /** Names are found in any case. Empty if there are none. */
  findGroups(
    organizationId: string,
    lookup: GroupLookup,
    withMembers: boolean,
  ): Promise<readonly ProvisionedGroup[]>;
  /**
   * Passes the group to `describe` (`undefined` if it does not exist) and stores it as described;
   * null deletes it, and undefined changes nothing. If the group is one of `mappings`, gives
   * everyone who joins or leaves it the roles of their groups. Throws `conflict` if another group
   * has the name or the external id. With `among`, the group is passed and returned with those of
   * its members only, and the others stay; it must keep its name.
   */
  changeGroup(
    organizationId: string,
    id: string,
    actor: Actor,
    at: string,
    describe: (current: ProvisionedGroup | undefined) => GroupInput | null | undefined,
    mappings: readonly GroupMapping[],
    among?: readonly string[],
  ): Promise<GroupResult | undefined>;
}

export interface GroupResult {
  /** As it is afterwards, or as it last was if it was deleted. */
  readonly group: ProvisionedGroup;
  /** The users whose roles may have changed. */
  readonly affectedIds: readonly string[];
}

/** Secrets that all servers on one database share. */
export interface SecretStore {
  /** Returns the secret with this name. If there is none, `secret` is stored and returned. */
  findOrCreate(name: string, secret: string, createdAt: string): Promise<string>;
}
