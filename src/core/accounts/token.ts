import { randomBytes } from 'node:crypto';
import { hashSecret } from '../organization/api-key.ts';

/**
 * Tokens of sessions and links: 256 random bits, with a prefix by which people and secret scanners
 * recognize them. Only their hashes are stored.
 */
export interface Token {
  readonly token: string;
  readonly tokenHash: string;
}

export function newToken(kind: 'session' | 'link' | 'device'): Token {
  const token = `pst_${kind}_${randomBytes(32).toString('base64url')}`;
  return { token, tokenHash: hashSecret(token) };
}
