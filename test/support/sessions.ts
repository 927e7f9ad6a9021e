import { randomBytes } from 'node:crypto';
import { newId } from '../../src/core/identifiers.ts';
import { hashSecret } from '../../src/core/organization/api-key.ts';
import type { TestDatabase } from './database.ts';
import type { TestServer } from './server.ts';

/** Signs a person in without a password. Returns the token of the session. */
export async function makeSession(
  { database }: { readonly database: Pick<TestDatabase, 'transaction'> },
  userId: string,
): Promise<string> {
  const token = `pst_session_${randomBytes(32).toString('base64url')}`;
  const [now, tomorrow] = [0, 24 * 60 * 60_000].map((ms) => new Date(Date.now() + ms).toISOString());
  await database.transaction(
    `INSERT INTO sessions (
       id, token_hash, user_id, organization_id, method, address, user_agent, created_at, last_used_at, expires_at
     )
     SELECT '${newId()}', '${hashSecret(token)}', m.user_id, m.organization_id, 'password', '127.0.0.1', 'test',
       '${now}', '${now}', '${tomorrow}'
     FROM memberships m WHERE m.user_id = '${userId}'`,
  );
  return token;
}

/** The headers with which a page of the server itself sends the cookie of a session. */
export function ofSession(token: string): Readonly<Record<string, string>> {
  return { cookie: cookieOf(token), 'sec-fetch-site': 'same-origin' };
}

export function cookieOf(token: string): string {
  return `presetd_session=${token}`;
}

/** Deactivates or reactivates a member. Running servers notice it within a second. */
export function setDeactivated(
  { database }: TestServer,
  userId: string,
  isDeactivated: boolean,
): Promise<void> {
  const at = isDeactivated ? `'${new Date().toISOString()}'` : 'NULL';
  return database.transaction(`UPDATE memberships SET deactivated_at = ${at} WHERE user_id = '${userId}'`);
}
