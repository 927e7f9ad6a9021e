import type { ApiKey, KeyRecord, ResolvedKey } from './api-key.ts';
import type { AuditKind } from './audit-kinds.ts';
import type { KeyChange, KeyCreation, KeyPlacement } from './key-change.ts';
import type { MemberChange, MemberInput, MemberUpsertRule } from './member-change.ts';
import type { Member, MemberPage, Organization, Page } from './organization.ts';
import type { AuditEvent, OrganizationEvent } from './organization-event.ts';
import type {
  AuthoredVersion,
  Dialect,
  Preset,
  PresetAddress,
  PresetOverview,
  PresetState,
  PresetStatus,
  PresetSummary,
  PresetVersion,
  WorkspaceAddress,
} from './preset.ts';
import type { PresetChange } from './preset-change.ts';
import type { Author, PresetEvent } from './preset-event.ts';
import type { Workspace, WorkspaceMember } from './workspace.ts';
import type { WorkspaceCandidate, WorkspaceChange, WorkspaceMembersChange } from './workspace-change.ts';

/** The ports of one database. Every method is atomic, and a write returns only when it is durable. */
export interface Storage {
  readonly presets: PresetStore;
  readonly keys: KeyStore;
  readonly members: MemberStore;
  readonly workspaces: WorkspaceStore;
  readonly audit: AuditStore;
  readonly organizations: OrganizationStore;
  /** Asks the database for an answer; throws `unavailable` when there is none. */
  ping(): Promise<void>;
  /** Finishes the writes that were accepted, then lets go of the database. */
  close(): Promise<void>;
}

export interface NewVersion extends PresetAddress {
  /** Used when the slug is new; an existing preset keeps its own. */
  readonly presetId: string;
  readonly versionId: string;
  readonly author: Author;
  readonly dialect: Dialect;
  readonly configJson: string;
  readonly systemPrompt: string | null;
  readonly createdAt: string;
}

export interface PresetFilter {
  readonly statuses: readonly PresetStatus[];
  /** Each must begin a word of the preset; undefined finds all, an empty list none. */
  readonly words: readonly string[] | undefined;
}

/** A change that must happen once, however often it is asked for. */
export interface IdempotencyKey {
  readonly key: string;
  /** Tells a repetition from another request that uses the same key. */
  readonly requestHash: string;
  readonly at: string;
  /** What was done before this time may be done again. */
  readonly expiredBefore: string;
}

export interface ChangedPreset {
  readonly preset: Preset;
  /** True when it had been done before: the preset is then as it was answered the first time. */
  readonly isReplay: boolean;
}

export interface PresetPage<Listed = PresetSummary> {
  readonly presets: readonly Listed[];
  readonly totalCount: number;
  /** False where words are so common that what they find was not counted to the end: there are that many at least. */
  readonly isTotalExact: boolean;
}

export interface PresetStore {
  /**
   * Adds the next version and designates it, making the preset when the slug is new.
   * `not_found` when the organization has no such workspace, `conflict` when the preset is archived.
   */
  createVersion(version: NewVersion): Promise<Preset>;
  /**
   * Lets a rule look at the preset, undefined when there is none, and stores the change that it decides on with its
   * events, while nobody else changes the preset. The rule may throw, and may be asked again after losing a race. When
   * it decides on nothing the preset is answered as it is; undefined when there is none either.
   * `not_found` when the organization has no such workspace; `conflict` for a key of `once` used for something else.
   */
  change(
    address: PresetAddress,
    author: Author,
    decide: (current: PresetState | undefined) => PresetChange | undefined,
    once?: IdempotencyKey,
  ): Promise<ChangedPreset | undefined>;
  /** With its designated version. Undefined when there is no such preset. */
  find(address: PresetAddress): Promise<Preset | undefined>;
  /** Undefined when there is no such preset. */
  state(address: PresetAddress): Promise<PresetState | undefined>;
  /**
   * Newest update first. Undefined when there is no such workspace; an empty page past the end. While presets come and
   * go, the count may be a moment older than the page.
   */
  list(workspace: WorkspaceAddress, filter: PresetFilter, page: Page): Promise<PresetPage | undefined>;
  /**
   * What a list shows of these presets beside their state, in their order. It is found in a version and an event, which
   * never change, so that it fits the moment at which they were listed.
   */
  overviews(presets: readonly PresetSummary[]): Promise<readonly PresetOverview[]>;
  /** In the order of the slugs, beginning after the one given; empty when there is no such workspace. */
  listBySlug(workspace: WorkspaceAddress, afterSlug: string, limit: number): Promise<readonly PresetState[]>;
  /** Ascending. Empty where the preset has none, or there is no such preset. */
  versions(presetId: string, page: Page): Promise<readonly PresetVersion[]>;
  /** The same, with who made them. */
  authoredVersions(presetId: string, page: Page): Promise<readonly AuthoredVersion[]>;
  /** Newest first, of a preset that has had this many. */
  events(preset: PresetState, page: Page): Promise<readonly PresetEvent[]>;
}

/** Who changes an organization. While they wait for their turn they may lose the right to it, so it is asked for again then. */
export interface Actor extends Author {
  readonly authorization?: {
    readonly secretHash: string;
    /** Throws when the key, as it is now, may not do this. */
    readonly assertStillAuthorized: (key: ResolvedKey | undefined) => void;
  };
}

export interface KeyStore {
  /** By the hash of a secret, also of one that was replaced. Undefined when no key has it. */
  find(secretHash: string): Promise<ResolvedKey | undefined>;
  /**
   * By its id, its label or the hash of a secret. Undefined when the organization has no such key; `conflict` when a label
   * means more than one.
   */
  get(organizationId: string, reference: string): Promise<KeyRecord | undefined>;
  /**
   * Newest first; an empty page past the end. Management keys are in the default workspace. Undefined when there is no such
   * workspace.
   */
  list(
    workspace: WorkspaceAddress,
    includeDisabled: boolean,
    page: Page,
  ): Promise<readonly KeyRecord[] | undefined>;
  /** Lets a rule look at where the key is to be made, and makes it. `conflict` when a key with the same secret exists. */
  create(key: ApiKey, actor: Actor, decide: (site: KeyPlacement) => KeyCreation): Promise<KeyRecord>;
  /**
   * Lets a rule look at the key and stores what it decides. Undefined when the organization has no such key. The answer
   * is the key as it is then, and as it was at last when it is gone.
   */
  change(
    organizationId: string,
    reference: string,
    actor: Actor,
    decide: (current: KeyRecord, destination: KeyPlacement | undefined) => KeyChange | undefined,
    /** The rule gets this workspace as the destination; without it, none. */
    destinationId?: string,
  ): Promise<KeyRecord | undefined>;
  /** Keeps when keys were used last, except where that was written within the interval before. */
  recordLastUses(uses: ReadonlyMap<string, string>, intervalMs: number): Promise<void>;
}

export interface MemberStore {
  /** By joining time, then id. Undefined when there is no such organization; an empty page past the end. */
  list(organizationId: string, page: Page): Promise<MemberPage | undefined>;
  /**
   * In the order of the list, those with a word in name or address that begins with each of these; nobody for an empty
   * list. Counts common words only to the first match after the page, so that the total is then a lower bound. Undefined
   * when there is no such organization.
   */
  search(organizationId: string, words: readonly string[], page: Page): Promise<MemberPage | undefined>;
  /**
   * Indexes the members that the search index lacks, of all organizations, and returns how many there were. Searches find
   * them before that too, but take longer.
   */
  index(): Promise<number>;
  /** Takes an id or an e-mail address. Undefined when absent. */
  find(organizationId: string, idOrEmail: string): Promise<Member | undefined>;
  /**
   * Lets a rule look at each of these people, in order, and stores what it decides. No address may be in it twice. The
   * answer has each of them as they are then; undefined for somebody who is no member.
   */
  upsert(
    organizationId: string,
    actor: Actor,
    people: readonly MemberInput[],
    decide: MemberUpsertRule,
  ): Promise<readonly (Member | undefined)[]>;
  /** Takes an id or an e-mail address, and stores what the rule decides. Undefined when absent. */
  change(
    organizationId: string,
    idOrEmail: string,
    actor: Actor,
    decide: (current: Member, isLastAdmin: boolean) => MemberChange | undefined,
  ): Promise<Member | undefined>;
}

/** A workspace is named by its id or its slug; one that was deleted is not there. */
export interface WorkspaceStore {
  /** By creation, then id; an empty page past the end. */
  list(organizationId: string, page: Page): Promise<{ workspaces: readonly Workspace[]; totalCount: number }>;
  find(organizationId: string, idOrSlug: string): Promise<Workspace | undefined>;
  /** Its creator becomes its member. The slug being taken is told by `slugTaken`. */
  create(
    workspace: Workspace,
    actor: Actor,
    decide: (creator: Member | undefined) => readonly OrganizationEvent[],
  ): Promise<Workspace>;
  change(
    organizationId: string,
    idOrSlug: string,
    actor: Actor,
    decide: (current: Workspace, activeKeys: number) => WorkspaceChange | undefined,
    /** The rule is told how many keys are active then, up to a hundred; without it, none. */
    activeAt?: string,
  ): Promise<Workspace | undefined>;
  /** By joining time, then id; an empty page past the end. */
  members(workspace: Workspace, page: Page): Promise<readonly WorkspaceMember[]>;
  /** Lets a rule look at these users, and adds or removes those that it names. */
  changeMembers(
    organizationId: string,
    idOrSlug: string,
    actor: Actor,
    change: {
      readonly kind: 'add' | 'remove';
      readonly userIds: readonly string[];
      readonly decide: (
        workspace: Workspace,
        candidates: readonly WorkspaceCandidate[],
      ) => WorkspaceMembersChange;
    },
    now: string,
  ): Promise<readonly WorkspaceMember[] | undefined>;
}

export interface AuditFilter {
  readonly actorId?: string | undefined;
  /** Any of these. */
  readonly kinds?: readonly AuditKind[] | undefined;
  readonly workspaceId?: string | undefined;
  /** Events of this preset; a preset is in one workspace, so the workspace need not be given with it. */
  readonly presetId?: string | undefined;
  /** From then on. */
  readonly since?: string | undefined;
  /** Before then. */
  readonly until?: string | undefined;
  /** Only what comes after this event in the order of the list. */
  readonly after?: { readonly createdAt: string; readonly id: string } | undefined;
}

export interface AuditStore {
  /** Newest first. */
  list(organizationId: string, filter: AuditFilter, limit: number): Promise<readonly AuditEvent[]>;
  /** Whoever has this id or e-mail address, or had it; undefined when nobody has. */
  findActor(idOrEmail: string): Promise<string | undefined>;
  /** The id of a workspace; a deleted one is found by its id. Undefined when the organization never had it. */
  findWorkspace(organizationId: string, idOrSlug: string): Promise<string | undefined>;
  /** The id of a preset in any state; undefined when the workspace has none of this slug. */
  findPreset(workspaceId: string, slug: string): Promise<string | undefined>;
}

export interface Bootstrap {
  readonly organization: Organization;
  readonly workspace: { readonly slug: string; readonly name: string };
  readonly owner: Member;
  readonly keys: readonly ApiKey[];
  readonly createdAt: string;
}

export interface OrganizationStore {
  /** Makes the first organization with its workspace, owner and keys; false, and no change, when there is one. */
  bootstrap(bootstrap: Bootstrap): Promise<boolean>;
  /** The oldest organization and its longest-standing admin; undefined before the first start. */
  first(): Promise<{ organization: Organization; admin: Member } | undefined>;
}
