import type { IncomingHttpHeaders } from 'node:http';
import { PresetdError } from '../core/errors.ts';
import { hashSecret } from '../core/organization/api-key.ts';

/** A request with a key never uses a session. */
export function hasKey({ authorization, 'x-api-key': apiKey }: IncomingHttpHeaders): boolean {
  return authorization !== undefined || apiKey !== undefined;
}

interface SentCredentials {
  readonly authorization: string | undefined;
  readonly apiKey: string | undefined;
  readonly secretHash: string;
}

/**
 * The last credentials of each connection with their hash. Most connections send the same key every
 * time, which saves hashing it again. Entries go away with the connection.
 */
const lastCredentials = new WeakMap<object, SentCredentials>();

/** The hash under which the key of a request is stored. Throws if the request has no usable key. */
export function secretHashOf(
  connection: object,
  { authorization, 'x-api-key': apiKeyHeader }: IncomingHttpHeaders,
): string {
  const apiKey = apiKeyHeader?.toString();
  const last = lastCredentials.get(connection);
  if (
    last !== undefined &&
    isEqualInConstantTime(last.authorization, authorization) &&
    isEqualInConstantTime(last.apiKey, apiKey)
  )
    return last.secretHash;
  const secretHash = hashRequestSecret(authorization, apiKey);
  lastCredentials.set(connection, { authorization, apiKey, secretHash });
  return secretHash;
}

/**
 * Hashes the secret from the request headers. If a request has both headers, the bearer token wins.
 */
function hashRequestSecret(authorization: string | undefined, apiKey: string | undefined): string {
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
 * Constant time, because a proxy may send requests of many callers over one connection: the
 * credentials compared against may be another caller's secret.
 */
function isEqualInConstantTime(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index += 1)
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  return difference === 0;
}
