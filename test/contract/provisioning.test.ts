import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import type { GroupMapping } from '../../src/core/organization/group-roles.ts';
import type { GroupInput, ProvisionedGroup } from '../../src/core/provisioning/provisioned-group.ts';
import {
  changeUser,
  type ProvisionedUser,
  provisionUser,
  removeUser,
  type UserInput,
} from '../../src/core/provisioning/provisioned-user.ts';
import { engines } from '../support/engines.ts';
import { createOrganizationStorage, type OrganizationStorage } from '../support/organization-storage.ts';
import { owner, time } from '../support/preset-storage.ts';

const page = { offset: 0, limit: 1_000 };

function userOf(userName: string, details: Partial<UserInput> = {}): UserInput {
  const email = `${userName.toLowerCase()}@example.com`;
  return {
    userName,
    externalId: `id of ${userName}`,
    email,
    firstName: 'First',
    lastName: 'Last',
    isActive: true,
    attributes: { emails: [{ value: email, type: 'work', primary: true }], title: 'Größe 🙂' },
    ...details,
  };
}

describe.each(engines)('provisioned users and groups on %s', (engine) => {
  let acme: OrganizationStorage;
  beforeAll(async () => {
    acme = await createOrganizationStorage(engine);
  });
  afterAll(() => acme.close());

  const store = () => acme.storage.provisioning;
  const create = (input: UserInput, at = time(1), storage = acme.storage) =>
    storage.provisioning.createUser(acme.organizationId, input.email, acme.author, (...context) =>
      provisionUser(input, ...context, at),
    );
  const change = (id: string, input: UserInput, at = time(2)) =>
    store().changeUser(acme.organizationId, id, acme.author, (current, isLastAdmin) =>
      changeUser(input, current, isLastAdmin, at),
    );
  const remove = (id: string) =>
    store().changeUser(acme.organizationId, id, acme.author, (current, isLastAdmin) =>
      removeUser(current, isLastAdmin, time(3)),
    );
  const get = async (id: string): Promise<ProvisionedUser | undefined> =>
    (await store().findUsers(acme.organizationId, { by: 'id', value: id }))[0];
  const writeGroup = (
    input: GroupInput | null,
    { id = newId(), at = time(4), mappings = [] as readonly GroupMapping[] } = {},
  ) => store().changeGroup(acme.organizationId, id, acme.author, at, () => input, mappings);
  const createGroup = async (displayName: string, memberIds: readonly string[] = [], options = {}) => {
    const result = await writeGroup({ displayName, externalId: null, memberIds }, options);
    if (result === undefined) throw new Error('the group is missing');
    return result.group;
  };
  const getGroup = async (id: string): Promise<ProvisionedGroup | undefined> =>
    (await store().findGroups(acme.organizationId, { by: 'id', value: id }, true))[0];

  describe('users', () => {
    it('a new user is a member, and is read as they were written', async () => {
      const user = await create(userOf('New'), time(10));
      expect(await get(user.member.id)).toEqual(user);
      expect(await acme.storage.members.find(acme.organizationId, 'new@example.com')).toEqual(user.member);
      expect((await acme.eventsAt(time(10))).map(({ kind }) => kind)).toEqual([
        'member.added',
        'member.provisioned',
      ]);
      const people = await acme.storage.members.search(acme.organizationId, ['first', 'new'], page);
      expect(people?.members).toEqual([user.member]);
    });

    it('a user is found by every index, in their organization only', async () => {
      const emails = [{ value: 'Found@example.com' }, { value: 'second@example.com' }];
      const user = await create(userOf('Found', { attributes: { emails } }));
      const another = await acme.addOrganization();
      for (const lookup of [
        { by: 'id', value: user.member.id },
        { by: 'userName', value: 'FOUND' },
        { by: 'externalId', value: 'id of Found' },
        { by: 'email', value: 'FOUND@example.com' },
        { by: 'email', value: 'Second@example.com' },
      ] as const) {
        expect(await store().findUsers(acme.organizationId, lookup)).toEqual([user]);
        expect(await store().findUsers(another.organizationId, lookup)).toEqual([]);
      }
      expect(
        await store().findUsers(acme.organizationId, { by: 'externalId', value: 'ID OF FOUND' }),
      ).toEqual([]);
    });

    it('several users can have the same additional address', async () => {
      const shared = { value: 'shared@example.com' };
      const users = [];
      for (const name of ['share-1', 'share-2'])
        users.push(
          await create(
            userOf(name, {
              attributes: { emails: [{ value: `${name}@example.com`, primary: true }, shared] },
            }),
          ),
        );
      const found = await store().findUsers(acme.organizationId, { by: 'email', value: shared.value });
      expect(new Set(found.map(({ userName }) => userName))).toEqual(new Set(['share-1', 'share-2']));
    });

    it('a change is stored with everything that follows, and found under the new names only', async () => {
      const { member } = await create(userOf('before'));
      const input = userOf('After', { isActive: false, firstName: 'Changed', externalId: null });
      const changed = await change(member.id, input, time(20));
      expect(changed).toMatchObject({
        member: { email: 'after@example.com', firstName: 'Changed', deactivatedAt: time(20) },
        userName: 'After',
        externalId: null,
        updatedAt: time(20),
      });
      expect(await get(member.id)).toEqual(changed);
      for (const lookup of [
        { by: 'userName', value: 'before' },
        { by: 'externalId', value: 'id of before' },
        { by: 'email', value: 'before@example.com' },
      ] as const)
        expect(await store().findUsers(acme.organizationId, lookup)).toEqual([]);
      expect(await change(member.id, input, time(21))).toEqual(changed);
      expect(await acme.eventsAt(time(21))).toEqual([]);
      expect(await change('user_unknown', input)).toBeUndefined();
    });

    it('a name, an external id or an address that is taken is a conflict that changes nothing', async () => {
      const one = await create(userOf('taken'));
      const two = await create(userOf('taker'));
      const count = (await store().listUsers(acme.organizationId, page)).totalCount;
      for (const details of [
        { userName: 'TAKEN' },
        { externalId: 'id of taken' },
        { email: 'Taken@example.com' },
      ]) {
        const input = userOf('fresh', details);
        await expect(create(input, time(30))).rejects.toMatchObject({ kind: 'conflict' });
        await expect(
          change(two.member.id, { ...userOf('taker'), ...details }, time(30)),
        ).rejects.toMatchObject({
          kind: 'conflict',
        });
      }
      expect([await get(one.member.id), await get(two.member.id)]).toEqual([one, two]);
      expect((await store().listUsers(acme.organizationId, page)).totalCount).toBe(count);
      expect(await acme.eventsAt(time(30))).toEqual([]);
      expect(await acme.storage.members.find(acme.organizationId, 'fresh@example.com')).toBeUndefined();
    });

    it('two processes that create the same user at once create one', async () => {
      const storages = [acme.storage, await acme.open()];
      const results = await Promise.allSettled(
        Array.from({ length: 6 }, (_, index) => create(userOf('raced'), time(40), storages[index % 2])),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ kind: 'conflict' });
    });

    it('removing a user removes the member, and removing the member removes the user', async () => {
      const [one, two] = [await create(userOf('removed-1')), await create(userOf('removed-2'))];
      const group = await createGroup('of the removed', [one.member.id, two.member.id]);
      expect(await remove(one.member.id)).toEqual({
        ...one,
        groups: [{ id: group.id, displayName: group.displayName }],
      });
      await acme.removeMember(two.member.id);
      for (const { member } of [one, two]) {
        expect(await get(member.id)).toBeUndefined();
        expect(await acme.storage.members.find(acme.organizationId, member.id)).toBeUndefined();
      }
      expect((await getGroup(group.id))?.members).toEqual([]);
      expect((await create(userOf('removed-1'))).member.id).toBe(one.member.id);
    });

    it('users are listed by creation, in pages with a total', async () => {
      const another = await createOrganizationStorage(engine);
      const users = [];
      for (const [index, name] of ['c', 'a', 'b'].entries())
        users.push(
          await another.storage.provisioning.createUser(
            another.organizationId,
            `${name}@example.com`,
            another.author,
            (...context) => provisionUser(userOf(name), ...context, time(10 + index)),
          ),
        );
      const list = (offset: number, limit: number) =>
        another.storage.provisioning.listUsers(another.organizationId, { offset, limit });
      expect(await list(0, 10)).toEqual({ users, totalCount: 3 });
      expect(await list(1, 1)).toEqual({ users: [users[1]], totalCount: 3 });
      expect(await list(3, 10)).toEqual({ users: [], totalCount: 3 });
      await another.close();
    });
  });

  describe('groups', () => {
    it('a group is read as it was written, with or without its members', async () => {
      const users = [await create(userOf('g-1')), await create(userOf('g-2'))];
      const ids = users.map(({ member }) => member.id);
      const group = await createGroup('Read', ids);
      expect(group.members.map(({ id }) => id)).toEqual(ids.toSorted());
      expect(await getGroup(group.id)).toEqual(group);
      const lookup = { by: 'displayName', value: 'READ' } as const;
      expect(await store().findGroups(acme.organizationId, lookup, true)).toEqual([group]);
      expect(await store().findGroups(acme.organizationId, lookup, false)).toEqual([
        { ...group, members: [] },
      ]);
      expect((await get(ids[0] ?? ''))?.groups).toEqual([{ id: group.id, displayName: 'Read' }]);
      const { groups } = await store().listGroups(acme.organizationId, page, true);
      expect(groups).toContainEqual(group);
      expect(await getGroup('not a uuid')).toBeUndefined();
    });

    it('members join and leave, and names are unique in any case', async () => {
      const [ann, bob] = [await create(userOf('m-1')), await create(userOf('m-2'))];
      const group = await createGroup('Changing', [ann.member.id]);
      const input = { displayName: 'Changed', externalId: 'x9', memberIds: [bob.member.id] };
      const result = await writeGroup(input, { id: group.id, at: time(50) });
      expect(result?.affectedIds).toEqual([]);
      expect(await getGroup(group.id)).toEqual(result?.group);
      expect(result?.group.members).toEqual([{ id: bob.member.id, email: bob.member.email }]);
      expect((await acme.eventsAt(time(50))).map(({ kind }) => kind)).toEqual([
        'group.renamed',
        'group.member_added',
        'group.member_removed',
      ]);
      await expect(createGroup('CHANGED')).rejects.toMatchObject({ kind: 'conflict' });
      await expect(createGroup('Strangers', [owner.id])).rejects.toMatchObject({ kind: 'invalid_request' });
      await writeGroup(null, { id: group.id });
      expect(await getGroup(group.id)).toBeUndefined();
    });

    it('groups of the settings decide the roles of their members', async () => {
      const shop = await acme.createWorkspace('scim-shop');
      const { member } = await create(userOf('mapped'));
      const mappings: readonly GroupMapping[] = [
        { name: 'admins', role: 'org:admin', workspaces: {} },
        {
          name: 'writers',
          role: undefined,
          workspaces: { default: 'editor', 'scim-shop': 'admin', none: 'admin' },
        },
      ];
      const roles = async () => {
        const found = await acme.storage.members.find(acme.organizationId, member.id);
        const inShop = (await acme.storage.workspaces.members(shop, page)).find(
          ({ userId }) => userId === member.id,
        );
        return [found?.role, found?.workspaceRole, inShop?.workspaceRole];
      };
      await createGroup('everyone', [member.id], { mappings });
      expect(await roles()).toEqual(['org:member', 'viewer', undefined]);
      const writers = await createGroup('writers', [member.id], { mappings });
      expect(await roles()).toEqual(['org:member', 'editor', 'admin']);
      const admins = await writeGroup(
        { displayName: 'admins', externalId: null, memberIds: [member.id] },
        { mappings, at: time(60) },
      );
      expect(admins?.affectedIds).toEqual([member.id]);
      expect((await acme.storage.members.find(acme.organizationId, member.id))?.role).toBe('org:admin');
      await writeGroup(
        { displayName: 'others', externalId: null, memberIds: [member.id] },
        { id: admins?.group.id ?? '', mappings },
      );
      await writeGroup(null, { id: writers.id, mappings, at: time(61) });
      expect(await roles()).toEqual(['org:member', 'viewer', undefined]);
      expect(await acme.eventsAt(time(60))).toMatchObject([
        { kind: 'group.created' },
        { kind: 'group.member_added' },
        { kind: 'member.role_changed', after: { role: 'org:admin', provider: 'scim', groups: 'admins' } },
      ]);
      const cause = { provider: 'scim', groups: null };
      expect(await acme.eventsAt(time(61))).toMatchObject([
        { kind: 'group.deleted' },
        { kind: 'workspace.member_role_changed', after: { role: 'viewer', ...cause } },
        { kind: 'workspace.member_removed', before: { email: member.email }, after: cause },
      ]);
    });

    it('a group that loses all its admins keeps the last one of the organization', async () => {
      const small = await createOrganizationStorage(engine);
      const mappings: readonly GroupMapping[] = [{ name: 'admins', role: 'org:admin', workspaces: {} }];
      const ids = [];
      for (const name of ['a-1', 'a-2']) {
        const input = userOf(name);
        const { member } = await small.storage.provisioning.createUser(
          small.organizationId,
          input.email,
          small.author,
          (...context) => provisionUser(input, ...context, time(1)),
        );
        ids.push(member.id);
      }
      const id = newId();
      const write = (memberIds: readonly string[]) =>
        small.storage.provisioning.changeGroup(
          small.organizationId,
          id,
          small.author,
          time(2),
          () => ({ displayName: 'admins', externalId: null, memberIds }),
          mappings,
        );
      await write(ids);
      await small.removeMember(owner.id);
      await write([]);
      const { members = [] } = (await small.storage.members.list(small.organizationId, page)) ?? {};
      expect(members.map(({ role }) => role).sort()).toEqual(['org:admin', 'org:member']);
      await small.close();
    });
  });
});
