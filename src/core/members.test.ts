import { expect, it } from 'vitest';
import { adminCaller } from '../../test/support/callers.ts';
import type { ResolvedKey } from './api-key.ts';
import type { Authenticator } from './authenticate.ts';
import type { ExistingUser, MemberInput } from './member-change.ts';
import { createMembers } from './members.ts';
import type { MemberStore } from './storage.ts';

const at = '2026-01-02T00:00:00.000Z';
const caller = adminCaller;

/** A manager over members of whom these are known; it tells who was asked for, and whose keys were concerned. */
function managing(known: readonly ExistingUser[], asksTwice = false) {
  const given: string[][] = [];
  const concerned: string[] = [];
  const absent = () => expect.fail('not asked for');
  const members: MemberStore = {
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
      if (asksTwice) decideAll();
      return decideAll();
    },
  };
  const authenticator: Authenticator = {
    authenticate: absent,
    async invalidateAfter(work, concerns) {
      const result = await work;
      const keyOf = ({ id }: ExistingUser): ResolvedKey => ({ ...caller, ownerId: id });
      concerned.push(...known.filter((person) => concerns(keyOf(person))).map(({ id }) => id));
      return result;
    },
  };
  return { manager: createMembers(members, () => at, authenticator), given, concerned };
}

const ada: ExistingUser = {
  id: 'user_ada',
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: '',
  role: 'org:admin',
};
const bob: ExistingUser = { ...ada, id: 'user_bob', email: 'bob@example.com', role: 'org:member' };

it('an import keeps the order in which people are given, the first of each address', async () => {
  const { manager, given } = managing([]);
  const people: readonly MemberInput[] = [
    'A@x.com',
    'b@x.com',
    'c@x.com',
    'a@x.com',
    'b@x.com',
    'd@x.com',
  ].map((email) => ({ email }));
  const results = await manager.import(caller, people, true);
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

it('an import tells of each once, also when the rule is asked again', async () => {
  const { manager } = managing([ada, bob], true);
  const results = await manager.import(
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

it('an import lets no key of those be believed whom it changed', async () => {
  const { manager, concerned } = managing([ada, bob]);
  const people: readonly MemberInput[] = [{ email: ada.email }, { email: bob.email, role: 'org:admin' }];
  await manager.import(caller, people, true);
  expect(concerned).toEqual(['user_bob']);
});

it.each([
  [{ email: 'no address' }, '/members/1/email'],
  [{ email: 'a\u0000@x.com' }, '/members/1/email'],
  [{ email: 'a@x.com', firstName: 'two\nlines' }, '/members/1/first_name'],
  [{ email: 'a@x.com', lastName: '\u0000' }, '/members/1/last_name'],
  [{ email: 'a@x.com', lastName: '\ud800' }, '/members/1/last_name'],
])('an import with %j adds nobody', async (person, path) => {
  const { manager, given } = managing([]);
  await expect(manager.import(caller, [{ email: 'ok@x.com' }, person], false)).rejects.toMatchObject({
    kind: 'invalid_request',
    issues: [{ path }],
  });
  expect(given).toEqual([]);
});
