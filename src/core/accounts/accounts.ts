import type { Clock } from '../clock.ts';
import { PresetdError } from '../errors.ts';
import { actorFrom } from '../organization/actor.ts';
import { roleIn } from '../organization/assert-may.ts';
import type { Authenticator } from '../organization/authenticate.ts';
import type { Caller, ResolvedSession } from '../organization/caller.ts';
import { changeMember, type MemberEdit } from '../organization/member-change.ts';
import { assertPeople } from '../organization/members.ts';
import type { Organization, Role } from '../organization/organization.ts';
import { requireSession } from '../organization/organization-access.ts';
import { isUuid, type Workspace } from '../organization/workspace.ts';
import { assertValidField, invalidField } from '../request-issues.ts';
import type { Storage } from '../storage.ts';
import type {
  AccountState,
  PersonAddress,
  Session,
  SessionSelection,
  User,
  WorkspaceAccess,
} from './account.ts';
import { accountEvent, sessionsEnded } from './account-event.ts';
import type { PasswordHasher } from './password-hash.ts';
import { passwordProblem } from './password-rules.ts';
import type { SignInMethods } from './sign-in.ts';
import { linkMs } from './sign-in-link.ts';
import type { VerifyPassword } from './verify-password.ts';

interface AccountsOptions {
  readonly storage: Pick<Storage, 'accounts' | 'sessions' | 'members' | 'organizations' | 'workspaces'>;
  readonly authenticator: Authenticator;
  readonly hasher: PasswordHasher;
  readonly verifyPassword: VerifyPassword;
  readonly clock: Clock;
  readonly sessionIdleMs: number;
  readonly methods: () => SignInMethods;
}

/** The person behind a request. */
export interface Account {
  readonly user: User;
  /** Null for a personal key, which belongs to no organization. */
  readonly organization: (Organization & { readonly role: Role }) | null;
  /** The workspaces that the request can access. */
  readonly workspaces: readonly WorkspaceAccess[];
  readonly canSetPassword: boolean;
  readonly needsCurrentPassword: boolean;
}

type AccountEdit = Omit<MemberEdit, 'role'>;

interface PasswordChange {
  readonly password: string;
  readonly currentPassword: string | undefined;
  /** The network of the client, whose failures are counted. */
  readonly network: string;
}

export type Accounts = ReturnType<typeof createAccounts>;

/** People and their own accounts. Everything but `get` needs a session. */
export function createAccounts(options: AccountsOptions) {
  const { storage, authenticator, hasher, verifyPassword, clock, methods } = options;
  const { accounts, sessions, members, organizations, workspaces } = storage;

  const sessionActor = (session: ResolvedSession, action: string) =>
    actorFrom(session, clock, (current) => void requireSession(current, action));

  async function get(caller: Caller): Promise<Account> {
    const { organizationId, ownerId, ownerRole } = caller;
    const user = await accounts.findUser(ownerId);
    if (user === undefined) throw new Error('the owner of a key or session is missing');
    const organization = organizationId === null ? undefined : await organizations.get(organizationId);
    return {
      user,
      organization: organization && ownerRole !== null ? { ...organization, role: ownerRole } : null,
      workspaces: organization === undefined ? [] : await accessibleWorkspaces(caller, organization.id),
      canSetPassword: methods().password,
      needsCurrentPassword: user.hasPassword && !hasJustUsedLink(caller),
    };
  }

  async function accessibleWorkspaces(
    caller: Caller,
    organizationId: string,
  ): Promise<readonly WorkspaceAccess[]> {
    const { ownerId, ownerRole, workspaceId } = caller;
    if (caller.kind === 'api') {
      const found = workspaceId && (await workspaces.find(organizationId, workspaceId));
      const role = workspaceId === null ? undefined : roleIn(caller, workspaceId);
      return found && role ? [{ ...summaryOf(found), role }] : [];
    }
    if (ownerRole !== 'org:admin')
      return (await accounts.people(organizationId, [ownerId])).flatMap((person) => person.workspaces);
    const all = await workspaces.list(organizationId, { offset: 0, limit: workspacesMax });
    return all.workspaces.map((workspace) => ({ ...summaryOf(workspace), role: 'admin' as const }));
  }

  async function end(
    session: ResolvedSession,
    action: string,
    selection: SessionSelection,
  ): Promise<readonly Session[]> {
    const { organizationId, ownerId: userId } = session;
    const write = sessions.end(
      { organizationId, userId },
      sessionActor(session, action),
      clock(),
      selection,
      sessionsEnded,
    );
    return invalidateEndedSessions(authenticator, write);
  }

  /**
   * A person has one password for all organizations. An admin can create a sign-in link for anyone
   * in theirs, which must not give access to another organization.
   */
  async function requireUnshared({ organizationId, ownerId }: ResolvedSession): Promise<AccountState> {
    const account = await accounts.find({ organizationId, userId: ownerId });
    if (account === undefined) throw new PresetdError('forbidden', 'You are no longer a member.');
    if (account.isShared)
      throw new PresetdError(
        'forbidden',
        'You belong to several organizations, so your password cannot be changed here.',
      );
    return account;
  }

  /** Someone who forgot the password gets a link; a browser left open later must not be enough. */
  function hasJustUsedLink(caller: Caller): boolean {
    if (caller.kind !== 'session' || caller.method !== 'link') return false;
    return Date.parse(clock()) - Date.parse(caller.createdAt) < linkMs;
  }

  /** Throws `invalid_request` unless the person proves that they know the current password. */
  async function checkCurrentPassword(
    session: ResolvedSession,
    { member, passwordHash }: AccountState,
    { currentPassword, network }: PasswordChange,
  ): Promise<string | null> {
    if (passwordHash === null || hasJustUsedLink(session)) return passwordHash;
    const path = '/current_password';
    if (currentPassword === undefined) throw invalidField(path, 'is required to change your password');
    // Counted apart from sign-ins: anyone can cause those to fail, which must not block this.
    const attempt = { emailKey: `password:${member.id}`, network };
    const { isCorrect } = await verifyPassword(attempt, currentPassword, passwordHash);
    if (!isCorrect) throw invalidField(path, 'is not your current password');
    return passwordHash;
  }

  return {
    get,
    async edit(caller: Caller, changes: AccountEdit): Promise<Account> {
      const action = 'Changing your account';
      const session = requireSession(caller, action);
      assertPeople([changes], () => '');
      const actor = actorFrom(session, clock, (current) => {
        if (changes.email !== undefined) assertMayChangeEmail(requireSession(current, action));
      });
      if (changes.email !== undefined) assertMayChangeEmail(session);
      const rule = changeMember(changes);
      const write = members.change(session.organizationId, session.ownerId, actor, (current, isLastAdmin) =>
        rule(current, isLastAdmin, clock()),
      );
      await authenticator.invalidateAfter(write, ({ ownerId }) => ownerId === session.ownerId);
      return get(session);
    },
    async setPassword(caller: Caller, change: PasswordChange): Promise<Account> {
      const action = 'Setting a password';
      const session = requireSession(caller, action);
      if (!methods().password)
        throw new PresetdError('forbidden', 'Password sign-in is turned off. Sign in with a provider.');
      const account = await requireUnshared(session);
      const isCommon = await loadCommonPasswords();
      assertValidField('/password', passwordProblem(change.password, account.member.email, isCommon));
      const provenHash = await checkCurrentPassword(session, account, change);
      const hash = await hasher.hash(change.password);
      const write = accounts.setPassword(
        { organizationId: session.organizationId, userId: session.ownerId },
        sessionActor(session, action),
        { hash, at: clock(), keptSessionId: session.id },
        ({ member, passwordHash }, ended) => {
          // Another session has changed it meanwhile.
          if (passwordHash !== provenHash) throw invalidField('/current_password', 'has changed; try again');
          return [accountEvent('account.password_set', member), ...sessionsEnded(ended, member)];
        },
      );
      await authenticator.invalidateAfter(
        write,
        ({ kind, ownerId, id }) => kind === 'session' && ownerId === session.ownerId && id !== session.id,
      );
      return get(session);
    },
    /** Most recently used first, without those that have been idle for too long. */
    async sessions(caller: Caller): Promise<readonly Session[]> {
      const { organizationId, ownerId: userId } = requireSession(caller, 'Listing your sessions');
      return listSessions(sessions, { organizationId, userId }, clock, options.sessionIdleMs);
    },
    async endSession(caller: Caller, id: string): Promise<void> {
      const action = 'Ending a session';
      const session = requireSession(caller, action);
      const ended = isUuid(id) ? await end(session, action, { id }) : [];
      if (ended.length === 0) throw unknownSession(id);
    },
    async endAllSessions(caller: Caller): Promise<void> {
      const action = 'Signing out everywhere';
      await end(requireSession(caller, action), action, {});
    },
    /** Returns the session that ended, with the ID token that its provider wants back. */
    async signOut(caller: Caller): Promise<{ readonly method: string; readonly idToken: string | null }> {
      const action = 'Signing out';
      const session = requireSession(caller, action);
      const idToken = await sessions.idToken(session.id);
      await end(session, action, { id: session.id });
      return { method: session.method, idToken };
    },
  };
}

/**
 * Loads the list of common passwords, half a megabyte that only a change of a password needs, and
 * returns a check of text in lower case. Not in `password-rules.ts`, which the dashboard bundles.
 */
export async function loadCommonPasswords(): Promise<(text: string) => boolean> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const common = new Set<unknown>(dictionary['passwords-common']);
  return (text) => common.has(text);
}

/** Sessions that are not used end before they expire, so the store still has them. */
export async function listSessions(
  sessions: Storage['sessions'],
  person: PersonAddress,
  clock: Clock,
  idleMs: number,
): Promise<readonly Session[]> {
  const now = clock();
  const usedSince = new Date(Date.parse(now) - idleMs).toISOString();
  return (await sessions.list(person, now)).filter(({ lastUsedAt }) => lastUsedAt > usedSince);
}

/** Drops the ended sessions from the cache once they are deleted. */
export function invalidateEndedSessions(
  authenticator: Authenticator,
  write: Promise<readonly Session[]>,
): Promise<readonly Session[]> {
  return authenticator.invalidateAfter(
    write,
    ({ kind, id }, ended = []) => kind === 'session' && ended.some((session) => session.id === id),
  );
}

export function unknownSession(id: string): PresetdError {
  return new PresetdError('not_found', `There is no active session ${id}.`);
}

/** Bounds the response; nobody picks from a longer list. */
const workspacesMax = 1_000;

function summaryOf({ id, slug, name, isDefault, contentLog }: Workspace) {
  return { id, slug, name, isDefault, contentLog };
}

/** Anyone who controls the address of an account can be invited as that person elsewhere. */
function assertMayChangeEmail({ ownerRole }: ResolvedSession): void {
  if (ownerRole !== 'org:admin')
    throw new PresetdError('forbidden', 'Only an org:admin can change an email address. Ask one.');
}
