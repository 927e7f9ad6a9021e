import { randomBytes } from 'node:crypto';
import type { NewSession, SignInProof } from '../../src/core/accounts/account.ts';
import { newId } from '../../src/core/identifiers.ts';
import { hashSecret } from '../../src/core/organization/api-key.ts';
import type { Member } from '../../src/core/organization/organization.ts';
import type { Storage } from '../../src/core/storage.ts';
import type { Engine } from './engines.ts';
import { createOrganizationStorage, type OrganizationStorage } from './organization-storage.ts';
import { time } from './preset-storage.ts';

/** An organization's storage with shortcuts for tests of accounts. */
export interface AccountStorage extends OrganizationStorage {
  /** A session that is not stored yet. It starts at `seconds` and lasts a day. */
  newSession(member: Member, seconds?: number, details?: Partial<NewSession>): NewSession;
  /** Stores a session of a person by a link that is made for it. */
  signIn(member: Member, seconds?: number, details?: Partial<NewSession>): Promise<NewSession>;
  start(
    session: NewSession,
    proof: SignInProof,
    storage?: Storage,
    replacedTokenHash?: string,
  ): ReturnType<Storage['sessions']['start']>;
  /** Creates a link and returns the hash of its token. */
  createLink(member: Member, seconds?: number, lifeSeconds?: number): Promise<string>;
  setPassword(member: Member, hash: string, seconds?: number): Promise<boolean>;
}

export const randomHash = () => hashSecret(randomBytes(16).toString('hex'));

export async function createAccountStorage(engine: Engine): Promise<AccountStorage> {
  const base = await createOrganizationStorage(engine);
  const { organizationId, author, storage: first } = base;
  const newSession: AccountStorage['newSession'] = (member, seconds = 10, details = {}) => ({
    id: newId(),
    tokenHash: randomHash(),
    userId: member.id,
    organizationId,
    method: 'link',
    address: '192.0.2.1',
    userAgent: 'Test/1.0',
    createdAt: time(seconds),
    lastUsedAt: time(seconds),
    expiresAt: time(seconds + 86_400),
    idToken: null,
    ...details,
  });
  const start: AccountStorage['start'] = (session, proof, storage = first, replacedTokenHash = undefined) =>
    storage.sessions.start({ session, author, proof, replacedTokenHash }, () => []);
  const createLink: AccountStorage['createLink'] = async (member, seconds = 5, lifeSeconds = 900) => {
    const tokenHash = randomHash();
    const expiresAt = time(seconds + lifeSeconds);
    const link = { tokenHash, organizationId, userId: member.id, createdAt: time(seconds), expiresAt };
    await first.accounts.createLink(link, author, () => []);
    return tokenHash;
  };
  return {
    ...base,
    newSession,
    start,
    createLink,
    async signIn(member, seconds = 10, details = {}) {
      const session = newSession(member, seconds, details);
      const tokenHash = await createLink(member, seconds - 1);
      if ((await start(session, { kind: 'link', tokenHash })) === undefined) throw new Error('not signed in');
      return session;
    },
    setPassword: (member, hash, seconds = 5) =>
      first.accounts.setPassword(
        { organizationId, userId: member.id },
        author,
        { hash, at: time(seconds), keptSessionId: newId() },
        () => [],
      ),
  };
}
