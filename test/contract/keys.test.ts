import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import {
  type ApiKey,
  hashSecret,
  type KeyRecord,
  labelOf,
  newSecret,
} from '../../src/core/organization/api-key.ts';
import { deleteKey, editKey, type KeyPlacement, rotateKey } from '../../src/core/organization/key-change.ts';
import { requireUsableKey } from '../../src/core/organization/usable-caller.ts';
import { deleteWorkspace } from '../../src/core/organization/workspace-change.ts';
import { engines } from '../support/engines.ts';
import { newKey, newMember, testAuthor } from '../support/members.ts';
import { createOrganizationStorage, type OrganizationStorage } from '../support/organization-storage.ts';
import { addOrganization } from '../support/organizations.ts';
import { owner, time } from '../support/preset-storage.ts';
import { recordOfKey, resolvedKey } from '../support/sample-key.ts';

const page = { offset: 0, limit: 1_000 };

const untouched = (key: ApiKey, ownerEmail: string = owner.email) => recordOfKey(key, ownerEmail);

describe.each(engines)('keys on %s', (engine) => {
  let acme: OrganizationStorage;
  beforeAll(async () => {
    acme = await createOrganizationStorage(engine);
  });
  afterAll(() => acme.close());

  describe('lookup by secret', () => {
    it('finds a key by its secret, with what its bearer may access', async () => {
      const key = acme.newKey({ name: 'Größe 🙂', expiresAt: time(60) });
      await acme.createKey(key);
      expect(await acme.storage.keys.find(key.secretHash)).toEqual(
        resolvedKey(key, { defaultWorkspaceId: acme.workspace.workspaceId, isOwnerNew: true }),
      );
    });

    it('finds no key by another secret, an id or a label', async () => {
      const key = acme.newKey();
      await acme.createKey(key);
      for (const other of [hashSecret('another'), key.id, key.label, ''])
        expect(await acme.storage.keys.find(other)).toBeUndefined();
    });

    it('finds a key that is disabled, expired or of a former member, who has no role', async () => {
      const leaver = await acme.addMember();
      const key = acme.newKey({ ownerId: leaver.id, disabled: true, expiresAt: time(-60) });
      await acme.createKey(key);
      await acme.removeMember(leaver.id);
      expect(await acme.storage.keys.find(key.secretHash)).toMatchObject({
        id: key.id,
        disabled: true,
        expiresAt: time(-60),
        ownerRole: null,
      });
    });

    it('resolves the roles of an org:member: all for a management key, one for an API key', async () => {
      const member = await acme.addMember();
      const [one, two] = [await acme.createWorkspace('reach-one'), await acme.createWorkspace('reach-two')];
      await acme.createWorkspace('reach-three');
      const management = acme.newKey({ ownerId: member.id, kind: 'management', readOnly: true });
      const api = acme.newKey({ ownerId: member.id });
      for (const key of [management, api]) await acme.createKey(key);
      const reach = async ({ secretHash }: ApiKey) => {
        const found = await acme.storage.keys.find(secretHash);
        return found?.workspaceRoles;
      };
      const inDefault = { [acme.workspace.workspaceId]: 'admin' };
      expect(await reach(management)).toEqual(inDefault);
      for (const { id } of [one, two]) await acme.changeMembers('add', id, [member.id]);
      expect(await reach(management)).toEqual({ ...inDefault, [one.id]: 'editor', [two.id]: 'editor' });
      expect(await reach(api)).toEqual(inDefault);
      await acme.changeMembers('remove', one.id, [member.id]);
      expect(await reach(management)).toEqual({ ...inDefault, [two.id]: 'editor' });
      await acme.changeWorkspace(two.id, deleteWorkspace);
      expect(await reach(management)).toEqual(inDefault);
    });

    it('resolves a key in its own organization, no matter how many its owner belongs to', async () => {
      const another = await acme.addOrganization();
      const key = newKey({ ownerId: another.admin.id, organizationId: another.organizationId });
      await acme.storage.keys.create(key, testAuthor, () => ({ addsOwnerToWorkspace: false, events: [] }));
      await acme.storage.members.upsert(acme.organizationId, testAuthor, [another.admin], (_, known) => ({
        at: time(1),
        next: { ...another.admin, id: known?.id ?? '', role: 'org:member' },
        events: [],
      }));
      expect(await acme.storage.keys.find(key.secretHash)).toMatchObject({
        organizationId: another.organizationId,
        defaultWorkspaceId: another.workspaceId,
        ownerRole: 'org:admin',
      });
    });
  });

  describe('personal keys', () => {
    it('a personal key belongs to no organization, and none finds it', async () => {
      const key = acme.newKey({ kind: 'management', organizationId: null });
      const mustNotRun = () => expect.fail('the rule must not run');
      const created = await acme.storage.keys.create(key, testAuthor, mustNotRun);
      expect(created).toEqual(untouched(key));
      expect(await acme.storage.keys.find(key.secretHash)).toEqual(
        resolvedKey(key, { defaultWorkspaceId: null, ownerRole: null }),
      );
      for (const reference of [key.id, key.label, key.secretHash]) {
        expect(await acme.storage.keys.get(acme.organizationId, reference)).toBeUndefined();
        expect(await acme.changeKey(reference, deleteKey)).toBeUndefined();
      }
      const listed = await acme.storage.keys.list(acme.workspace, true, page);
      expect(listed?.map(({ id }) => id)).not.toContain(key.id);
    });

    it('a personal key stays enabled when its owner leaves an organization', async () => {
      const member = await acme.addMember();
      const key = acme.newKey({ kind: 'management', organizationId: null, ownerId: member.id });
      await acme.storage.keys.create(key, testAuthor, () => expect.fail());
      await acme.removeMember(member.id);
      expect(await acme.storage.keys.find(key.secretHash)).toMatchObject({ disabled: false });
    });
  });

  describe('lookup by id, label or hash', () => {
    it('gets a key by id, label or secret hash, including rotated secrets', async () => {
      const secret = newSecret();
      const key = acme.newKey({}, secret);
      await acme.createKey(key);
      const rotated = newSecret();
      await acme.changeKey(key.id, rotateKey(rotated, 60_000));
      const record = await acme.storage.keys.get(acme.organizationId, key.id);
      expect(record).toMatchObject({ id: key.id, label: labelOf(rotated), secretHash: hashSecret(rotated) });
      const references = [key.id.toUpperCase(), labelOf(rotated), hashSecret(rotated), hashSecret(secret)];
      for (const reference of references)
        expect(await acme.storage.keys.get(acme.organizationId, reference)).toEqual(record);
      for (const reference of [labelOf(secret), newId(), secret, '', '%', `${key.id} `, "' OR 1=1 --"])
        expect(await acme.storage.keys.get(acme.organizationId, reference)).toBeUndefined();
    });

    it('another organization can neither get nor change a key', async () => {
      const another = await acme.addOrganization();
      const key = acme.newKey();
      await acme.createKey(key);
      for (const reference of [key.id, key.label, key.secretHash]) {
        expect(await acme.storage.keys.get(another.organizationId, reference)).toBeUndefined();
        const mustNotRun = () => expect.fail('the rule must not run');
        expect(
          await acme.storage.keys.change(another.organizationId, reference, testAuthor, mustNotRun),
        ).toBeUndefined();
      }
    });

    it('rejects an ambiguous label within an organization', async () => {
      const another = await acme.addOrganization();
      const key = acme.newKey({ label: 'shared…abc' });
      await acme.createKey(key);
      const theirs = newKey({
        ownerId: another.admin.id,
        organizationId: another.organizationId,
        label: key.label,
      });
      await acme.storage.keys.create(theirs, testAuthor, () => ({ addsOwnerToWorkspace: false, events: [] }));
      expect(await acme.storage.keys.get(acme.organizationId, key.label)).toMatchObject({ id: key.id });
      const second = acme.newKey({ label: key.label, kind: 'management' });
      await acme.createKey(second);
      const ambiguous = { kind: 'conflict', message: expect.stringContaining(key.label) };
      await expect(acme.storage.keys.get(acme.organizationId, key.label)).rejects.toMatchObject(ambiguous);
      await expect(acme.changeKey(key.label, deleteKey)).rejects.toMatchObject(ambiguous);
      for (const { id } of [key, second])
        expect(await acme.storage.keys.get(acme.organizationId, id)).toMatchObject({ id });
    });
  });

  describe('list', () => {
    let listing: OrganizationStorage;
    beforeAll(async () => {
      listing = await createOrganizationStorage(engine);
    });
    afterAll(() => listing.close());

    it('lists keys newest first, with management keys in the default workspace only', async () => {
      const { id: workspaceId } = await listing.createWorkspace('room');
      const keys = Array.from({ length: 24 }, (_, index) => {
        const place = [{ kind: 'management' }, {}, { workspaceId }] as const;
        // Three keys per moment, which are ordered by id.
        const createdAt = time(Math.floor(index / 3));
        return listing.newKey({ ...place[index % 3], disabled: index % 4 === 0, createdAt });
      });
      for (const key of keys.toSorted((one, other) => (one.label < other.label ? -1 : 1)))
        await listing.createKey(key);
      const newest = keys.toSorted((one, other) =>
        `${one.createdAt} ${one.id}` < `${other.createdAt} ${other.id}` ? 1 : -1,
      );
      const inDefault = newest.filter((key) => key.workspaceId !== workspaceId);
      const inRoom = newest.filter((key) => key.workspaceId === workspaceId);
      const list = (id: string, includeDisabled: boolean, at = page) =>
        listing.storage.keys.list(
          { organizationId: listing.organizationId, workspaceId: id },
          includeDisabled,
          at,
        );
      const enabled = (some: readonly ApiKey[]) => some.filter(({ disabled }) => !disabled);
      const records = (some: readonly ApiKey[]) => some.map((key) => untouched(key));
      const { workspaceId: defaultId } = listing.workspace;
      expect(await list(defaultId, true)).toEqual(records(inDefault));
      expect(await list(defaultId, false)).toEqual(records(enabled(inDefault)));
      expect(await list(workspaceId, true)).toEqual(records(inRoom));
      expect(await list(workspaceId, false)).toEqual(records(enabled(inRoom)));
      for (const limit of [1, 3, 5, 16]) {
        const pages: KeyRecord[] = [];
        for (let offset = 0; offset < inDefault.length; offset += limit)
          pages.push(...((await list(defaultId, true, { offset, limit })) ?? []));
        expect(pages.map(({ id }) => id)).toEqual(inDefault.map(({ id }) => id));
      }
      expect(await list(defaultId, true, { offset: inDefault.length, limit: 5 })).toEqual([]);
    });

    it('lists the management keys of one person among the keys of everyone', async () => {
      const { id: workspaceId } = await listing.createWorkspace('shared');
      const member = await listing.addMember();
      const [own, api] = [
        listing.newKey({ kind: 'management', ownerId: member.id }),
        listing.newKey({ createdAt: time(2) }),
      ];
      for (const key of [own, api, listing.newKey({ kind: 'management' })]) await listing.createKey(key);
      const list = async (id: string, limit = 100) => {
        const { organizationId } = listing;
        const filter = { organizationId, workspaceId: id, managementOwnerId: member.id };
        return (await listing.storage.keys.list(filter, true, { offset: 0, limit })) ?? [];
      };
      const listed = await list(listing.workspace.workspaceId);
      expect(listed.filter(({ kind }) => kind === 'management').map(({ id }) => id)).toEqual([own.id]);
      expect(listed.map(({ id }) => id)).toContain(api.id);
      expect(await list(workspaceId)).toEqual([]);
    });

    it('listing keys of an unknown, deleted or foreign workspace returns undefined', async () => {
      const another = await listing.addOrganization();
      const deleted = await listing.createWorkspace('deleted');
      await listing.changeWorkspace(deleted.id, deleteWorkspace);
      const { organizationId } = listing;
      for (const workspaceId of [newId(), deleted.id, another.workspaceId])
        expect(await listing.storage.keys.list({ organizationId, workspaceId }, true, page)).toBeUndefined();
      expect(await listing.storage.keys.list(another, true, page)).toEqual([]);
    });
  });

  describe('create', () => {
    const placementOf = async (key: ApiKey) => {
      let seen: KeyPlacement | undefined;
      const refused = new Error('rejected by the rule');
      const creation = acme.storage.keys.create(key, testAuthor, (site) => {
        seen = site;
        throw refused;
      });
      await expect(creation).rejects.toBe(refused);
      expect(await acme.storage.keys.find(key.secretHash)).toBeUndefined();
      return seen;
    };

    it('the rule for creating a key gets the owner, the workspace and their membership', async () => {
      const member = await acme.addMember();
      const workspace = await acme.createWorkspace('site');
      const key = acme.newKey({ ownerId: member.id, workspaceId: workspace.id });
      expect(await placementOf(key)).toEqual({ owner: member, workspace, workspaceRole: undefined });
      await acme.changeMembers('add', workspace.id, [member.id]);
      expect(await placementOf(key)).toEqual({
        owner: member,
        workspace: { ...workspace, memberCount: 2 },
        workspaceRole: 'editor',
      });
      expect(await placementOf(acme.newKey({ kind: 'management', ownerId: member.id }))).toEqual({
        owner: member,
        workspace: undefined,
        workspaceRole: undefined,
      });
    });

    it('the rule for creating a key gets no unknown, former or foreign owner or workspace', async () => {
      const another = await acme.addOrganization();
      const leaver = await acme.addMember();
      await acme.removeMember(leaver.id);
      const deleted = await acme.createWorkspace('site-deleted');
      await acme.changeWorkspace(deleted.id, deleteWorkspace);
      for (const ownerId of ['user_nobody', leaver.id, another.admin.id, owner.email])
        expect(await placementOf(acme.newKey({ ownerId }))).toMatchObject({ owner: undefined });
      for (const workspaceId of [newId(), deleted.id, another.workspaceId])
        expect(await placementOf(acme.newKey({ workspaceId }))).toMatchObject({ workspace: undefined });
    });

    it('creating a key returns it and writes an event', async () => {
      const key = acme.newKey({ kind: 'management', readOnly: true, createdAt: time(1_000) });
      expect(await acme.createKey(key)).toEqual(untouched(key));
      expect(await acme.eventsAt(time(1_000))).toEqual([
        {
          id: expect.any(String),
          kind: 'key.created',
          workspaceId: null,
          workspaceSlug: null,
          workspaceName: null,
          subject: { id: key.id, name: key.label },
          actorId: owner.id,
          actorEmail: owner.email,
          keyLabel: acme.author.keyLabel,
          before: null,
          after: {
            name: key.name,
            kind: 'management',
            read_only: true,
            creator_user_id: owner.id,
            expires_at: null,
            presets: null,
            limit: null,
            limit_reset: null,
          },
          createdAt: time(1_000),
        },
      ]);
    });

    it('creating a key adds an org:admin to the workspace once', async () => {
      const admin = await acme.addMember({ role: 'org:admin' });
      const workspace = await acme.createWorkspace('joined');
      for (const seconds of [1_010, 1_011]) {
        const createdAt = time(seconds);
        const key = acme.newKey({ ownerId: admin.id, workspaceId: workspace.id, createdAt });
        expect(await acme.createKey(key)).toEqual(untouched(key, admin.email));
      }
      expect((await acme.eventsAt(time(1_010))).map(({ kind }) => kind)).toEqual([
        'workspace.member_added',
        'key.created',
      ]);
      expect((await acme.eventsAt(time(1_011))).map(({ kind }) => kind)).toEqual(['key.created']);
      const joined = await acme.storage.workspaces.find(acme.organizationId, 'joined');
      expect(joined?.memberCount).toBe(2);
      expect(joined && (await acme.storage.workspaces.members(joined, page))[1]).toMatchObject({
        userId: admin.id,
        createdAt: time(1_010),
      });
    });

    it('an org:member gets keys only in workspaces that they are in', async () => {
      const member = await acme.addMember();
      const workspace = await acme.createWorkspace('closed');
      const key = acme.newKey({ ownerId: member.id, workspaceId: workspace.id, createdAt: time(1_020) });
      await expect(acme.createKey(key)).rejects.toMatchObject({ kind: 'invalid_request' });
      expect(await acme.eventsAt(time(1_020))).toEqual([]);
      await acme.changeMembers('add', 'closed', [member.id]);
      expect(await acme.createKey(key)).toEqual(untouched(key, member.email));
    });

    it('rejects a second key with the same secret and leaves no trace of it', async () => {
      const secret = newSecret();
      const [admin, workspace] = [
        await acme.addMember({ role: 'org:admin' }),
        await acme.createWorkspace('twice'),
      ];
      await acme.createKey(acme.newKey({}, secret));
      const second = acme.newKey(
        { ownerId: admin.id, workspaceId: workspace.id, createdAt: time(1_030) },
        secret,
      );
      await expect(acme.createKey(second)).rejects.toMatchObject({ kind: 'conflict' });
      expect(await acme.eventsAt(time(1_030))).toEqual([]);
      expect(await acme.storage.workspaces.find(acme.organizationId, 'twice')).toEqual(workspace);
    });

    it('two processes that create a key with the same secret at once create one', async () => {
      const secret = newSecret();
      const storages = [acme.storage, await acme.open()];
      const results = await Promise.allSettled(
        Array.from({ length: 8 }, (_, index) => acme.createKey(acme.newKey({}, secret), storages[index % 2])),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ kind: 'conflict' });
    });
  });

  describe('change', () => {
    it('changing a key stores, returns and logs what the rule decides', async () => {
      const key = acme.newKey();
      const created = await acme.createKey(key);
      const at = time(2_000);
      const details = { name: 'Renamed', disabled: true, expiresAt: time(9_000) };
      const changed = await acme.changeKey(key.id, editKey(details), at);
      expect(changed).toEqual({ ...created, ...details, updatedAt: at });
      expect(await acme.storage.keys.get(acme.organizationId, key.id)).toEqual(changed);
      expect(await acme.storage.keys.find(key.secretHash)).toMatchObject(details);
      expect((await acme.eventsAt(at)).map(({ kind, before, after }) => [kind, before, after])).toEqual([
        ['key.renamed', { name: created.name }, { name: 'Renamed' }],
        ['key.expiry_changed', { expires_at: null }, { expires_at: time(9_000) }],
        ['key.disabled', { disabled: false }, { disabled: true }],
      ]);
      const back = await acme.changeKey(
        key.label,
        editKey({ disabled: false, expiresAt: null }),
        time(2_001),
      );
      expect(back).toEqual({ ...created, name: 'Renamed', updatedAt: time(2_001) });
    });

    it('a key keeps its limit when it is renamed, disabled, rotated and moved', async () => {
      const target = await acme.createWorkspace('limited-target');
      const most = { limitNanos: 9_000_000_000_000_000, limitReset: 'monthly' } as const;
      const key = acme.newKey(most);
      expect(await acme.createKey(key)).toEqual(untouched(key));
      const limit = { limitNanos: 8_999_999_999_999_999, limitReset: 'daily' } as const;
      expect(await acme.changeKey(key.id, editKey(limit))).toMatchObject(limit);
      await acme.changeKey(key.id, editKey({ name: 'Renamed', disabled: true }));
      const secret = newSecret();
      await acme.changeKey(key.id, rotateKey(secret, 60_000));
      await acme.moveKey(key.id, target.id, time(2_030));
      for (const hash of [key.secretHash, hashSecret(secret)])
        expect(await acme.storage.keys.find(hash)).toMatchObject({ id: key.id, ...limit });
      const none = { limitNanos: null, limitReset: null };
      expect(await acme.changeKey(key.id, editKey(none))).toMatchObject(none);
      expect(await acme.storage.keys.get(acme.organizationId, key.id)).toMatchObject(none);
    });

    it('a key can move to another workspace', async () => {
      const target = await acme.createWorkspace('move-target');
      const key = acme.newKey();
      const created = await acme.createKey(key);
      const at = time(2_040);
      const moved = await acme.moveKey(key.id, target.id, at);
      expect(moved).toEqual({ ...created, workspaceId: target.id, updatedAt: at });
      expect(await acme.storage.keys.get(acme.organizationId, key.id)).toEqual(moved);
      expect(await acme.storage.keys.find(key.secretHash)).toMatchObject({ workspaceId: target.id });
      const listed = await acme.storage.keys.list(
        { organizationId: acme.organizationId, workspaceId: target.id },
        false,
        page,
      );
      expect(listed?.map(({ id }) => id)).toEqual([key.id]);
      expect((await acme.eventsAt(at)).map(({ kind }) => kind)).toEqual(['key.moved']);
    });

    it('moving a key adds an org:admin to the workspace and rejects an org:member', async () => {
      const target = await acme.createWorkspace('move-members');
      const [admin, member] = [await acme.addMember({ role: 'org:admin' }), await acme.addMember()];
      const [ofAdmin, ofMember] = [acme.newKey({ ownerId: admin.id }), acme.newKey({ ownerId: member.id })];
      for (const key of [ofAdmin, ofMember]) await acme.createKey(key);
      const at = time(2_041);
      expect(await acme.moveKey(ofAdmin.id, target.id, at)).toMatchObject({ ownerHasAccess: true });
      expect(await acme.storage.keys.get(acme.organizationId, ofAdmin.id)).toMatchObject({
        workspaceId: target.id,
        ownerHasAccess: true,
      });
      expect((await acme.eventsAt(at)).map(({ kind }) => kind).toSorted()).toEqual([
        'key.moved',
        'workspace.member_added',
      ]);
      await expect(acme.moveKey(ofMember.id, target.id)).rejects.toMatchObject({ kind: 'invalid_request' });
      expect(await acme.storage.keys.get(acme.organizationId, ofMember.id)).toMatchObject({
        workspaceId: acme.workspace.workspaceId,
      });
    });

    it('a key cannot move to a deleted or foreign workspace', async () => {
      const key = acme.newKey();
      const created = await acme.createKey(key);
      const deleted = await acme.createWorkspace('move-deleted');
      await acme.changeWorkspace(deleted.id, deleteWorkspace);
      const other = await addOrganization(acme.database);
      for (const workspaceId of [deleted.id, other.workspaceId, newId()])
        await expect(acme.moveKey(key.id, workspaceId)).rejects.toMatchObject({ kind: 'not_found' });
      expect(await acme.storage.keys.get(acme.organizationId, key.id)).toEqual(created);
    });

    it('a rule that throws or changes nothing leaves the key unchanged', async () => {
      const key = acme.newKey();
      const created = await acme.createKey(key);
      expect(await acme.changeKey(key.id, editKey({ name: key.name }), time(2_010))).toEqual(created);
      const failure = new Error('rejected by the rule');
      await expect(
        acme.changeKey(key.id, () => {
          throw failure;
        }),
      ).rejects.toBe(failure);
      expect(await acme.storage.keys.get(acme.organizationId, key.id)).toEqual(created);
      expect(await acme.eventsAt(time(2_010))).toEqual([]);
    });

    it('changing an unknown key returns undefined without running the rule', async () => {
      const mustNotRun = () => expect.fail('the rule must not run');
      for (const reference of [newId(), 'sk-pst-v1-ab1…9f2', hashSecret('x')])
        expect(await acme.changeKey(reference, mustNotRun)).toBeUndefined();
    });

    it('a key shows whether its owner belongs to its organization and workspace', async () => {
      const member = await acme.addMember();
      const workspace = await acme.createWorkspace('belonging');
      await acme.changeMembers('add', workspace.id, [member.id]);
      const keys = [
        acme.newKey({ ownerId: member.id, disabled: true, workspaceId: workspace.id }),
        acme.newKey({ ownerId: member.id, disabled: true }),
        acme.newKey({ ownerId: member.id, disabled: true, kind: 'management' }),
      ];
      for (const key of keys) await acme.createKey(key);
      const belongs = () =>
        Promise.all(
          keys.map(async ({ id }) => (await acme.storage.keys.get(acme.organizationId, id))?.ownerHasAccess),
        );
      expect(await belongs()).toEqual([true, true, true]);
      await acme.changeMembers('remove', workspace.id, [member.id]);
      expect(await belongs()).toEqual([false, true, true]);
      await acme.removeMember(member.id);
      expect(await belongs()).toEqual([false, false, false]);
    });

    it('concurrent changes of a key by two processes are all applied', async () => {
      const key = acme.newKey();
      await acme.createKey(key);
      const storages = [acme.storage, await acme.open()];
      const increment = (storage = acme.storage) =>
        acme.changeKey(
          key.id,
          (current, at) => editKey({ name: `${Number.parseInt(current.name, 10) + 1}` })(current, at),
          time(2_020),
          storage,
        );
      await acme.changeKey(key.id, editKey({ name: '0' }));
      await Promise.all(Array.from({ length: 20 }, (_, index) => increment(storages[index % 2])));
      expect(await acme.storage.keys.get(acme.organizationId, key.id)).toMatchObject({ name: '20' });
      expect(await acme.eventsAt(time(2_020))).toHaveLength(20);
    });
  });

  describe('rotation', () => {
    const secretExpiresAt = async (secret: string) =>
      (await acme.storage.keys.find(hashSecret(secret)))?.secretExpiresAt;

    it('a rotated key accepts the new secret at once and the old one for the grace period', async () => {
      const [old, fresh] = [newSecret(), newSecret()];
      const created = await acme.createKey(acme.newKey({}, old));
      const rotated = await acme.changeKey(created.id, rotateKey(fresh, 60_000), time(3_000));
      expect(rotated).toEqual({
        ...created,
        secretHash: hashSecret(fresh),
        label: labelOf(fresh),
        updatedAt: time(3_000),
        retiredSecretExpiresAt: time(3_060),
      });
      expect(await acme.storage.keys.get(acme.organizationId, created.id)).toEqual(rotated);
      expect(await secretExpiresAt(fresh)).toBeNull();
      expect(await acme.storage.keys.find(hashSecret(old))).toMatchObject({
        id: created.id,
        label: labelOf(fresh),
        ownerRole: 'org:admin',
        secretExpiresAt: time(3_060),
      });
      expect(await acme.eventsAt(time(3_000))).toMatchObject([
        {
          kind: 'key.rotated',
          subject: { id: created.id, name: labelOf(fresh) },
          before: { label: labelOf(old) },
          after: { label: labelOf(fresh), previous_secret_expires_at: time(3_060) },
        },
      ]);
    });

    it('a rotation shortens the grace period of earlier secrets, but never extends it', async () => {
      const secrets = [1, 2, 3, 4].map(() => newSecret());
      const [first = '', second = '', third = '', fourth = ''] = secrets;
      const { id } = await acme.createKey(acme.newKey({}, first));
      await acme.changeKey(id, rotateKey(second, 30_000), time(3_100));
      await acme.changeKey(id, rotateKey(third, 600_000), time(3_110));
      expect(await Promise.all(secrets.slice(0, 3).map(secretExpiresAt))).toEqual([
        time(3_130),
        time(3_710),
        null,
      ]);
      const last = await acme.changeKey(id, rotateKey(fourth, 60_000), time(3_120));
      expect(last?.retiredSecretExpiresAt).toBe(time(3_180));
      expect(await Promise.all(secrets.map(secretExpiresAt))).toEqual([
        time(3_130),
        time(3_180),
        time(3_180),
        null,
      ]);
      expect(await acme.storage.keys.get(acme.organizationId, id)).toEqual(last);
    });

    it('a rotation deletes expired secrets, and all old ones without a grace period', async () => {
      const secrets = [1, 2, 3, 4].map(() => newSecret());
      const [first = '', second = '', third = '', fourth = ''] = secrets;
      const { id } = await acme.createKey(acme.newKey({}, first));
      await acme.changeKey(id, rotateKey(second, 10_000), time(3_200));
      await acme.changeKey(id, rotateKey(third, 60_000), time(3_210));
      expect(await Promise.all(secrets.slice(0, 3).map(secretExpiresAt))).toEqual([
        undefined,
        time(3_270),
        null,
      ]);
      const last = await acme.changeKey(id, rotateKey(fourth, 0), time(3_220));
      expect(last?.retiredSecretExpiresAt).toBeNull();
      expect(await Promise.all(secrets.map(secretExpiresAt))).toEqual([
        undefined,
        undefined,
        undefined,
        null,
      ]);
      expect(await acme.storage.keys.get(acme.organizationId, id)).toEqual(last);
    });

    it('a rotated secret works up to the last millisecond of its grace period', async () => {
      const [old, fresh] = [newSecret(), newSecret()];
      const { id } = await acme.createKey(acme.newKey({}, old));
      await acme.changeKey(id, rotateKey(fresh, 60_000), time(3_400));
      const found = await acme.storage.keys.find(hashSecret(old));
      expect(requireUsableKey(found, () => time(3_459.999)).id).toBe(id);
      expect(() => requireUsableKey(found, () => time(3_460))).toThrow('was rotated and has expired');
    });

    it('a rotation deletes a secret at the end of its grace period, not a millisecond before', async () => {
      for (const [seconds, isForgotten] of [
        [3_509.999, false],
        [3_510, true],
      ] as const) {
        const old = newSecret();
        const { id } = await acme.createKey(acme.newKey({}, old));
        await acme.changeKey(id, rotateKey(newSecret(), 10_000), time(3_500));
        await acme.changeKey(id, rotateKey(newSecret(), 60_000), time(seconds));
        expect(await secretExpiresAt(old)).toBe(isForgotten ? undefined : time(3_510));
      }
    });

    it('concurrent rotations by two processes retire every secret but one', async () => {
      const secrets = Array.from({ length: 6 }, () => newSecret());
      const storages = [acme.storage, await acme.open()];
      const original = newSecret();
      const { id } = await acme.createKey(acme.newKey({}, original));
      await Promise.all(
        secrets.map((secret, index) =>
          acme.changeKey(id, rotateKey(secret, 60_000), time(3_300), storages[index % 2]),
        ),
      );
      const states = await Promise.all([original, ...secrets].map(secretExpiresAt));
      expect(states.filter((state) => state === null)).toHaveLength(1);
      expect(states.filter((state) => state === time(3_360))).toHaveLength(6);
    });
  });

  describe('deletion', () => {
    it('deleting a key returns its last state and deletes every secret', async () => {
      const [old, fresh] = [newSecret(), newSecret()];
      const { id } = await acme.createKey(acme.newKey({}, old));
      const rotated = await acme.changeKey(id, rotateKey(fresh, 60_000));
      expect(await acme.changeKey(id, deleteKey, time(4_000))).toEqual(rotated);
      for (const secret of [old, fresh])
        expect(await acme.storage.keys.find(hashSecret(secret))).toBeUndefined();
      for (const reference of [id, labelOf(fresh), hashSecret(old)])
        expect(await acme.storage.keys.get(acme.organizationId, reference)).toBeUndefined();
      expect(await acme.changeKey(id, deleteKey)).toBeUndefined();
      expect(await acme.eventsAt(time(4_000))).toMatchObject([
        { kind: 'key.deleted', subject: { id, name: labelOf(fresh) }, after: null },
      ]);
      expect(
        await acme.database.sql(`SELECT secret_hash FROM retired_secrets WHERE key_id = '${id}'`),
      ).toEqual([]);
    });
  });

  describe('last use', () => {
    const lastUse = async (id: string) => (await acme.storage.keys.get(acme.organizationId, id))?.lastUsedAt;

    it('the last use of a key is stored at most once per interval', async () => {
      const { id } = await acme.createKey(acme.newKey());
      const recordUse = async (seconds: number) => {
        await acme.storage.keys.recordLastUses(new Map([[id, time(seconds)]]), 60_000);
        return lastUse(id);
      };
      expect(await recordUse(100)).toBe(time(100));
      expect(await recordUse(159.999)).toBe(time(100));
      expect(await recordUse(50)).toBe(time(100));
      expect(await recordUse(160)).toBe(time(160));
      expect(await recordUse(1_000)).toBe(time(1_000));
    });

    it('uses of many keys are stored together, ignoring deleted keys', async () => {
      const keys = await Promise.all(Array.from({ length: 20 }, () => acme.createKey(acme.newKey())));
      const unknownKeys = Array.from({ length: 600 }, (): [string, string] => [newId(), time(0)]);
      const uses = keys.map(({ id }, index): [string, string] => [id, time(index)]);
      await acme.storage.keys.recordLastUses(new Map([...unknownKeys, ...uses]), 60_000);
      for (const [id, at] of uses) expect(await lastUse(id)).toBe(at);
      await acme.storage.keys.recordLastUses(new Map(), 60_000);
    });

    it('storing the last use changes nothing else about a key', async () => {
      const created = await acme.createKey(acme.newKey());
      await acme.storage.keys.recordLastUses(new Map([[created.id, time(7)]]), 60_000);
      expect(await acme.storage.keys.get(acme.organizationId, created.id)).toEqual({
        ...created,
        lastUsedAt: time(7),
      });
      const edited = await acme.changeKey(created.id, editKey({ name: 'Edited' }));
      expect(edited).toMatchObject({ lastUsedAt: time(7), updatedAt: time(2) });
      expect(await lastUse(created.id)).toBe(time(7));
    });

    it('two processes can store uses of the same keys at once', async () => {
      const keys = await Promise.all(Array.from({ length: 20 }, () => acme.createKey(acme.newKey())));
      const uses = keys.map(({ id }): [string, string] => [id, time(5)]);
      const other = await acme.open();
      await Promise.all([
        acme.storage.keys.recordLastUses(new Map(uses), 60_000),
        other.keys.recordLastUses(new Map(uses.toReversed()), 60_000),
      ]);
      for (const [id] of uses) expect(await lastUse(id)).toBe(time(5));
    });
  });

  it('a key that is created while its owner leaves does not stay enabled', async () => {
    const other = await acme.open();
    const leavers = await Promise.all(Array.from({ length: 8 }, () => acme.addMember(newMember())));
    await Promise.all(
      leavers.flatMap(({ id }) => [
        acme.removeMember(id, time(5_000), other),
        ...[1, 2].map(() =>
          acme.createKey(acme.newKey({ ownerId: id })).catch((error: unknown) => {
            expect(error).toMatchObject({ kind: 'invalid_request' });
          }),
        ),
      ]),
    );
    const enabled = await acme.storage.keys.list(acme.workspace, false, page);
    const owners = new Set(enabled?.map(({ ownerId }) => ownerId));
    for (const { id } of leavers) expect(owners).not.toContain(id);
  });
});
