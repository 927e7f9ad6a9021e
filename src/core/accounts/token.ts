import { randomBytes } from 'node:crypto';
import { hashSecret } from '../organization/api-key.ts';

/**
 * A token of a session, link or device: 256 random bits, with a prefix that people and secret
 * scanners recognize. Only its hash is stored.
 */
export function newToken(kind: 'session' | 'link' | 'device'): {
  readonly token: string;
  readonly tokenHash: string;
} {
  const token = `pst_${kind}_${randomBytes(32).toString('base64url')}`;
  return { token, tokenHash: hashSecret(token) };
}
