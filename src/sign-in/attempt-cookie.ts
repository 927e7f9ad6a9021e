import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { SecretStore } from '../core/storage.ts';
import type { Attempt } from './oidc-client.ts';

/**
 * An attempt to sign in lives in a cookie of the browser, so that any server can finish what
 * another began, and only in that browser. It is encrypted, because it contains the secrets that
 * tie the response of the provider to the request, and authenticated together with its provider and
 * its state: it works for no other.
 */
export interface AttemptCookies {
  /** Returns the value of the cookie. */
  seal(provider: string, attempt: Attempt, returnTo: string): Promise<string>;
  /** Returns undefined if the value is not of this attempt, was changed, or is too old. */
  open(provider: string, state: string, value: string): Promise<OpenedAttempt | undefined>;
}

interface OpenedAttempt {
  readonly attempt: Attempt;
  readonly returnTo: string;
}

export const attemptSeconds = 600;

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

export function createAttemptCookies(secrets: SecretStore, clock: Clock): AttemptCookies {
  let loaded: Promise<Buffer> | undefined;
  const load = async () => {
    const candidate = randomBytes(32).toString('base64url');
    return Buffer.from(await secrets.findOrCreate('sign-in-attempts', candidate, clock()), 'base64url');
  };
  const key = () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
  return {
    async seal(provider, { state, ...secret }, returnTo) {
      const expiresAt = Date.parse(clock()) + attemptSeconds * 1_000;
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, await key(), iv).setAAD(contextOf(provider, state));
      const content = cipher.update(JSON.stringify({ ...secret, returnTo, expiresAt }), 'utf8');
      return Buffer.concat([iv, content, cipher.final(), cipher.getAuthTag()]).toString('base64url');
    },
    async open(provider, state, value) {
      const bytes = Buffer.from(value, 'base64url');
      if (bytes.length < ivBytes + tagBytes) return undefined;
      const decipher = createDecipheriv(algorithm, await key(), bytes.subarray(0, ivBytes), {
        authTagLength: tagBytes,
      })
        .setAAD(contextOf(provider, state))
        .setAuthTag(bytes.subarray(-tagBytes));
      const content = decipher.update(bytes.subarray(ivBytes, -tagBytes));
      try {
        const text = Buffer.concat([content, decipher.final()]).toString('utf8');
        const { returnTo, expiresAt, ...secret } = JSON.parse(text);
        return Date.parse(clock()) < expiresAt ? { attempt: { state, ...secret }, returnTo } : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** An id of a provider contains no line break, so two contexts are never equal by accident. */
function contextOf(provider: string, state: string): Buffer {
  return Buffer.from(`${provider}\n${state}`);
}
