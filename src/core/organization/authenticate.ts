import type { SessionStore } from '../accounts/account-storage.ts';
import type { Clock } from '../clock.ts';
import { PresetdError } from '../errors.ts';
import { type CacheGenerations, RefreshAheadCache, unsharedGenerations } from '../refresh-ahead-cache.ts';
import type { UsageRecorder } from '../usage-recorder.ts';
import type { Actor } from './actor.ts';
import { hashSecret } from './api-key.ts';
import type { Caller, ResolvedKey, ResolvedSession } from './caller.ts';
import type { KeyStore } from './organization-storage.ts';
import { authorOf } from './workspace-access.ts';

/**
 * Turns secrets into callers. `startServer` creates one per process; it caches keys and sessions by
 * the hash of their secret for at most a second, bounded by `cacheEntriesMax`, and records each use.
 * A change to one of them takes effect at once in this server and its workers, and within a second
 * in other servers.
 */
export interface Authenticator {
  /**
   * Returns the caller for the hash of a key's secret, without a promise on a cache hit. Throws or
   * rejects with `unauthenticated` or `forbidden` for a key that may not be used, and with
   * `unavailable` if the database cannot be reached and the key was not seen recently.
   */
  authenticate(secretHash: string): Caller | Promise<Caller>;
  /** Like `authenticate`, for the hash of a session's token. */
  authenticateSession(tokenHash: string): Caller | Promise<Caller>;
  /**
   * Looks up a caller again whose request takes long. Rejects like the first time if they have lost
   * access since.
   */
  reauthenticate(caller: Caller): Promise<Caller>;
  /**
   * Waits for a write that affects these callers, then drops them from the cache. A write that
   * fails has no result.
   */
  invalidateAfter<T>(
    write: Promise<T>,
    isAffected: (caller: Caller, result: T | undefined) => boolean,
  ): Promise<T>;
}

export interface AuthenticatorOptions {
  readonly keys: Pick<KeyStore, 'find' | 'recordFirstUse'>;
  readonly sessions: Pick<SessionStore, 'find'>;
  readonly clock: Clock;
  /** A session that was not used for this long has ended. */
  readonly sessionIdleMs: number;
  readonly cacheEntriesMax: number;
  readonly keyUsage: Pick<UsageRecorder, 'record'>;
  readonly sessionUsage: Pick<UsageRecorder, 'record'>;
  readonly observe?: (isHit: boolean) => void;
  readonly generations?: CacheGenerations;
}

/** Every process honors a change to a key or session within this time. */
const freshMs = 1_000;

/**
 * How long a cached key or session is accepted while the database is unavailable: an outage must
 * not cause a 401.
 */
const staleMs = 5 * 60_000;

/** Keys and sessions share the cache. A hash is hexadecimal, so the two cannot be confused. */
const sessionPrefix = 'session:';

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { keys, sessions, clock, sessionIdleMs, keyUsage, sessionUsage } = options;
  /**
   * Uses are stored once a minute, except the first of a person: from then on a provider must not
   * sign in as them only because it knows their address, so it is stored before the key is accepted.
   */
  const findKey = async (secretHash: string): Promise<ResolvedKey | undefined> => {
    const key = await keys.find(secretHash);
    if (key?.isOwnerNew) await keys.recordFirstUse(requireUsableKey(key, clock), clock());
    return key;
  };
  const cache = new RefreshAheadCache<Caller>({
    weightMax: options.cacheEntriesMax,
    freshMs,
    staleMs,
    generations: options.generations ?? unsharedGenerations,
    load: (name): Promise<Caller | undefined> =>
      name.startsWith(sessionPrefix) ? sessions.find(name.slice(sessionPrefix.length)) : findKey(name),
    observe: options.observe ?? (() => {}),
  });
  const toCaller = (found: Caller | undefined): Caller => {
    const key = requireUsableKey(found?.kind === 'session' ? undefined : found, clock);
    keyUsage.record(key.id);
    return key;
  };
  const toSignedIn = (found: Caller | undefined): Caller => {
    const session = requireUsableSession(found?.kind === 'session' ? found : undefined, clock, sessionIdleMs);
    sessionUsage.record(session.id);
    return session;
  };
  const lookUp = (name: string, accept: (found: Caller | undefined) => Caller) => {
    const found = cache.get(name);
    return found instanceof Promise ? found.then(accept) : accept(found);
  };
  const authenticate = (secretHash: string) => lookUp(secretHash, toCaller);
  const authenticateSession = (tokenHash: string) => lookUp(sessionPrefix + tokenHash, toSignedIn);
  return {
    authenticate,
    authenticateSession,
    async reauthenticate(caller) {
      if (caller.kind === 'session') return authenticateSession(caller.secretHash);
      const current = await authenticate(caller.secretHash);
      // That is the current secret of the key; the caller may have used an older one.
      if (caller.secretExpiresAt !== null) requireUsableKey(caller, clock);
      return current;
    },
    invalidateAfter: (write, isAffected) => cache.invalidateAfter(write, isAffected),
  };
}

/**
 * Hashes the secret from the request headers. If a request has both headers, the bearer token wins.
 */
export function hashRequestSecret(authorization: string | undefined, apiKey: string | undefined): string {
  return hashSecret(
    authorization || apiKey === undefined ? bearerSecret(authorization) : headerSecret(apiKey),
  );
}

function bearerSecret(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '') {
    throw new PresetdError(
      'unauthenticated',
      'Missing API key. Send it as "Authorization: Bearer <key>" or "x-api-key: <key>".',
    );
  }
  const match = /^Bearer +([\x21-\x7e]{1,256}) *$/i.exec(authorization);
  if (match?.[1] === undefined) {
    throw new PresetdError(
      'unauthenticated',
      'Malformed Authorization header. It must read "Authorization: Bearer <key>".',
    );
  }
  return match[1];
}

/** Anthropic's SDKs send the key in `x-api-key`. */
function headerSecret(apiKey: string): string {
  if (/^[\x21-\x7e]{1,256}$/.test(apiKey)) return apiKey;
  throw new PresetdError(
    'unauthenticated',
    'Malformed x-api-key header. It must contain one key and nothing else.',
  );
}

/**
 * Returns the key as a caller if it may be used now; throws `unauthenticated` or `forbidden`
 * otherwise.
 */
export function requireUsableKey(key: ResolvedKey | undefined, clock: Clock): ResolvedKey {
  if (key === undefined) {
    throw new PresetdError(
      'unauthenticated',
      'Unknown API key. Check that it is complete and belongs to this server.',
    );
  }
  // Checked before `disabled`: removing a member also disables their keys, but that message would
  // hide the reason.
  if (key.organizationId !== null && key.ownerRole === null) {
    throw new PresetdError(
      'forbidden',
      `The owner of the key ${key.label} is no longer a member of the organization.`,
    );
  }
  if (key.isOwnerDeactivated) {
    throw new PresetdError('forbidden', `The owner of the key ${key.label} is deactivated. Use another key.`);
  }
  if (key.disabled) {
    throw new PresetdError(
      'unauthenticated',
      `The key ${key.label} is disabled. Ask an admin for a new one.`,
    );
  }
  if (key.expiresAt !== null && key.expiresAt <= clock()) {
    throw new PresetdError('unauthenticated', `The key ${key.label} expired at ${key.expiresAt}.`);
  }
  if (key.secretExpiresAt !== null && key.secretExpiresAt <= clock()) {
    throw new PresetdError(
      'unauthenticated',
      `This secret of the key ${key.label} was rotated and has expired. Use the new secret.`,
    );
  }
  return key;
}

/**
 * Returns the session if it may be used now; throws `unauthenticated` or `forbidden` otherwise.
 */
export function requireUsableSession(
  session: ResolvedSession | undefined,
  clock: Clock,
  idleMs: number,
): ResolvedSession {
  const now = clock();
  const isOver =
    session === undefined ||
    session.expiresAt <= now ||
    Date.parse(session.lastUsedAt) + idleMs <= Date.parse(now);
  if (isOver) throw new PresetdError('unauthenticated', 'Your session has ended. Sign in again.');
  if (session.ownerRole === null)
    throw new PresetdError('forbidden', 'You are no longer a member of the organization.');
  if (session.isOwnerDeactivated)
    throw new PresetdError('forbidden', 'Your account is deactivated. Ask an admin to reactivate it.');
  return session;
}

/**
 * Describes the caller of a change for the stores. They look up the caller again inside the
 * transaction and call `assertAuthorized` with it, because the caller can lose access while the
 * change waits for others.
 */
export function actorFrom(caller: Caller, clock: Clock, assertAuthorized: (current: Caller) => void): Actor {
  return {
    ...authorOf(caller),
    authorization: {
      kind: caller.kind === 'session' ? 'session' : 'key',
      secretHash: caller.secretHash,
      assertStillAuthorized: (current) => assertAuthorized(requireStillUsable(caller, current, clock)),
    },
  };
}

/** A session that was in use a moment ago has not become idle, so only its end is checked again. */
function requireStillUsable(caller: Caller, current: Caller | undefined, clock: Clock): Caller {
  if (caller.kind === 'session')
    return requireUsableSession(
      current?.kind === 'session' ? current : undefined,
      clock,
      Number.POSITIVE_INFINITY,
    );
  return requireUsableKey(current?.kind === 'session' ? undefined : current, clock);
}
