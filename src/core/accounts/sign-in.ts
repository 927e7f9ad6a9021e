import type { Clock } from '../clock.ts';
import { PresetdError } from '../errors.ts';
import { newId } from '../identifiers.ts';
import { hashSecret } from '../organization/api-key.ts';
import type { Authenticator } from '../organization/authenticate.ts';
import { type Caller, sessionLabel } from '../organization/caller.ts';
import { isEmail, type Member, normalizeEmail } from '../organization/organization.ts';
import type { Storage } from '../storage.ts';
import type { AccountState, Session, SignInProof } from './account.ts';
import { accountEvent } from './account-event.ts';
import {
  acceptIdentity,
  groupRolesOf,
  type IdentityPolicy,
  type ProvenIdentity,
  SignInRefusal,
} from './identity-change.ts';
import { newToken } from './token.ts';
import type { VerifyPassword } from './verify-password.ts';

/** Where a request to sign in comes from. */
export interface SignInClient {
  readonly address: string;
  /** The part of the address that one client cannot easily change. */
  readonly network: string;
  readonly userAgent: string;
  /** The hash of the session token that the browser already has; that session ends. */
  readonly replacedTokenHash: string | undefined;
}

/** The ways to sign in, besides one-time links, which always work. */
export interface SignInMethods {
  readonly password: boolean;
  readonly providers: readonly { readonly id: string; readonly name: string }[];
}

/** A new session with its token, which is returned only once. */
export interface SignedIn {
  readonly token: string;
  readonly session: Session;
  readonly account: AccountState;
}

interface SignInOptions {
  readonly storage: Pick<Storage, 'accounts' | 'identities' | 'sessions' | 'organizations'>;
  readonly authenticator: Pick<Authenticator, 'invalidateAfter'>;
  readonly verifyPassword: VerifyPassword;
  readonly clock: Clock;
  /** The longest that a session can last. */
  readonly sessionMaxMs: number;
  /** Read at each sign-in, because settings can be reloaded. */
  readonly methods: () => SignInMethods;
}

export type SignIn = ReturnType<typeof createSignIn>;

/** Starts sessions. Every sign-in gets a new token, which prevents session fixation. */
export function createSignIn(options: SignInOptions) {
  const { authenticator, verifyPassword, clock, methods } = options;
  const { accounts, identities, sessions, organizations } = options.storage;

  /** A session without its user, and the token for the browser. */
  function newSession(organizationId: string, method: string, { address, userAgent }: SignInClient) {
    const { token, tokenHash } = newToken('session');
    const createdAt = clock();
    const session = {
      id: newId(),
      organizationId,
      method,
      address,
      userAgent: userAgent.slice(0, userAgentLengthMax),
      createdAt,
      lastUsedAt: createdAt,
      expiresAt: new Date(Date.parse(createdAt) + options.sessionMaxMs).toISOString(),
    };
    return { token, tokenHash, session };
  }

  async function start(
    { organizationId, member }: AccountState,
    method: 'password' | 'link',
    proof: SignInProof,
    client: SignInClient,
  ): Promise<SignedIn | undefined> {
    const { address, replacedTokenHash } = client;
    const { token, tokenHash, session: unowned } = newSession(organizationId, method, client);
    const session: Session = { ...unowned, userId: member.id };
    const author = { userId: member.id, keyLabel: sessionLabel(session.id) };
    const write = sessions.start(
      { session: { ...session, tokenHash, idToken: null }, author, proof, replacedTokenHash },
      (current) => {
        assertActive(current.member);
        return [accountEvent('account.signed_in', current.member, { method, address })];
      },
    );
    const isReplaced = ({ secretHash }: { secretHash: string }) => secretHash === replacedTokenHash;
    const account = await authenticator.invalidateAfter(write, isReplaced);
    return account && { token, session, account };
  }

  /** Records failures of unknown accounts too, in the first organization, to take as long. */
  async function recordFailure(email: string, account: AccountState | undefined, address: string) {
    const organizationId = account?.organizationId ?? (await firstOrganizationId());
    if (organizationId === undefined) return;
    const subject = account?.member ?? { id: 'unknown', email };
    const event = accountEvent('account.sign_in_failed', subject, { method: 'password', address });
    await accounts.recordEvents(organizationId, anonymous, clock(), [event]);
  }

  /** A person whom a provider knows, but who may not sign in here. */
  async function recordRefusal(
    organizationId: string,
    { email, subject }: ProvenIdentity,
    values: { readonly method: string; readonly address: string; readonly reason: string },
  ): Promise<void> {
    const event = accountEvent('account.sign_in_failed', { id: 'unknown', email: email ?? subject }, values);
    await accounts.recordEvents(organizationId, anonymous, clock(), [event]);
  }

  let knownId: string | undefined;
  /** Looked up until there is one: it never changes. */
  async function firstOrganizationId(): Promise<string | undefined> {
    knownId ??= (await organizations.first())?.organization.id;
    return knownId;
  }

  return {
    methods,
    /** Throws `unauthenticated` for a wrong password and an unknown account alike. */
    async withPassword(email: string, password: string, client: SignInClient): Promise<SignedIn> {
      if (!methods().password)
        throw new PresetdError(
          'forbidden',
          'Password sign-in is turned off. Sign in with a provider or a sign-in link.',
        );
      const emailKey = isEmail(email.trim()) ? normalizeEmail(email) : '';
      const account = emailKey === '' ? undefined : await accounts.findByEmail(emailKey);
      const passwordHash = account?.passwordHash ?? null;
      const attempt = { emailKey, network: client.network };
      const { isCorrect, isNotable } = await verifyPassword(attempt, password, passwordHash);
      if (isCorrect) {
        if (account === undefined || passwordHash === null) throw new Error('an absent password matched');
        const proof = { kind: 'password', passwordHash } as const;
        const signedIn = await start(account, 'password', proof, client);
        if (signedIn !== undefined) return signedIn;
      } else if (isNotable) await recordFailure(emailKey, account, client.address);
      throw new PresetdError('unauthenticated', 'Wrong email address or password.');
    },
    /** Throws `unauthenticated` for a link that was used, has expired or never existed. */
    async withLink(token: string, client: SignInClient): Promise<SignedIn> {
      const tokenHash = hashSecret(token);
      const account = await accounts.findByLink(tokenHash, clock());
      const proof = { kind: 'link', tokenHash } as const;
      const signedIn = account && (await start(account, 'link', proof, client));
      if (signedIn !== undefined) return signedIn;
      throw new PresetdError(
        'unauthenticated',
        'This sign-in link was used before or has expired. Ask an admin for another one.',
      );
    },
    /**
     * Signs in a person whom a provider has identified. Links the identity, creates the account and
     * applies the groups as the policy says. Throws `SignInRefusal` if they may not sign in.
     */
    async withIdentity(
      identity: ProvenIdentity,
      policy: IdentityPolicy,
      idToken: string | null,
      client: SignInClient,
    ): Promise<Pick<SignedIn, 'token' | 'session'>> {
      const organizationId = await firstOrganizationId();
      if (organizationId === undefined) throw new Error('there is no organization to sign in to');
      const { provider: method } = policy;
      const { address, replacedTokenHash } = client;
      const { token, tokenHash, session } = newSession(organizationId, method, client);
      const { issuer, subject, email, isEmailVerified } = identity;
      let userId: string | undefined;
      const write = identities.signIn(
        {
          session: { ...session, tokenHash, idToken },
          identity: { issuer, subject, provider: method },
          verifiedEmail: isEmailVerified ? email : undefined,
          workspaceSlugs: [...(groupRolesOf(identity, policy)?.workspaces.keys() ?? [])],
          replacedTokenHash,
        },
        (known) => {
          const change = acceptIdentity(identity, policy, known, session.createdAt);
          userId = change.member.id;
          const signedIn = accountEvent('account.signed_in', change.member, { method, address });
          return { ...change, events: [...change.events, signedIn] };
        },
      );
      // Groups may have changed their roles.
      const isAffected = ({ ownerId, secretHash }: Caller) =>
        ownerId === userId || secretHash === replacedTokenHash;
      try {
        const { id } = await authenticator.invalidateAfter(write, isAffected);
        return { token, session: { ...session, userId: id } };
      } catch (error) {
        if (error instanceof SignInRefusal)
          await recordRefusal(organizationId, identity, { method, address, reason: error.reason });
        throw error;
      }
    },
  };
}

/** Nobody has signed in yet, so no person can be the actor of the event. */
const anonymous = { userId: 'anonymous', keyLabel: null };

const userAgentLengthMax = 512;

export function assertActive({ deactivatedAt }: Member): void {
  if (deactivatedAt !== null)
    throw new PresetdError('forbidden', 'Your account is deactivated. Ask an admin to reactivate it.');
}
