/** The ports for signing in. `core/storage.ts` says what holds for every method. */

import type { Author } from '../event.ts';
import type { Actor } from '../organization/actor.ts';
import type { ApiKey } from '../organization/api-key.ts';
import type { ResolvedSession } from '../organization/caller.ts';
import type { KeyCreation, KeyPlacement } from '../organization/key-change.ts';
import type { Member } from '../organization/organization.ts';
import type { OrganizationEvent } from '../organization/organization-event.ts';
import type {
  AccountState,
  AttemptLimits,
  AttemptVerdict,
  IdentitySessionStart,
  MemberAccount,
  PersonAddress,
  Session,
  SessionSelection,
  SessionStart,
  SignInAttempt,
  SignInLink,
  User,
} from './account.ts';
import type { DeviceRequest } from './device.ts';
import type { IdentityChange, KnownIdentity } from './identity-change.ts';
import type { Invitation, InvitationChange, Invitee } from './invitation.ts';

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
  /** Adds their accounts to members, by user id and in this order; skips non-members. */
  people(organizationId: string, userIds: readonly string[]): Promise<readonly MemberAccount[]>;
  /**
   * Passes the account and the sessions that will end to `decide`, then stores the password, ends
   * all sessions but one and deletes the links and failed sign-ins of the person. Returns false,
   * and stores nothing, if the person is not a member.
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
   * are possible again. Deletes some of the attempts that no limit needs.
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

/** Accounts at providers. */
export interface IdentityStore {
  /**
   * Passes what is known about an identity to `decide`, then stores the returned member with its
   * roles, links the identity and starts the session, like `SessionStore.start`. Returns the
   * member.
   */
  signIn(start: IdentitySessionStart, decide: (known: KnownIdentity) => IdentityChange): Promise<Member>;
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
   * Passes the request and the person who decides, the user of the actor, to `decide` and stores
   * the result with its events. Returns the request as it is afterwards; `undefined` if no request
   * has this code.
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
   * `decide`. Returns false, and creates nothing, if the request no longer exists or the
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
