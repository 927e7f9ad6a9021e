import type { AccountStore, DeviceStore, IdentityStore, SessionStore } from './accounts/account-storage.ts';
import type { AuditStore } from './audit/audit-storage.ts';
import type { SpendStore } from './budgets/spend-storage.ts';
import type { ContentStore } from './content-log/content-storage.ts';
import type { LedgerStore } from './ledger/ledger-storage.ts';
import type {
  KeyStore,
  MemberStore,
  OrganizationStore,
  WorkspaceStore,
} from './organization/organization-storage.ts';
import type { CaseStore, DraftStore, PresetCallStore, PresetStore } from './presets/preset-storage.ts';
import type { ProvisioningStore } from './provisioning/provisioning-storage.ts';

/**
 * The ports between the rules in core and a database engine. SQLite and PostgreSQL both implement
 * all of them, and the contract tests in `test/contract` run against both.
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
  readonly presetCalls: PresetCallStore;
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
  readonly ledger: LedgerStore;
  readonly spending: SpendStore;
  readonly contents: ContentStore;
  readonly provisioning: ProvisioningStore;
  /** Checks that the database responds and accepts writes; throws `unavailable` otherwise. */
  ping(): Promise<void>;
  /** Finishes the writes already accepted, then closes the database. */
  close(): Promise<void>;
}

/** Secrets that all servers on one database share. */
export interface SecretStore {
  /** Returns the secret with this name. If there is none, `secret` is stored and returned. */
  findOrCreate(name: string, secret: string, createdAt: string): Promise<string>;
}
