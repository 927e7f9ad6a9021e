import type { ApiKey, ListedKey, ResolvedKey } from './api-key.ts';
import type { Member, MemberPage, Organization, Page } from './organization.ts';
import type { Dialect, Preset } from './preset.ts';

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

export interface NewVersion {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly slug: string;
  /** Used when the slug is new; an existing preset keeps its own. */
  readonly presetId: string;
  readonly versionId: string;
  readonly creatorId: string;
  readonly dialect: Dialect;
  readonly configJson: string;
  readonly systemPrompt: string | null;
  readonly createdAt: string;
}

export interface PresetStore {
  /**
   * Adds the next version and designates it, making the preset when the slug is new.
   * `not_found` when the organization has no such workspace, `conflict` when the preset is archived.
   */
  createVersion(version: NewVersion): Promise<Preset>;
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
