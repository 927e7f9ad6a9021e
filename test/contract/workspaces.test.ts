import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultContentLog } from '../../src/core/content-log/content-log-settings.ts';
import { newId } from '../../src/core/identifiers.ts';
import { newSecret } from '../../src/core/organization/api-key.ts';
import { editKey, rotateKey } from '../../src/core/organization/key-change.ts';
import type { Workspace } from '../../src/core/organization/workspace.ts';
import {
  deleteWorkspace,
  editWorkspace,
  type WorkspaceCandidate,
} from '../../src/core/organization/workspace-change.ts';
import { edit } from '../../src/core/presets/preset-change.ts';
import { engines } from '../support/engines.ts';
import { testAuthor } from '../support/members.ts';
import { createOrganizationStorage, type OrganizationStorage } from '../support/organization-storage.ts';
import { owner, time } from '../support/preset-storage.ts';

const page = { offset: 0, limit: 1_000 };

describe.each(engines)('workspaces on %s', (engine) => {
  let acme: OrganizationStorage;
  beforeAll(async () => {
    acme = await createOrganizationStorage(engine);
  });
  afterAll(() => acme.close());

  const find = (idOrSlug: string) => acme.storage.workspaces.find(acme.organizationId, idOrSlug);
  const membersOf = async (workspace: Workspace | undefined, at = page) =>
    workspace && (await acme.storage.workspaces.members(workspace, at));
  const idsOf = async (idOrSlug: string) =>
    (await membersOf(await find(idOrSlug)))?.map(({ userId }) => userId);

  describe('list', () => {
    it('lists workspaces by creation, then id, in pages with a total, without deleted ones', async () => {
      const { organizationId, workspaceId, admin } = await acme.addOrganization();
      const make = (index: number) =>
        acme.createWorkspace(`listed-${index}`, {
          organizationId,
          createdBy: admin.id,
          createdAt: time(10 - Math.floor(index / 2)),
        });
      const created = await Promise.all(Array.from({ length: 8 }, (_, index) => make(index)));
      const list = (at = page) => acme.storage.workspaces.list(organizationId, at);
      const inOrder = created.toSorted((one, other) =>
        `${one.createdAt} ${one.id}` < `${other.createdAt} ${other.id}` ? -1 : 1,
      );
      const all = (await list()).workspaces;
      expect(all[0]).toMatchObject({ id: workspaceId, isDefault: true });
      expect(all.slice(1)).toEqual(inOrder);
      expect(await list({ offset: 3, limit: 2 })).toEqual({ workspaces: all.slice(3, 5), totalCount: 9 });
      expect(await list({ offset: 9, limit: 2 })).toEqual({ workspaces: [], totalCount: 9 });
      await acme.storage.workspaces.change(
        organizationId,
        'listed-3',
        testAuthor,
        (current, activeKeys) => deleteWorkspace(current, activeKeys, time(20)),
        time(20),
      );
      expect(await list()).toEqual({
        workspaces: all.filter(({ slug }) => slug !== 'listed-3'),
        totalCount: 8,
      });
    });

    it('an unknown organization has no workspaces', async () => {
      expect(await acme.storage.workspaces.list(newId(), page)).toEqual({ workspaces: [], totalCount: 0 });
    });
  });

  describe('find', () => {
    it('finds a workspace by id in any case or by slug, in its organization only', async () => {
      const another = await acme.addOrganization();
      const created = await acme.createWorkspace('found');
      for (const reference of [created.id, created.id.toUpperCase(), 'found']) {
        expect(await find(reference)).toEqual(created);
        expect(await acme.storage.workspaces.find(another.organizationId, reference)).toBeUndefined();
      }
      for (const reference of ['Found', 'found ', '', '%', newId(), another.workspaceId, "' OR 1=1 --"])
        expect(await find(reference)).toBeUndefined();
    });

    it('the default workspace has all members of the organization and no creator', async () => {
      const members = await acme.storage.members.list(acme.organizationId, page);
      expect(await find('default')).toEqual({
        id: acme.workspace.workspaceId,
        organizationId: acme.organizationId,
        slug: 'default',
        name: 'Default',
        description: null,
        createdBy: null,
        createdAt: time(0),
        updatedAt: null,
        isDefault: true,
        memberCount: members?.totalCount,
        contentLog: defaultContentLog,
      });
    });
  });

  describe('create', () => {
    it('creating a workspace adds its creator as a member and writes events', async () => {
      const details = { name: 'Größe 🙂', description: 'Zeile 1\nZeile 2', createdAt: time(100) };
      const created = await acme.createWorkspace('created', details);
      expect(created).toEqual({
        id: created.id,
        organizationId: acme.organizationId,
        slug: 'created',
        ...details,
        createdBy: owner.id,
        updatedAt: null,
        isDefault: false,
        memberCount: 1,
        contentLog: defaultContentLog,
      });
      expect(await membersOf(created)).toEqual([
        {
          workspaceId: created.id,
          userId: owner.id,
          email: owner.email,
          role: 'org:admin',
          workspaceRole: 'admin',
          createdAt: time(100),
        },
      ]);
      const subject = { id: created.id, name: 'created' };
      expect(await acme.eventsAt(time(100))).toMatchObject([
        {
          kind: 'workspace.created',
          workspaceId: created.id,
          subject,
          before: null,
          after: { slug: 'created', name: details.name, description: details.description },
        },
        {
          kind: 'workspace.member_added',
          workspaceId: created.id,
          subject,
          before: null,
          after: { user_id: owner.id, email: owner.email },
        },
      ]);
    });

    it('the rule for creating a workspace may reject it, and gets no creator who has left', async () => {
      const leaver = await acme.addMember();
      await acme.removeMember(leaver.id);
      const created = await acme.createWorkspace('created-2', { createdBy: leaver.id });
      expect(created).toMatchObject({ createdBy: leaver.id, memberCount: 0 });
      expect(await membersOf(created)).toEqual([]);
      const refused = new Error('refused');
      const making = acme.storage.workspaces.create(
        { ...created, id: newId(), slug: 'created-3' },
        testAuthor,
        () => {
          throw refused;
        },
      );
      await expect(making).rejects.toBe(refused);
      expect(await find('created-3')).toBeUndefined();
    });

    it('rejects a workspace slug that is taken in the same organization', async () => {
      const another = await acme.addOrganization();
      await acme.createWorkspace('taken');
      const total = (await acme.storage.workspaces.list(acme.organizationId, page)).totalCount;
      await expect(acme.createWorkspace('taken', { createdAt: time(110) })).rejects.toMatchObject({
        kind: 'invalid_request',
        issues: [{ path: '/slug' }],
      });
      await expect(acme.createWorkspace('default')).rejects.toMatchObject({ kind: 'invalid_request' });
      expect(await acme.eventsAt(time(110))).toEqual([]);
      expect((await acme.storage.workspaces.list(acme.organizationId, page)).totalCount).toBe(total);
      const { organizationId, admin } = another;
      expect(await acme.createWorkspace('taken', { organizationId, createdBy: admin.id })).toMatchObject({
        slug: 'taken',
      });
    });

    it('two processes that create the same workspace slug at once create one workspace', async () => {
      const storages = [acme.storage, await acme.open()];
      const results = await Promise.allSettled(
        Array.from({ length: 8 }, (_, index) =>
          acme.createWorkspace('contended', { createdAt: time(120) }, storages[index % 2]),
        ),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ kind: 'invalid_request' });
      expect(await acme.eventsAt(time(120))).toHaveLength(2);
    });
  });

  describe('change', () => {
    it('changes a workspace by id or slug, and returns and logs the change', async () => {
      const created = await acme.createWorkspace('edited');
      const details = { name: 'Edited', slug: 'edited-2', description: 'For tests' };
      const changed = await acme.changeWorkspace('edited', editWorkspace(details), time(200));
      expect(changed).toEqual({ ...created, ...details, updatedAt: time(200) });
      expect(await find(created.id)).toEqual(changed);
      expect(await find('edited-2')).toEqual(changed);
      expect(await find('edited')).toBeUndefined();
      expect(
        (await acme.eventsAt(time(200))).map(({ kind, before, after }) => [kind, before, after]),
      ).toEqual([
        ['workspace.renamed', { name: 'edited' }, { name: 'Edited' }],
        ['workspace.slug_changed', { slug: 'edited' }, { slug: 'edited-2' }],
        ['workspace.described', { description: null }, { description: 'For tests' }],
      ]);
      expect(await acme.changeWorkspace(created.id, editWorkspace(details), time(201))).toEqual(changed);
      expect(await acme.eventsAt(time(201))).toEqual([]);
      expect(await acme.createWorkspace('edited')).toMatchObject({ slug: 'edited' });
    });

    it('the default workspace can be changed', async () => {
      const before = await find('default');
      const changed = await acme.changeWorkspace('default', editWorkspace({ slug: 'main' }), time(210));
      expect(changed).toEqual({ ...before, slug: 'main', updatedAt: time(210) });
      expect(await find('main')).toEqual(changed);
      await acme.changeWorkspace('main', editWorkspace({ slug: 'default' }), time(211));
    });

    it('rejects a change to a taken slug, even when two processes choose it at once', async () => {
      const [one, two] = [await acme.createWorkspace('one'), await acme.createWorkspace('two')];
      const taken = { kind: 'invalid_request', issues: [{ path: '/slug' }] };
      await expect(
        acme.changeWorkspace('two', editWorkspace({ slug: 'one', name: 'X' }), time(220)),
      ).rejects.toMatchObject(taken);
      expect(await find('two')).toEqual(two);
      expect(await acme.eventsAt(time(220))).toEqual([]);
      const other = await acme.open();
      const results = await Promise.allSettled([
        acme.changeWorkspace(one.id, editWorkspace({ slug: 'wanted' }), time(221)),
        acme.changeWorkspace(two.id, editWorkspace({ slug: 'wanted' }), time(221), other),
      ]);
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    });

    it('changing an unknown or foreign workspace returns undefined without running the rule', async () => {
      const another = await acme.addOrganization();
      const mustNotRun = () => expect.fail('the rule must not run');
      for (const reference of [newId(), 'nowhere', another.workspaceId])
        expect(await acme.changeWorkspace(reference, mustNotRun)).toBeUndefined();
    });

    it('the rule for changing a workspace gets the number of its active keys', async () => {
      const member = await acme.addMember({ role: 'org:admin' });
      const { id: workspaceId } = await acme.createWorkspace('counting');
      const now = time(300);
      const activeKeys = async () => {
        let seen = -1;
        await acme.changeWorkspace(
          'counting',
          (_, active) => {
            seen = active;
            return undefined;
          },
          now,
        );
        return seen;
      };
      const details = [
        {},
        { expiresAt: time(301) },
        { ownerId: member.id },
        { expiresAt: now },
        { disabled: true },
        { workspaceId: acme.workspace.workspaceId },
      ];
      expect(await activeKeys()).toBe(0);
      for (const each of details) await acme.createKey(acme.newKey({ workspaceId, ...each }));
      await acme.createKey(acme.newKey({ kind: 'management' }));
      expect(await activeKeys()).toBe(3);
      await acme.removeMember(member.id);
      expect(await activeKeys()).toBe(2);
    });
  });

  describe('deletion', () => {
    it('deleting a workspace deletes its keys and memberships and frees its slug', async () => {
      const member = await acme.addMember();
      const created = await acme.createWorkspace('doomed');
      await acme.changeMembers('add', 'doomed', [member.id]);
      const [old, fresh] = [newSecret(), newSecret()];
      const key = acme.newKey({ workspaceId: created.id, ownerId: member.id }, old);
      await acme.createKey(key);
      await acme.changeKey(key.id, rotateKey(fresh, 86_400_000));
      await expect(acme.changeWorkspace('doomed', deleteWorkspace, time(400))).rejects.toMatchObject({
        kind: 'invalid_request',
      });
      expect(await acme.eventsAt(time(400))).toEqual([]);
      await acme.changeKey(key.id, editKey({ disabled: true }));
      const current = await find('doomed');

      expect(await acme.changeWorkspace('doomed', deleteWorkspace, time(401))).toEqual(current);

      for (const reference of ['doomed', created.id, `~${created.id}`]) {
        expect(await find(reference)).toBeUndefined();
        expect(await acme.changeWorkspace(reference, deleteWorkspace)).toBeUndefined();
        expect(await acme.changeMembers('add', reference, [member.id])).toBeUndefined();
      }
      expect(await membersOf(created)).toEqual([]);
      expect(await acme.storage.keys.get(acme.organizationId, key.id)).toBeUndefined();
      for (const reference of [key.secretHash, acme.newKey({}, fresh).secretHash])
        expect(await acme.storage.keys.find(reference)).toBeUndefined();
      expect(await acme.eventsAt(time(401))).toMatchObject([
        {
          kind: 'workspace.deleted',
          workspaceId: created.id,
          subject: { id: created.id, name: 'doomed' },
          before: { slug: 'doomed' },
          after: null,
        },
        { kind: 'key.deleted', workspaceId: created.id, subject: { id: key.id } },
      ]);
      const again = await acme.createWorkspace('doomed');
      expect(again.id).not.toBe(created.id);
      expect(await find('doomed')).toEqual(again);
      expect(await acme.changeWorkspace('doomed', deleteWorkspace)).toMatchObject({ id: again.id });
    });

    it('presets of a deleted workspace are stored but unreachable', async () => {
      const { presets } = acme.storage;
      const created = await acme.createWorkspace('with-presets');
      const workspace = { organizationId: acme.organizationId, workspaceId: created.id };
      const address = { ...workspace, slug: 'kept' };
      const first = await presets.createVersion(acme.newVersion('kept', workspace));
      const idempotencyKey = { key: 'k', requestHash: 'h', at: time(1), expiredBefore: time(0) };
      const rename = () =>
        presets.change(
          address,
          acme.author,
          (current) => current && edit({ name: 'Renamed' })(current, time(1)),
          idempotencyKey,
        );
      expect(await rename()).toMatchObject({ isReplay: false });
      await acme.changeWorkspace('with-presets', deleteWorkspace);
      const unknown = { kind: 'not_found' };
      await expect(presets.createVersion(acme.newVersion('kept', workspace))).rejects.toMatchObject(unknown);
      await expect(presets.createVersion(acme.newVersion('more', workspace))).rejects.toMatchObject(unknown);
      await expect(rename()).rejects.toMatchObject(unknown);
      const mustNotRun = () => expect.fail('the rule must not run');
      await expect(presets.change(address, acme.author, mustNotRun)).rejects.toMatchObject(unknown);
      expect(await presets.find(address)).toBeUndefined();
      expect(await presets.state(address)).toBeUndefined();
      expect(await presets.listBySlug(workspace, '', 100)).toEqual([]);
      for (const words of [undefined, ['kept'], []])
        expect(await presets.list(workspace, { statuses: ['active'], words }, page)).toBeUndefined();
      expect(await presets.versions(first.id, page)).toHaveLength(1);

      const again = await acme.createWorkspace('with-presets');
      expect(await presets.listBySlug({ ...workspace, workspaceId: again.id }, '', 100)).toEqual([]);
    });

    it('the default workspace cannot be deleted', async () => {
      await expect(acme.changeWorkspace('default', deleteWorkspace)).rejects.toMatchObject({
        kind: 'invalid_request',
      });
    });

    it('concurrent deletions and a key creation leave either the workspace with its key or neither', async () => {
      const storages = [acme.storage, await acme.open()];
      for (const round of [1, 2, 3, 4]) {
        const created = await acme.createWorkspace(`race-${round}`);
        const key = acme.newKey({ workspaceId: created.id });
        const at = time(410 + round);
        const [creation, ...deletions] = await Promise.allSettled([
          acme.createKey(key, storages[round % 2]),
          acme.changeWorkspace(created.id, deleteWorkspace, at, storages[0]),
          acme.changeWorkspace(created.id, deleteWorkspace, at, storages[1]),
        ]);
        const exists = (await find(created.id)) !== undefined;
        expect((await acme.storage.keys.find(key.secretHash)) !== undefined).toBe(exists);
        expect(creation?.status).toBe(exists ? 'fulfilled' : 'rejected');
        const done = deletions.filter((each) => each.status === 'fulfilled' && each.value !== undefined);
        expect(done).toHaveLength(exists ? 0 : 1);
        expect(await acme.eventsAt(at)).toHaveLength(exists ? 0 : 1);
      }
    });
  });

  describe('members', () => {
    it('lists workspace members by joining time, then id, in pages', async () => {
      const created = await acme.createWorkspace('crowd', { createdAt: time(500) });
      const people = await Promise.all(Array.from({ length: 9 }, () => acme.addMember()));
      for (const third of [0, 1, 2]) {
        const some = people.slice(third * 3, third * 3 + 3).map(({ id }) => id);
        await acme.changeMembers('add', 'crowd', some, time(510 - third));
      }
      const byId = (some: readonly { id: string }[]) => some.map(({ id }) => id).sort();
      const expected = [
        owner.id,
        ...byId(people.slice(6)),
        ...byId(people.slice(3, 6)),
        ...byId(people.slice(0, 3)),
      ];
      const crowd = await find('crowd');
      expect(crowd).toEqual({ ...created, memberCount: 10 });
      expect(await idsOf('crowd')).toEqual(expected);
      const some = await membersOf(crowd, { offset: 2, limit: 3 });
      expect(some?.map(({ userId }) => userId)).toEqual(expected.slice(2, 5));
      expect(await membersOf(crowd, { offset: 10, limit: 3 })).toEqual([]);
    });

    it('members of the default workspace are those of the organization', async () => {
      const inDefault = await find('default');
      const all = await acme.storage.members.list(acme.organizationId, page);
      const listed = await membersOf(inDefault);
      expect(listed?.map(({ userId, email, role }) => [userId, email, role])).toEqual(
        all?.members.map(({ id, email, role }) => [id, email, role]),
      );
      expect(listed?.[0]).toEqual({
        workspaceId: acme.workspace.workspaceId,
        userId: owner.id,
        email: owner.email,
        role: 'org:admin',
        workspaceRole: 'admin',
        createdAt: time(0),
      });
      expect(await membersOf(inDefault, { offset: 1, limit: 2 })).toEqual(listed?.slice(1, 3));
      expect(await membersOf(inDefault, { offset: listed?.length ?? 0, limit: 2 })).toEqual([]);
    });

    it('adds workspace members in the given order, each once, and writes events', async () => {
      const people = await Promise.all([1, 2, 3].map(() => acme.addMember()));
      const [one, two, three] = people.map(({ id }) => id) as [string, string, string];
      const { id } = await acme.createWorkspace('adding');
      await acme.changeMembers('add', id, [two]);
      const added = await acme.changeMembers('add', 'adding', [three, owner.id, two, one, three], time(520));
      expect(added).toEqual(
        [people[2], people[0]].map((member) => ({
          workspaceId: id,
          userId: member?.id,
          email: member?.email,
          role: 'org:member',
          workspaceRole: 'editor',
          createdAt: time(520),
        })),
      );
      expect(await find(id)).toMatchObject({ memberCount: 4 });
      expect(new Set(await idsOf(id))).toEqual(new Set([owner.id, one, two, three]));
      expect((await acme.eventsAt(time(520))).map(({ kind, after }) => [kind, after?.user_id])).toEqual([
        ['workspace.member_added', three],
        ['workspace.member_added', one],
      ]);
      expect(await acme.changeMembers('add', id, [one, two, three], time(521))).toEqual([]);
      expect(await acme.eventsAt(time(521))).toEqual([]);
    });

    it('removes workspace members in the given order, each once, and writes events', async () => {
      const people = await Promise.all([1, 2, 3].map(() => acme.addMember()));
      const [one, two, three] = people.map(({ id }) => id) as [string, string, string];
      const { id } = await acme.createWorkspace('removing');
      await acme.changeMembers('add', id, [one, two]);
      const removed = await acme.changeMembers('remove', id, [three, two, one, two, 'user_x'], time(530));
      expect(removed?.map(({ userId }) => userId)).toEqual([two, one]);
      expect(await idsOf(id)).toEqual([owner.id]);
      expect(await find(id)).toMatchObject({ memberCount: 1 });
      expect((await acme.eventsAt(time(530))).map(({ kind, before }) => [kind, before?.user_id])).toEqual([
        ['workspace.member_removed', two],
        ['workspace.member_removed', one],
      ]);
    });

    it('adds no workspace member when one of them is not in the organization', async () => {
      const another = await acme.addOrganization();
      const [member, leaver] = [await acme.addMember(), await acme.addMember()];
      await acme.removeMember(leaver.id);
      await acme.createWorkspace('strict');
      for (const unknownId of [another.admin.id, leaver.id, 'user_nobody', member.email])
        await expect(
          acme.changeMembers('add', 'strict', [member.id, unknownId], time(540)),
        ).rejects.toMatchObject({ kind: 'invalid_request', issues: [{ path: '/user_ids/1' }] });
      expect(await idsOf('strict')).toEqual([owner.id]);
      expect(await acme.eventsAt(time(540))).toEqual([]);
    });

    it('removes no workspace member while one of them has active keys there', async () => {
      const [one, two] = [await acme.addMember(), await acme.addMember()];
      const { id: workspaceId } = await acme.createWorkspace('busy');
      await acme.changeMembers('add', 'busy', [one.id, two.id]);
      const expiring = acme.newKey({ workspaceId, ownerId: two.id, expiresAt: time(560) });
      await acme.createKey(expiring);
      await acme.createKey(acme.newKey({ workspaceId, ownerId: two.id, disabled: true }));
      // Keys in other workspaces, or of other people, do not matter.
      await acme.createKey(acme.newKey({ ownerId: one.id }));
      await acme.createKey(acme.newKey({ workspaceId }));
      const remove = (at: string) => acme.changeMembers('remove', 'busy', [one.id, two.id], at);
      await expect(remove(time(559))).rejects.toMatchObject({
        kind: 'invalid_request',
        issues: [{ path: '/user_ids/1', message: expect.stringContaining(two.email) }],
      });
      expect(await find('busy')).toMatchObject({ memberCount: 3 });
      expect(await remove(time(560))).toHaveLength(2);
      await expect(
        acme.changeKey(expiring.id, editKey({ expiresAt: time(900) }), time(561)),
      ).rejects.toMatchObject({ kind: 'conflict' });
    });

    it('the rule for workspace members gets each candidate as stored', async () => {
      const [inside, outside] = [await acme.addMember({ role: 'org:admin' }), await acme.addMember()];
      const workspace = await acme.createWorkspace('seen');
      await acme.createKey(acme.newKey({ workspaceId: workspace.id, ownerId: inside.id }));
      await acme.createKey(acme.newKey({ workspaceId: workspace.id, ownerId: inside.id }));
      let seen: readonly WorkspaceCandidate[] = [];
      const userIds = [outside.id, 'user_x', inside.id, inside.id];
      await acme.storage.workspaces.changeMembers(
        acme.organizationId,
        'seen',
        testAuthor,
        {
          kind: 'add',
          userIds,
          decide(current, candidates) {
            expect(current).toEqual({ ...workspace, memberCount: 2 });
            seen = candidates;
            return { at: time(1), userIds: [], role: 'viewer', events: [] };
          },
        },
        time(1),
      );
      const insider = { userId: inside.id, member: inside, workspaceRole: 'admin', activeKeys: 2 };
      expect(seen).toEqual([
        { userId: outside.id, member: outside, workspaceRole: undefined, activeKeys: 0 },
        { userId: 'user_x', member: undefined, workspaceRole: undefined, activeKeys: 0 },
        insider,
        insider,
      ]);
    });

    it('members cannot be added to or removed from the default workspace', async () => {
      const member = await acme.addMember();
      expect(await acme.changeMembers('add', 'default', [member.id])).toEqual([]);
      await expect(acme.changeMembers('remove', 'default', [member.id])).rejects.toMatchObject({
        kind: 'invalid_request',
      });
    });

    it('the member count stays correct while two processes add and remove members', async () => {
      const people = await Promise.all(Array.from({ length: 6 }, () => acme.addMember()));
      const userIds = people.map(({ id }) => id);
      const { id } = await acme.createWorkspace('turmoil');
      const storages = [acme.storage, await acme.open()];
      await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          acme.changeMembers(index % 3 ? 'add' : 'remove', id, userIds, time(570), storages[index % 2]),
        ),
      );
      expect((await find(id))?.memberCount).toBe((await idsOf(id))?.length);
      await acme.changeMembers('add', id, userIds);
      expect(await find(id)).toMatchObject({ memberCount: 7 });
    });
  });
});
