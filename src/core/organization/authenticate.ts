import type { Clock } from '../clock.ts';
import { PresetdError } from '../errors.ts';
import { type CacheGenerations, RefreshAheadCache, unsharedGenerations } from '../refresh-ahead-cache.ts';
import type { Actor, KeyStore } from '../storage.ts';
import { type Caller, hashSecret, type ResolvedKey } from './api-key.ts';
import type { KeyUsageRecorder } from './key-usage.ts';
import { authorOf } from './workspace-access.ts';

/**
 * Turns secrets into callers. `startServer` creates one per process; it caches keys by the hash of
 * their secret for at most a second, bounded by `cacheEntriesMax`, and records each use. A change
 * to a key takes effect at once in this server and its workers, and within a second in other
 * servers.
 */
export interface Authenticator {
  /**
   * Returns the caller for the hash of a secret, without a promise on a cache hit. Throws or
   * rejects with `unauthenticated` or `forbidden` for a key that may not be used, and with
   * `unavailable` if the database cannot be reached and the key was not seen recently.
   */
  authenticate(secretHash: string): Caller | Promise<Caller>;
  /** Waits for a write that affects these keys, then drops them from the cache. */
  invalidateAfter<T>(write: Promise<T>, isAffected: (key: ResolvedKey) => boolean): Promise<T>;
}

/** Every process honors a change to a key within this time. */
const freshMs = 1_000;

/**
 * How long a cached key is accepted while the database is unavailable: an outage must not cause a
 * 401.
 */
const staleMs = 5 * 60_000;

export function createAuthenticator(
  keys: KeyStore,
  clock: Clock,
  cacheEntriesMax: number,
  usage: KeyUsageRecorder,
  observe: (isHit: boolean) => void = () => {},
  generations: CacheGenerations = unsharedGenerations,
): Authenticator {
  const cache = new RefreshAheadCache<ResolvedKey>({
    weightMax: cacheEntriesMax,
    freshMs,
    staleMs,
    generations,
    load: (secretHash) => keys.find(secretHash),
    observe,
  });
  const toCaller = (found: ResolvedKey | undefined): Caller => {
    const caller = requireUsableKey(found, clock);
    usage.record(caller.id);
    return caller;
  };
  return {
    authenticate(secretHash) {
      const key = cache.get(secretHash);
      return key instanceof Promise ? key.then(toCaller) : toCaller(key);
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
export function requireUsableKey(key: ResolvedKey | undefined, clock: Clock): Caller {
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
 * Describes the caller of a change to an organization for the stores. They look up the caller's key
 * again inside the transaction and call `assertAuthorized` with it, because the caller can lose
 * access while the change waits for others.
 */
export function actorFrom(caller: Caller, clock: Clock, assertAuthorized: (current: Caller) => void): Actor {
  return {
    ...authorOf(caller),
    authorization: {
      secretHash: caller.secretHash,
      assertStillAuthorized: (key) => assertAuthorized(requireUsableKey(key, clock)),
    },
  };
}
