import type { ApiKey, ListedKey, ResolvedKey } from './api-key.ts';
import type { Member, MemberPage, Organization, Page } from './organization.ts';
import type {
  Dialect,
  Preset,
  PresetAddress,
  PresetState,
  PresetStatus,
  PresetSummary,
  PresetVersion,
  WorkspaceAddress,
} from './preset.ts';
import type { PresetChange } from './preset-change.ts';
import type { Author, PresetEvent } from './preset-event.ts';

/** The ports of one database. Every method is atomic, and a write returns only when it is durable. */
export interface Storage {
  readonly presets: PresetStore;
  readonly keys: KeyStore;
  readonly members: MemberStore;
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
export interface Once {
  readonly key: string;
  /** Tells a repetition from another request that uses the same key. */
  readonly requestHash: string;
  readonly at: string;
  /** What was done before this time may be done again. */
  readonly forgottenBefore: string;
}

export interface ChangedPreset {
  readonly preset: Preset;
  /** True when it had been done before: the preset is then as it was answered the first time. */
  readonly isReplay: boolean;
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
    once?: Once,
  ): Promise<ChangedPreset | undefined>;
  /** With its designated version. Undefined when there is no such preset. */
  find(address: PresetAddress): Promise<Preset | undefined>;
  /** Undefined when there is no such preset. */
  state(address: PresetAddress): Promise<PresetState | undefined>;
  /**
   * Newest update first. Undefined when there is no such workspace; an empty page past the end. While presets come and
   * go, the count may be a moment older than the page.
   */
  list(
    workspace: WorkspaceAddress,
    filter: PresetFilter,
    page: Page,
  ): Promise<{ presets: readonly PresetSummary[]; totalCount: number } | undefined>;
  /** In the order of the slugs, beginning after the one given; empty when there is no such workspace. */
  listBySlug(workspace: WorkspaceAddress, afterSlug: string, limit: number): Promise<readonly PresetState[]>;
  /** Ascending. Empty where the preset has none, or there is no such preset. */
  versions(presetId: string, page: Page): Promise<readonly PresetVersion[]>;
  /** Newest first, of a preset that has had this many. */
  events(preset: PresetState, page: Page): Promise<readonly PresetEvent[]>;
}

export interface KeyStore {
  /** Undefined when no key has this hash. */
  find(secretHash: string): Promise<ResolvedKey | undefined>;
  /** `conflict` when a key with the same secret exists. */
  create(key: ApiKey): Promise<void>;
  /** Newest first; an empty page past the end. */
  list(page: Page): Promise<readonly ListedKey[]>;
  /** Takes an id or a label. Undefined when nothing matches; `conflict` when a label matches more than one. */
  disable(idOrLabel: string): Promise<ApiKey | undefined>;
}

export interface NewMember extends Member {
  readonly organizationId: string;
  readonly joinedAt: string;
}

export interface MemberStore {
  /** By joining time, then id. Undefined when there is no such organization; an empty page past the end. */
  list(organizationId: string, page: Page): Promise<MemberPage | undefined>;
  /** A known e-mail address joins as the user it already is; `conflict` when that user is a member already. */
  add(member: NewMember): Promise<Member>;
  /** Takes an id or an e-mail address. Undefined when absent; `conflict` for the last `org:admin`. */
  remove(organizationId: string, idOrEmail: string): Promise<Member | undefined>;
  /** Takes an id or an e-mail address. Undefined when absent. */
  find(organizationId: string, idOrEmail: string): Promise<Member | undefined>;
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
  /** Takes an id or a slug. Undefined when the organization has no such workspace. */
  findWorkspace(organizationId: string, idOrSlug: string): Promise<{ id: string; slug: string } | undefined>;
}
