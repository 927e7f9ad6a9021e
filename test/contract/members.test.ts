import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newUserId } from '../../src/core/identifiers.ts';
import {
  addMember,
  changeEmail,
  deactivateMember,
  importMembers,
  joinOrganization,
  type MemberImportResult,
  type MemberInput,
  type MemberRule,
  reactivateMember,
} from '../../src/core/organization/member-change.ts';
import type { Member } from '../../src/core/organization/organization.ts';
import { splitWords } from '../../src/core/text/words.ts';
import { engines } from '../support/engines.ts';
import { addMembers, newMember } from '../support/members.ts';
import { createOrganizationStorage, type OrganizationStorage } from '../support/organization-storage.ts';
import { owner, time } from '../support/preset-storage.ts';

const page = { offset: 0, limit: 1_000 };
const uniqueEmail = (name: string) => `${name}-${newUserId()}@example.com`;

describe.each(engines)('members on %s', (engine) => {
  let acme: OrganizationStorage;
  beforeAll(async () => {
    acme = await createOrganizationStorage(engine);
  });
  afterAll(() => acme.close());

  const join = (
    people: readonly MemberInput[],
    at = time(1),
    organizationId = acme.organizationId,
    storage = acme.storage,
  ) => storage.members.upsert(organizationId, acme.author, people, addMember(at));
  const count = async () => (await acme.storage.members.list(acme.organizationId, page))?.totalCount;

  /** Imports people as presetd does, and returns the outcome of each. */
  const importAll = async (people: readonly MemberInput[], updateExisting: boolean, at: string) => {
    const results: MemberImportResult[] = [];
    const rule = importMembers(updateExisting, at, (result) => results.push(result));
    const members = await acme.storage.members.upsert(acme.organizationId, acme.author, people, rule);
    return { outcomes: results.map(({ outcome }) => outcome), members };
  };

  describe('list', () => {
    it('lists members by joining time, then id, in pages with a total', async () => {
      const another = await acme.addOrganization();
      const list = (at = page) => acme.storage.members.list(another.organizationId, at);
      const people = Array.from({ length: 9 }, () => newMember());
      for (const [index, member] of people.entries())
        await addMembers(acme.storage, another.organizationId, [member], time(10 - Math.floor(index / 3)));
      const inOrder = [2, 1, 0].flatMap((third) =>
        people.slice(third * 3, third * 3 + 3).toSorted((one, other) => (one.id < other.id ? -1 : 1)),
      );
      const all = [another.admin, ...inOrder];
      expect(await list()).toEqual({ members: all, totalCount: 10 });
      expect(await list({ offset: 2, limit: 3 })).toEqual({ members: all.slice(2, 5), totalCount: 10 });
      for (const offset of [10, 11, 1_000_000])
        expect(await list({ offset, limit: 3 })).toEqual({ members: [], totalCount: 10 });
    });

    it('an unknown organization has no members', async () => {
      const nowhere = '00000000-0000-7000-8000-000000000000';
      expect(await acme.storage.members.list(nowhere, page)).toBeUndefined();
      expect(await acme.storage.members.find(nowhere, owner.id)).toBeUndefined();
    });
  });

  describe('find', () => {
    it('finds a member by id or email in any case, in their organization only', async () => {
      const another = await acme.addOrganization();
      const member = await acme.addMember({ email: uniqueEmail('Grace.Hopper') });
      for (const reference of [member.id, member.email, ` ${member.email.toUpperCase()} `]) {
        expect(await acme.storage.members.find(acme.organizationId, reference)).toEqual(member);
        expect(await acme.storage.members.find(another.organizationId, reference)).toBeUndefined();
      }
      for (const reference of ['', '%', member.id.toUpperCase(), `${member.id} `, "' OR 1=1 --"])
        expect(await acme.storage.members.find(acme.organizationId, reference)).toBeUndefined();
    });

    it('does not find a former member', async () => {
      const member = await acme.addMember();
      await acme.removeMember(member.id);
      expect(await acme.storage.members.find(acme.organizationId, member.id)).toBeUndefined();
      expect(await acme.storage.members.find(acme.organizationId, member.email)).toBeUndefined();
    });
  });

  describe('add', () => {
    it('adds members in the given order and writes their events in that order', async () => {
      const before = await count();
      const people = Array.from({ length: 30 }, (_, index) => ({
        email: uniqueEmail(`order-${29 - index}`),
        firstName: `First ${index}`,
        lastName: 'Größe 🙂',
        role: index % 2 ? ('org:admin' as const) : ('org:member' as const),
      }));
      const joined = await join(people, time(100));
      expect(joined).toEqual(
        people.map((person) => newMember({ ...person, id: expect.stringMatching(/^user_/) })),
      );
      expect(await count()).toBe((before ?? 0) + 30);
      const events = await acme.eventsAt(time(100));
      expect(events).toMatchObject(
        people.map(({ email, firstName, lastName, role }, index) => ({
          kind: 'member.added',
          workspaceId: null,
          subject: { id: joined[index]?.id, name: email },
          actorId: owner.id,
          keyLabel: acme.author.keyLabel,
          before: null,
          after: { email, first_name: firstName, last_name: lastName, role },
        })),
      );
      for (const member of joined)
        expect(await acme.storage.members.find(acme.organizationId, member?.email ?? '')).toEqual(member);
    });

    it('rejects a batch that contains an existing member and adds none of it', async () => {
      const member = await acme.addMember();
      const newcomer = { email: uniqueEmail('newcomer') };
      await expect(join([newcomer, { email: member.email.toUpperCase() }])).rejects.toMatchObject({
        kind: 'conflict',
        message: expect.stringContaining(member.email),
      });
      expect(await acme.storage.members.find(acme.organizationId, newcomer.email)).toBeUndefined();
    });

    it('adding no people returns an empty list', async () => {
      expect(await join([])).toEqual([]);
    });

    it('a former member returns as the same user, with new names if given, at the end of the list', async () => {
      const member = await acme.addMember({ firstName: 'Ada', lastName: 'Byron', role: 'org:admin' });
      await acme.removeMember(member.id);
      const [returned] = await join([{ email: member.email.toUpperCase(), lastName: 'L.' }], time(200));
      const expected: Member = { ...member, lastName: 'L.', role: 'org:member' };
      expect(returned).toEqual(expected);
      expect(await acme.storage.members.find(acme.organizationId, member.id)).toEqual(expected);
      expect((await acme.storage.members.list(acme.organizationId, page))?.members.at(-1)).toEqual(expected);
      await acme.removeMember(member.id, time(201));
      expect(await join([{ email: member.email, lastName: '' }])).toEqual([{ ...expected, lastName: '' }]);
    });

    it('the keys of a returning member stay disabled', async () => {
      const member = await acme.addMember();
      const key = acme.newKey({ ownerId: member.id });
      await acme.createKey(key);
      await acme.removeMember(member.id);
      await join([{ email: member.email }]);
      expect(await acme.storage.keys.find(key.secretHash)).toMatchObject({
        disabled: true,
        ownerRole: 'org:member',
      });
    });

    it('two processes that add the same people at once add them once', async () => {
      const before = await count();
      const emails = Array.from({ length: 5 }, (_, index) => uniqueEmail(`same-${index}`));
      const storages = [acme.storage, await acme.open()];
      const results = await Promise.allSettled(
        Array.from({ length: 8 }, (_, index) =>
          join(
            (index % 3 ? emails : emails.toReversed()).map((email) => ({ email })),
            time(300),
            acme.organizationId,
            storages[index % 2],
          ),
        ),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ kind: 'conflict' });
      expect(await count()).toBe((before ?? 0) + 5);
      expect(await acme.eventsAt(time(300))).toHaveLength(5);
    });

    it('a person added by several organizations at once is a single user', async () => {
      const organizations = [
        acme.organizationId,
        (await acme.addOrganization()).organizationId,
        (await acme.addOrganization()).organizationId,
      ];
      const emails = Array.from({ length: 6 }, (_, index) => uniqueEmail(`shared-${index}`));
      const storages = [acme.storage, await acme.open(), await acme.open()];
      const joined = await Promise.all(
        organizations.map((organizationId, index) =>
          join(
            (index === 1 ? emails.toReversed() : emails).map((email) => ({ email })),
            time(310),
            organizationId,
            storages[index],
          ),
        ),
      );
      const idsBy = joined.map((members) =>
        Object.fromEntries(members.map((member) => [member?.email, member?.id])),
      );
      expect(new Set(Object.values(idsBy[0] ?? {})).size).toBe(6);
      expect(idsBy[1]).toEqual(idsBy[0]);
      expect(idsBy[2]).toEqual(idsBy[0]);
    });

    it('a user has a separate role in each organization', async () => {
      const another = await acme.addOrganization();
      const member = await acme.addMember({ role: 'org:admin' });
      expect(await join([{ email: member.email }], time(1), another.organizationId)).toEqual([
        { ...member, role: 'org:member' },
      ]);
      await acme.editMember(member.id, { role: 'org:member' });
      await acme.storage.members.change(another.organizationId, member.id, acme.author, (current) => ({
        at: time(2),
        next: { ...current, role: 'org:admin' },
        events: [],
      }));
      expect(await acme.storage.members.find(acme.organizationId, member.id)).toMatchObject({
        role: 'org:member',
      });
      expect(await acme.storage.members.find(another.organizationId, member.id)).toMatchObject({
        role: 'org:admin',
      });
    });

    it('adds no member if the rule changes nothing', async () => {
      const [known, newcomer] = [await acme.addMember(), { email: uniqueEmail('ignored') }];
      const seen: unknown[] = [];
      const members = await acme.storage.members.upsert(
        acme.organizationId,
        acme.author,
        [newcomer, known],
        (person, current, isLastAdmin) => {
          seen.push([person, current, isLastAdmin]);
          return undefined;
        },
      );
      expect(seen).toEqual([
        [newcomer, undefined, false],
        [known, known, false],
      ]);
      expect(members).toEqual([undefined, known]);
      expect(await acme.storage.members.find(acme.organizationId, newcomer.email)).toBeUndefined();
    });
  });

  describe('import', () => {
    it('an import adds, updates or keeps each person, in order', async () => {
      const [same, other, left] = [
        await acme.addMember({ firstName: 'Same' }),
        await acme.addMember({ firstName: 'Other', lastName: 'Kept' }),
        await acme.addMember({ firstName: 'Left' }),
      ];
      await acme.removeMember(left.id);
      const people: readonly MemberInput[] = [
        { email: uniqueEmail('new'), firstName: 'New', role: 'org:admin' },
        { email: other.email, firstName: 'Changed', role: 'org:admin' },
        { email: same.email, firstName: 'Same' },
        { email: left.email },
      ];
      const careful = await importAll(people.slice(1, 3), false, time(400));
      expect(careful.outcomes).toEqual(['differs', 'unchanged']);
      expect(careful.members).toEqual([other, same]);
      expect(await acme.eventsAt(time(400))).toEqual([]);

      const { outcomes, members } = await importAll(people, true, time(401));
      expect(outcomes).toEqual(['added', 'updated', 'unchanged', 'added']);
      expect(members).toMatchObject([
        { firstName: 'New', role: 'org:admin' },
        { ...other, firstName: 'Changed', role: 'org:admin' },
        same,
        { ...left, firstName: 'Left' },
      ]);
      for (const member of members)
        expect(await acme.storage.members.find(acme.organizationId, member?.id ?? '')).toEqual(member);
      expect((await acme.eventsAt(time(401))).map(({ kind, subject }) => [kind, subject.name])).toEqual([
        ['member.added', people[0]?.email],
        ['member.renamed', other.email],
        ['member.role_changed', other.email],
        ['member.added', left.email],
      ]);
    });
  });

  describe('change', () => {
    it('changes a member by id or email, and returns and logs the change', async () => {
      const member = await acme.addMember({ firstName: 'Before' });
      const details = { firstName: 'After', lastName: 'X', role: 'org:admin' } as const;
      const changed = await acme.editMember(member.email.toUpperCase(), details, time(500));
      expect(changed).toEqual({ ...member, ...details });
      expect(await acme.storage.members.find(acme.organizationId, member.id)).toEqual(changed);
      expect(await acme.eventsAt(time(500))).toMatchObject([
        {
          kind: 'member.renamed',
          subject: { id: member.id, name: member.email },
          before: { first_name: 'Before', last_name: '' },
          after: { first_name: 'After', last_name: 'X' },
        },
        { kind: 'member.role_changed', before: { role: 'org:member' }, after: { role: 'org:admin' } },
      ]);
      expect(await acme.editMember(member.id, details, time(501))).toEqual(changed);
      expect(await acme.eventsAt(time(501))).toEqual([]);
    });

    it('changing an unknown or foreign member returns undefined without running the rule', async () => {
      const another = await acme.addOrganization();
      const mustNotRun = () => expect.fail('the rule must not run');
      for (const reference of ['user_nobody', 'nobody@example.com', another.admin.id, another.admin.email])
        expect(
          await acme.storage.members.change(acme.organizationId, reference, acme.author, mustNotRun),
        ).toBeUndefined();
    });

    it('a changed member keeps their position in the list', async () => {
      const first = (await acme.storage.members.list(acme.organizationId, page))?.members[0];
      await acme.editMember(owner.id, { firstName: 'Augusta' });
      const list = await acme.storage.members.list(acme.organizationId, page);
      expect(list?.members[0]).toEqual({ ...first, firstName: 'Augusta' });
      await acme.editMember(owner.id, { firstName: owner.firstName });
    });
  });

  describe('remove', () => {
    it('a member who leaves loses keys and workspaces, and counts stay correct', async () => {
      const before = await count();
      const member = await acme.addMember({ role: 'org:admin' });
      const room = await acme.createWorkspace('leaving');
      await acme.createWorkspace('leaving-not');
      const another = await acme.addOrganization();
      await join([{ email: member.email, role: 'org:admin' }], time(1), another.organizationId);
      const theirs = acme.newKey({
        ownerId: member.id,
        kind: 'management',
        organizationId: another.organizationId,
      });
      await acme.storage.keys.create(theirs, acme.author, () => ({
        addsOwnerToWorkspace: false,
        events: [],
      }));
      const elsewhere = await acme.createWorkspace('elsewhere', {
        organizationId: another.organizationId,
        createdBy: member.id,
      });
      const keys = [
        acme.newKey({ ownerId: member.id, createdAt: time(10) }),
        acme.newKey({ ownerId: member.id, workspaceId: room.id, createdAt: time(11) }),
        acme.newKey({ ownerId: member.id, kind: 'management', createdAt: time(12) }),
        acme.newKey({ ownerId: member.id, createdAt: time(13), disabled: true }),
      ];
      for (const key of keys) await acme.createKey(key);
      expect(await acme.storage.workspaces.find(acme.organizationId, room.id)).toMatchObject({
        memberCount: 2,
      });

      expect(await acme.removeMember(member.email, time(600))).toEqual(member);

      expect(await count()).toBe(before);
      expect(await acme.storage.workspaces.find(acme.organizationId, room.id)).toEqual(room);
      expect(await acme.storage.workspaces.members(room, page)).toMatchObject([{ userId: owner.id }]);
      for (const [index, key] of keys.entries()) {
        expect(await acme.storage.keys.find(key.secretHash)).toMatchObject({
          disabled: true,
          ownerRole: null,
          workspaceRoles: {},
        });
        expect(await acme.storage.keys.get(acme.organizationId, key.id)).toMatchObject({
          updatedAt: index === 3 ? null : time(600),
          ownerHasAccess: false,
          ownerEmail: member.email,
        });
      }
      const [removed, ...disabled] = await acme.eventsAt(time(600));
      expect(removed).toMatchObject({
        kind: 'member.removed',
        subject: { id: member.id, name: member.email },
        before: { email: member.email, role: 'org:admin' },
        after: null,
      });
      expect(disabled.map(({ kind }) => kind)).toEqual(Array(3).fill('key.disabled'));
      expect(new Set(disabled.map(({ subject }) => subject.id))).toEqual(
        new Set(keys.slice(0, 3).map(({ id }) => id)),
      );
      expect(new Set(disabled.map(({ workspaceId }) => workspaceId))).toEqual(
        new Set([acme.workspace.workspaceId, room.id, null]),
      );

      // Their keys and workspaces in another organization are unaffected.
      expect(await acme.storage.keys.find(theirs.secretHash)).toMatchObject({
        disabled: false,
        ownerRole: 'org:admin',
      });
      expect(await acme.storage.workspaces.find(another.organizationId, elsewhere.id)).toMatchObject({
        memberCount: 1,
      });
    });

    it('several processes that remove the same member at once remove them once', async () => {
      const member = await acme.addMember();
      const storages = [acme.storage, await acme.open()];
      const before = await count();
      const removals = await Promise.all(
        Array.from({ length: 6 }, (_, index) => acme.removeMember(member.id, time(610), storages[index % 2])),
      );
      expect(removals.filter((removal) => removal !== undefined)).toEqual([member]);
      expect(await acme.eventsAt(time(610))).toHaveLength(1);
      expect(await count()).toBe((before ?? 0) - 1);
    });
  });

  describe('deactivate', () => {
    const apply = (idOrEmail: string, rule: MemberRule, at = time(700)) =>
      acme.storage.members.change(acme.organizationId, idOrEmail, acme.author, (current, isLastAdmin) =>
        rule(current, isLastAdmin, at),
      );

    it('a member is deactivated and reactivated, and every read shows it', async () => {
      const member = await acme.addMember({ firstName: 'Deactivated', workspaceRole: 'viewer' });
      const found = () => acme.storage.members.find(acme.organizationId, member.email);
      const searched = async () =>
        (await acme.storage.members.search(acme.organizationId, ['deactivated'], page))?.members;
      const listed = async () =>
        (await acme.storage.members.list(acme.organizationId, page))?.members.filter(
          ({ id }) => id === member.id,
        );
      const deactivated: Member = { ...member, deactivatedAt: time(700) };

      expect(await apply(member.id, deactivateMember)).toEqual(deactivated);
      expect([await found()]).toEqual([deactivated]);
      expect(await searched()).toEqual([deactivated]);
      expect(await listed()).toEqual([deactivated]);

      expect(await apply(member.id, reactivateMember, time(701))).toEqual(member);
      expect([await found()]).toEqual([member]);
      expect(await listed()).toEqual([member]);
      expect(await acme.eventsAt(time(700))).toMatchObject([
        { kind: 'member.deactivated', before: { active: true }, after: { active: false } },
      ]);
      expect(await acme.eventsAt(time(701))).toMatchObject([{ kind: 'member.reactivated' }]);
    });

    it('a member who is removed while deactivated returns as an active one', async () => {
      const member = await acme.addMember();
      await apply(member.id, deactivateMember);
      await acme.removeMember(member.id);
      expect(await join([{ email: member.email }])).toEqual([member]);
    });
  });

  describe('changeEmail', () => {
    const change = (id: string, email: string) =>
      acme.storage.members.change(acme.organizationId, id, acme.author, (current) =>
        changeEmail(email)(current, false, time(710)),
      );

    it('a member is found by the new address only', async () => {
      const member = await acme.addMember({ email: uniqueEmail('old') });
      const email = uniqueEmail('Renamed');
      const changed = { ...member, email };
      expect(await change(member.id, email)).toEqual(changed);
      expect(await acme.storage.members.find(acme.organizationId, email.toLowerCase())).toEqual(changed);
      expect(await acme.storage.members.find(acme.organizationId, member.email)).toBeUndefined();
      const words = splitWords(email);
      const { members } = (await acme.storage.members.search(acme.organizationId, words, page)) ?? {};
      expect(members).toEqual([changed]);
    });

    it('rejects the address of another user, even of another organization', async () => {
      const member = await acme.addMember();
      const another = await acme.addOrganization();
      for (const { email } of [owner, another.admin])
        await expect(change(member.id, email.toUpperCase())).rejects.toMatchObject({
          kind: 'conflict',
          message: `Another user, possibly a former member, has the address ${email}. Add ${email} as a member instead, or choose another address.`,
        });
      expect(await acme.storage.members.find(acme.organizationId, member.id)).toEqual(member);
    });

    it('the address of somebody who belongs to another organization can only change its case', async () => {
      const member = await acme.addMember();
      const another = await acme.addOrganization();
      await acme.storage.members.upsert(another.organizationId, acme.author, [member], addMember(time(711)));
      await expect(change(member.id, uniqueEmail('other'))).rejects.toMatchObject({
        kind: 'forbidden',
        message: `The address of ${member.email} is managed outside this organization and cannot be changed here. Ask the operator.`,
      });
      const email = member.email.toUpperCase();
      expect(await change(member.id, email)).toEqual({ ...member, email });
    });
  });

  describe('the last org:admin', () => {
    let small: OrganizationStorage;
    beforeEach(async () => {
      small = await createOrganizationStorage(engine);
      return () => small.close();
    });
    const admins = async () =>
      (await small.storage.members.list(small.organizationId, page))?.members.filter(
        ({ role }) => role === 'org:admin',
      );

    it('the last org:admin can be neither removed nor demoted', async () => {
      await small.addMember();
      const refusal = { kind: 'conflict', message: expect.stringContaining(owner.email) };
      await expect(small.removeMember(owner.id)).rejects.toMatchObject(refusal);
      await expect(small.editMember(owner.email, { role: 'org:member' })).rejects.toMatchObject(refusal);
      expect(await small.editMember(owner.id, { firstName: 'Still' })).toMatchObject({ role: 'org:admin' });
      expect(await admins()).toHaveLength(1);
    });

    it('deactivated admins do not count towards the last org:admin', async () => {
      const other = await small.addMember({ role: 'org:admin' });
      const deactivate = (id: string) =>
        small.storage.members.change(small.organizationId, id, small.author, (current, isLastAdmin) =>
          deactivateMember(current, isLastAdmin, time(3)),
        );
      expect(await deactivate(owner.id)).toMatchObject({ deactivatedAt: time(3) });
      for (const change of [
        deactivate(other.id),
        small.removeMember(other.id),
        small.editMember(other.id, { role: 'org:member' }),
      ])
        await expect(change).rejects.toMatchObject({ kind: 'conflict' });
      expect(await small.storage.organizations.first()).toMatchObject({ admin: other });
      const people = [{ email: other.email, role: 'org:member' as const }];
      const seen: boolean[] = [];
      await small.storage.members.upsert(
        small.organizationId,
        small.author,
        people,
        (_person, _known, last) => {
          seen.push(last);
          return undefined;
        },
      );
      expect(seen).toEqual([true]);
      expect(await small.removeMember(owner.id)).toMatchObject({ id: owner.id });
    });

    it('admins of other organizations do not count towards the last org:admin', async () => {
      await small.addOrganization();
      await expect(small.removeMember(owner.id)).rejects.toMatchObject({ kind: 'conflict' });
      const { id } = await small.addMember({ role: 'org:admin' });
      expect(await small.removeMember(owner.id)).toMatchObject({ id: owner.id });
      await expect(small.removeMember(id)).rejects.toMatchObject({ kind: 'conflict' });
    });

    it.each(['remove', 'demote', 'either'] as const)(
      'two processes that each %s one of two admins at once leave one',
      async (kind) => {
        const other = await small.addMember({ role: 'org:admin' });
        const storages = [small.storage, await small.open()];
        const results = await Promise.allSettled(
          [owner, other].map(({ id }, index) =>
            kind === 'remove' || (kind === 'either' && index === 0)
              ? small.removeMember(id, time(3), storages[index])
              : small.editMember(id, { role: 'org:member' }, time(3), storages[index]),
          ),
        );
        expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        for (const result of results)
          if (result.status === 'rejected') expect(result.reason).toMatchObject({ kind: 'conflict' });
        expect(await admins()).toHaveLength(1);
      },
    );

    it('an import recognizes the last org:admin at each step', async () => {
      const [one, two] = [
        await small.addMember({ role: 'org:admin' }),
        await small.addMember({ role: 'org:admin' }),
      ];
      const results: MemberImportResult[] = [];
      const demote = ({ email }: MemberInput): MemberInput => ({ email, role: 'org:member' });
      const newcomer: MemberInput = { email: uniqueEmail('newcomer'), role: 'org:admin' };
      const importInto = (people: readonly MemberInput[]) =>
        small.storage.members.upsert(
          small.organizationId,
          small.author,
          people,
          importMembers(true, time(4), (result) => results.push(result)),
        );
      await importInto([one, owner, two].map(demote));
      expect(results.map(({ outcome }) => outcome)).toEqual(['updated', 'updated', 'refused']);
      expect(results[2]?.message).toContain(two.email);
      expect(await admins()).toMatchObject([{ id: two.id }]);
      await importInto([demote(two), newcomer]);
      expect(results.slice(3).map(({ outcome }) => outcome)).toEqual(['refused', 'added']);
      await importInto([demote(two), demote(newcomer)]);
      expect(results.slice(5).map(({ outcome }) => outcome)).toEqual(['updated', 'refused']);
      expect(await admins()).toMatchObject([{ email: newcomer.email }]);
    });

    it('an import does not treat an admin as the last org:admin while others remain', async () => {
      const many = Array.from({ length: 12 }, () => newMember({ role: 'org:admin' }));
      await addMembers(small.storage, small.organizationId, many);
      const seen: boolean[] = [];
      await small.storage.members.upsert(
        small.organizationId,
        small.author,
        many.slice(0, 3),
        (person, known, isLastAdmin) => {
          seen.push(isLastAdmin);
          return known && joinOrganization({ ...person, role: 'org:member' }, known, time(5));
        },
      );
      expect(seen).toEqual([false, false, false]);
      expect(await admins()).toHaveLength(10);
    });
  });
});
