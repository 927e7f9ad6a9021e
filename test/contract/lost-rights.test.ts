import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contract } from '../../src/api/contract.ts';
import type { Operation, Tag } from '../../src/api/operation.ts';
import { createAccounts } from '../../src/core/accounts/accounts.ts';
import { createPeople } from '../../src/core/accounts/people.ts';
import { newId } from '../../src/core/identifiers.ts';
import { hashSecret, newSecret } from '../../src/core/organization/api-key.ts';
import { createAuthenticator } from '../../src/core/organization/authenticate.ts';
import type { Caller } from '../../src/core/organization/caller.ts';
import { createKeys } from '../../src/core/organization/keys.ts';
import { createMembers } from '../../src/core/organization/members.ts';
import type { Member } from '../../src/core/organization/organization.ts';
import { createWorkspaces } from '../../src/core/organization/workspaces.ts';
import { type AccountStorage, createAccountStorage } from '../support/account-storage.ts';
import { engines } from '../support/engines.ts';
import { accountOperations } from '../support/every-operation.ts';
import { time } from '../support/preset-storage.ts';

/** When the requests of these tests run; what they lose is lost before. */
const clock = () => time(30);
const sessionIdleMs = Number.POSITIVE_INFINITY;

/** How somebody loses what a change needs after their request was authenticated. */
const losses: Readonly<Record<string, (caller: Caller) => string>> = {
  'is deactivated': ({ ownerId }) =>
    `UPDATE memberships SET deactivated_at = '${time(20)}' WHERE user_id = '${ownerId}'`,
  'becomes an org:member': ({ ownerId }) =>
    `UPDATE memberships SET role = 'org:member', workspace_role = 'viewer' WHERE user_id = '${ownerId}'`,
  'loses their session or key': ({ kind, id }) =>
    `DELETE FROM ${kind === 'session' ? 'sessions' : 'api_keys'} WHERE id = '${id}'`,
};

describe.each(engines)('organization changes of callers who lose their rights on %s', (engine) => {
  let acme: AccountStorage;
  let admin: Member;
  let other: Member;
  let keyId: string;
  let sessionId: string;
  let ownSessionId: string;
  beforeEach(async () => {
    acme = await createAccountStorage(engine);
    admin = await acme.addMember({ role: 'org:admin' });
    other = await acme.addMember();
    keyId = (await acme.createKey(acme.newKey({ ownerId: other.id }))).id;
    sessionId = (await acme.signIn(other)).id;
    ownSessionId = (await acme.signIn(admin)).id;
    await acme.createWorkspace('room');
  });
  afterEach(() => acme.close());

  const callerBy: Readonly<Record<'session' | 'key', () => Promise<Caller | undefined>>> = {
    async session() {
      return acme.storage.sessions.find((await acme.signIn(admin)).tokenHash);
    },
    async key() {
      const secret = newSecret();
      await acme.createKey(acme.newKey({ ownerId: admin.id, kind: 'management' }, secret));
      return acme.storage.keys.find(hashSecret(secret));
    },
  };

  /**
   * Changes of members, keys, workspaces, sessions and accounts by the ids of their operations, in
   * an order that succeeds.
   */
  const changesOf = (caller: Caller): Readonly<Record<string, () => Promise<unknown>>> => {
    const { storage } = acme;
    const unrecorded = { record: () => {} };
    const authenticator = createAuthenticator({
      ...{ keys: storage.keys, sessions: storage.sessions, clock, sessionIdleMs, cacheEntriesMax: 10 },
      ...{ keyUsage: unrecorded, sessionUsage: unrecorded },
    });
    const members = createMembers(storage.members, clock, authenticator);
    const people = createPeople({ storage, members, authenticator, clock, sessionIdleMs });
    const keys = createKeys(storage.keys, storage.presets, clock, authenticator);
    const workspaces = createWorkspaces(storage.workspaces, clock, authenticator, {
      invalidateAfter: (write) => write,
    });
    const accounts = createAccounts({
      ...{ storage, authenticator, clock, sessionIdleMs },
      hasher: { hash: async () => '', verify: async () => false },
      verifyPassword: () => expect.fail('no change needs a password'),
      methods: () => ({ password: true, providers: [] }),
    });
    const newKey = {
      name: 'New',
      kind: 'api',
      readOnly: false,
      scope: 'call',
      presets: null,
      expiresAt: null,
      ownerId: other.id,
      workspaceId: undefined,
    } as const;
    return {
      addOrganizationMember: () => members.add(caller, { email: `${newId()}@example.com` }),
      importOrganizationMembers: () => members.import(caller, [{ email: `${newId()}@example.com` }], true),
      invitePerson: () => people.invite(caller, { email: `${newId()}@example.com` }, []),
      createSignInLink: () => people.createLink(caller, other.id),
      endPersonSession: () => people.endSession(caller, other.id, sessionId),
      endPersonSessions: () => people.endSessions(caller, other.id),
      createKey: () => keys.create(caller, newKey),
      updateKey: () => keys.edit(caller, keyId, { name: 'Renamed' }),
      rotateKey: () => keys.rotate(caller, keyId, 0),
      deleteKey: () => keys.delete(caller, keyId),
      createWorkspace: () => workspaces.create(caller, { name: 'New', slug: 'new', description: null }),
      updateWorkspace: () => workspaces.edit(caller, 'room', { name: 'Renamed' }),
      addWorkspaceMembers: () => workspaces.addMembers(caller, 'room', [other.id], 'editor'),
      updateWorkspaceMember: () => workspaces.changeRole(caller, 'room', other.id, 'viewer'),
      removeWorkspaceMembers: () => workspaces.removeMembers(caller, 'room', [other.id]),
      deleteWorkspace: () => workspaces.delete(caller, 'room'),
      updateOrganizationMember: () => members.edit(caller, other.id, { role: 'org:admin' }),
      'updateOrganizationMember of an address': () =>
        members.edit(caller, other.id, { email: `${newId()}@example.com` }),
      deactivatePerson: () => people.deactivate(caller, other.id),
      reactivatePerson: () => people.reactivate(caller, other.id),
      removeOrganizationMember: () => members.remove(caller, other.id),
      ...(caller.kind === 'session' && {
        updateAccount: () => accounts.edit(caller, { firstName: 'New' }),
        endSession: () => accounts.endSession(caller, ownSessionId),
        setPassword: () =>
          accounts.setPassword(caller, {
            password: newId(),
            currentPassword: undefined,
            network: '192.0.2.1',
          }),
        endAllSessions: () => accounts.endAllSessions(caller),
      }),
    };
  };

  it('these tests cover every operation that changes the organization', async () => {
    const caller = (await callerBy.key()) ?? expect.fail('the caller is missing');
    const covered = Object.keys(changesOf(caller)).map((title) => title.replace(/ .*/, ''));
    // By the tests of presets, of calls and of sign-in.
    const tested: readonly Tag[] = ['Presets', 'Inference', 'Account', 'Operation'];
    const organizationChanges = Object.entries<Operation>(contract)
      .filter(([route, { tag }]) => !route.startsWith('GET ') && !tested.includes(tag))
      .map(([, { id }]) => id);
    expect([...new Set(covered)].toSorted(), 'changesOf must have every change').toEqual(
      organizationChanges.toSorted(),
    );
  });

  const cases = Object.keys(losses).flatMap((loss) =>
    (['session', 'key'] as const).map((by) => ({ loss, by })),
  );
  it.each(cases)('a caller by $by who $loss during the request changes nothing', async ({ loss, by }) => {
    const caller = (await callerBy[by]()) ?? expect.fail('the caller is missing');
    await acme.database.transaction(losses[loss]?.(caller) ?? '');
    const before = await acme.storage.audit.list(acme.organizationId, {}, 1_000);
    for (const [title, change] of Object.entries(changesOf(caller))) {
      // An org:member still has an account.
      if (loss === 'becomes an org:member' && title in accountOperations) continue;
      const error = await change().then(
        () => undefined,
        (reason) => reason,
      );
      expect([title, error]).toEqual([
        title,
        expect.objectContaining({ kind: expect.stringMatching(/^(unauthenticated|forbidden|not_found)$/) }),
      ]);
    }
    expect(await acme.storage.audit.list(acme.organizationId, {}, 1_000)).toEqual(before);
  });

  it.each(['session', 'key'] as const)('a caller by %s who keeps their rights can change all', async (by) => {
    const caller = (await callerBy[by]()) ?? expect.fail('the caller is missing');
    for (const change of Object.values(changesOf(caller))) await change();
  });
});
