import { expect, it } from 'vitest';
import { adminCaller } from '../../../test/support/callers.ts';
import type { Authenticator } from './authenticate.ts';
import type { ResolvedKey } from './caller.ts';
import type { ExistingUser, MemberInput } from './member-change.ts';
import { createMembers } from './members.ts';
import type { MemberStore } from './organization-storage.ts';

const at = '2026-01-02T00:00:00.000Z';
const caller = adminCaller;

/**
 * Members over a store that knows these users. Collects upserted addresses and invalidated owners.
 */
function membersOver(known: readonly ExistingUser[], retries = false) {
  const given: string[][] = [];
  const invalidated: string[] = [];
  const absent = () => expect.fail('not expected to be called');
  const store: MemberStore = {
    list: absent,
    search: absent,
    index: absent,
    find: absent,
    change: absent,
    async upsert(_organizationId, _author, people, decide) {
      given.push(people.map(({ email }) => email));
      const decideAll = () =>
        people.map(
          (person) =>
            decide(
              person,
              known.find(({ email }) => email === person.email.toLowerCase()),
              false,
            )?.next ?? undefined,
        );
      if (retries) decideAll();
      return decideAll();
    },
  };
  const authenticator: Authenticator = {
    authenticate: absent,
    authenticateSession: absent,
    reauthenticate: absent,
    async invalidateAfter(write, isAffected) {
      const result = await write;
      const keyOf = ({ id }: ExistingUser): ResolvedKey => ({ ...caller, ownerId: id });
      invalidated.push(...known.filter((person) => isAffected(keyOf(person), result)).map(({ id }) => id));
      return result;
    },
  };
  return { members: createMembers(store, () => at, authenticator), given, invalidated };
}

const ada: ExistingUser = {
  id: 'user_ada',
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: '',
  role: 'org:admin',
  workspaceRole: 'admin',
  deactivatedAt: null,
};
const bob: ExistingUser = { ...ada, id: 'user_bob', email: 'bob@example.com', role: 'org:member' };

it('an import keeps the order of the request and the first person with each address', async () => {
  const { members, given } = membersOver([]);
  const people: readonly MemberInput[] = [
    'A@x.com',
    'b@x.com',
    'c@x.com',
    'a@x.com',
    'b@x.com',
    'd@x.com',
  ].map((email) => ({ email }));
  const results = await members.import(caller, people, true);
  expect(given).toEqual([['A@x.com', 'b@x.com', 'c@x.com', 'd@x.com']]);
  expect(results.map(({ email, outcome }) => [email, outcome])).toEqual([
    ['A@x.com', 'added'],
    ['b@x.com', 'added'],
    ['c@x.com', 'added'],
    ['a@x.com', 'refused'],
    ['b@x.com', 'refused'],
    ['d@x.com', 'added'],
  ]);
});

it('an import reports each person once, even if the transaction is retried', async () => {
  const { members } = membersOver([ada, bob], true);
  const results = await members.import(
    caller,
    [{ email: 'ada@example.com' }, { email: 'BOB@example.com', firstName: 'Bob' }, { email: 'eva@x.com' }],
    false,
  );
  expect(results).toEqual([
    { email: 'ada@example.com', outcome: 'unchanged' },
    { email: 'BOB@example.com', outcome: 'differs' },
    { email: 'eva@x.com', outcome: 'added' },
  ]);
});

it('an import invalidates the cached keys of the members it changed', async () => {
  const { members, invalidated } = membersOver([ada, bob]);
  const people: readonly MemberInput[] = [{ email: ada.email }, { email: bob.email, role: 'org:admin' }];
  await members.import(caller, people, true);
  expect(invalidated).toEqual(['user_bob']);
});

it.each([
  [{ email: 'no address' }, '/members/1/email'],
  [{ email: 'a\u0000@x.com' }, '/members/1/email'],
  [{ email: 'a@x.com', firstName: 'two\nlines' }, '/members/1/first_name'],
  [{ email: 'a@x.com', lastName: '\u0000' }, '/members/1/last_name'],
  [{ email: 'a@x.com', lastName: '\ud800' }, '/members/1/last_name'],
])('an import with the invalid person %j adds nobody', async (person, path) => {
  const { members, given } = membersOver([]);
  await expect(members.import(caller, [{ email: 'ok@x.com' }, person], false)).rejects.toMatchObject({
    kind: 'invalid_request',
    issues: [{ path }],
  });
  expect(given).toEqual([]);
});
