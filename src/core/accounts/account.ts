import type { Author } from '../event.ts';
import type { Member } from '../organization/organization.ts';
import type { Workspace } from '../organization/workspace.ts';
import type { WorkspaceRole } from '../organization/workspace-role.ts';

/** A person as sign-in needs them. */
export interface AccountState {
  /** The organization of the membership. Someone with several signs in to the oldest one. */
  readonly organizationId: string;
  readonly member: Member;
  /** In the format of the PHC; null without a password. */
  readonly passwordHash: string | null;
  /** Whether the person also belongs to another organization, whose admins manage them too. */
  readonly isShared: boolean;
}

/** A person, whether or not they belong to an organization. */
export interface User extends Pick<Member, 'id' | 'email' | 'firstName' | 'lastName'> {
  readonly hasPassword: boolean;
}

/** Names a person in an organization. */
export interface PersonAddress {
  readonly organizationId: string;
  readonly userId: string;
}

/** A person who is signed in with one browser. */
export interface Session extends PersonAddress {
  readonly id: string;
  /** `password`, `link` or the id of a provider. */
  readonly method: string;
  readonly address: string;
  readonly userAgent: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  /** The absolute limit. A session that is not used ends earlier. */
  readonly expiresAt: string;
}

export interface NewSession extends Session {
  readonly tokenHash: string;
  /** The provider's ID token, which it expects back when the person signs out; null without one. */
  readonly idToken: string | null;
}

/** The reason why a session may start. It must still hold in the transaction that stores it. */
export type SignInProof =
  | { readonly kind: 'password'; readonly passwordHash: string }
  | { readonly kind: 'link'; readonly tokenHash: string };

/** A session to be started. */
export interface SessionStart {
  readonly session: NewSession;
  readonly author: Author;
  readonly proof: SignInProof;
  /** The session that the browser had before; undefined if it had none. */
  readonly replacedTokenHash: string | undefined;
}

/** A session to be started for a person whom a provider has signed in. */
export interface IdentitySessionStart {
  readonly session: Omit<NewSession, 'userId'>;
  readonly identity: Omit<Identity, 'userId' | 'createdAt'>;
  /** Undefined if the provider has not verified the address. */
  readonly verifiedEmail: string | undefined;
  /** The workspaces in which groups decide about roles. */
  readonly workspaceSlugs: readonly string[];
  readonly replacedTokenHash: string | undefined;
}

/** One session, or all. */
export interface SessionSelection {
  readonly id?: string;
}

/** A one-time link. The token itself is never stored. */
export interface SignInLink extends PersonAddress {
  readonly tokenHash: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** An account at a provider, which the subject identifies for good; email addresses can change. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly userId: string;
  /** The id of the provider in the settings. */
  readonly provider: string;
  readonly createdAt: string;
}

/** An attempt to sign in. It counts as a failure unless it is withdrawn. */
export interface SignInAttempt {
  readonly emailKey: string;
  /** The part of the address that one client cannot easily change. */
  readonly network: string;
  readonly at: string;
}

export interface AttemptLimits {
  readonly windowMs: number;
  readonly accountMax: number;
  readonly networkMax: number;
}

export interface AttemptVerdict {
  /** Undefined if the attempt may be made. */
  readonly blockedUntil: string | undefined;
  /**
   * Whether the attempt, if it fails, is the first failure of the account or network in the window,
   * or the one that blocks it. Others are not audited: guesses must not flood the log.
   */
  readonly isNotable: boolean;
}

/** A workspace to which a person has access, and their role in it. */
export interface WorkspaceAccess
  extends Pick<Workspace, 'id' | 'slug' | 'name' | 'isDefault' | 'contentLog'> {
  readonly role: WorkspaceRole;
}

/** A member with their account. */
export interface MemberAccount extends Member {
  /** The last use of a session or key; null if there was none. */
  readonly lastActiveAt: string | null;
  readonly hasPassword: boolean;
  /** The ids of the providers that they have signed in with. */
  readonly providers: readonly string[];
  /** Whether SCIM manages the account. */
  readonly isProvisioned: boolean;
  /** The default workspace first, then by slug. */
  readonly workspaces: readonly WorkspaceAccess[];
}

export type PersonStatus = 'active' | 'invited' | 'deactivated';

/** Someone who has never signed in or used a key is invited. */
export function statusOf(person: MemberAccount): PersonStatus {
  if (person.deactivatedAt !== null) return 'deactivated';
  const hasSignedIn = person.lastActiveAt !== null || person.hasPassword || person.providers.length > 0;
  return hasSignedIn ? 'active' : 'invited';
}
