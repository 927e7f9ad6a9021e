import { hashSecret, type ResolvedKey } from './api-key.ts';
import { type CacheGenerations, unsharedGenerations } from './cache-generations.ts';
import type { Clock } from './clock.ts';
import { PresetdError } from './errors.ts';
import type { KeyUsageRecorder } from './key-usage.ts';
import { RefreshAheadCache } from './refresh-ahead-cache.ts';
import type { KeyStore } from './storage.ts';

/** Who is calling: a key that is known, enabled, unexpired, and whose owner is still in the organization. */
export type Caller = ResolvedKey;

export interface Authenticator {
  /**
   * Finds the caller behind the hash of a secret. A key that was seen within the last second answers at once and without
   * a promise; any other asks the database.
   */
  authenticate(secretHash: string): Caller | Promise<Caller>;
  /** Does a write that concerns these keys: what was known of them before it is not believed after it. */
  invalidateAfter<T>(work: Promise<T>, concerns: (key: ResolvedKey) => boolean): Promise<T>;
}

/** A change to a key is honoured by every process within this time. */
const freshMs = 1_000;

/** And while the database does not answer, a key that was good this long ago is let in: an outage is never a 401. */
const staleMs = 5 * 60_000;

export function createAuthenticator(
  keys: KeyStore,
  clock: Clock,
  cacheEntriesMax: number,
  uses: KeyUsageRecorder,
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
  const admitNow = (found: ResolvedKey | undefined): Caller => {
    const caller = requireUsableKey(found, clock);
    uses.record(caller.id);
    return caller;
  };
  return {
    authenticate(secretHash) {
      const key = cache.get(secretHash);
      return key instanceof Promise ? key.then(admitNow) : admitNow(key);
    },
    invalidateAfter: (work, concerns) => cache.invalidateAfter(work, concerns),
  };
}

/** The hash of the secret that a request brings. Where it brings two, the bearer token is the one that is meant. */
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

/** As Anthropic's clients send it. */
function headerSecret(apiKey: string): string {
  if (/^[\x21-\x7e]{1,256}$/.test(apiKey)) return apiKey;
  throw new PresetdError(
    'unauthenticated',
    'Malformed x-api-key header. It must hold one key and nothing else.',
  );
}

/** The caller behind a key, if it may be used at this moment. */
export function requireUsableKey(key: ResolvedKey | undefined, clock: Clock): Caller {
  if (key === undefined) {
    throw new PresetdError(
      'unauthenticated',
      'Unknown API key. Check that it is complete and for this server.',
    );
  }
  // Their keys are disabled, too; that would not say why.
  if (key.organizationId !== null && key.ownerRole === null) {
    throw new PresetdError(
      'forbidden',
      `The owner of the key ${key.label} is no longer a member of the organization.`,
    );
  }
  if (key.disabled) {
    throw new PresetdError(
      'unauthenticated',
      `The key ${key.label} is disabled. Ask an administrator for a new one.`,
    );
  }
  if (key.expiresAt !== null && key.expiresAt <= clock()) {
    throw new PresetdError('unauthenticated', `The key ${key.label} expired at ${key.expiresAt}.`);
  }
  if (key.secretExpiresAt !== null && key.secretExpiresAt <= clock()) {
    throw new PresetdError(
      'unauthenticated',
      `This secret of the key ${key.label} was replaced by another and has expired. Use the new one.`,
    );
  }
  return key;
}
