import type { SessionStore } from '../accounts/account-storage.ts';
import type { Clock } from '../clock.ts';
import type { LastUseRecorder } from '../last-use-recorder.ts';
import { type CacheGenerations, RefreshAheadCache, unsharedGenerations } from '../refresh-ahead-cache.ts';
import type { Caller, ResolvedKey } from './caller.ts';
import type { KeyStore } from './organization-storage.ts';
import { requireUsableKey, requireUsableSession } from './usable-caller.ts';

/**
 * Turns secrets into callers. `startServer` creates one per process; it caches keys and sessions by
 * the hash of their secret for at most a second, bounded by `cacheEntriesMax`, and records each
 * use. A change to one of them takes effect at once in this server and its workers, and within a
 * second in other servers.
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
   * Looks up the caller of a long request again. Rejects like the first lookup if they have lost
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
  readonly keyUses: Pick<LastUseRecorder, 'record'>;
  readonly sessionUses: Pick<LastUseRecorder, 'record'>;
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
  const { keys, sessions, clock, sessionIdleMs, keyUses, sessionUses } = options;
  /**
   * Uses are stored once a minute, except the first of a person: from then on a provider must not
   * sign in as them only because it knows their address, so it is stored before the key works.
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
    keyUses.record(key.id);
    return key;
  };
  const toSignedIn = (found: Caller | undefined): Caller => {
    const session = requireUsableSession(found?.kind === 'session' ? found : undefined, clock, sessionIdleMs);
    sessionUses.record(session.id);
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
