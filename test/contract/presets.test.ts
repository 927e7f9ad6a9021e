import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { archive, edit, restore } from '../../src/core/presets/preset-change.ts';
import { engines } from '../support/engines.ts';
import { addMember, newMember } from '../support/members.ts';
import { createPresetStorage, owner, type PresetStorage, time } from '../support/preset-storage.ts';

describe.each(engines)('presets on %s', (engine) => {
  let preset: PresetStorage;
  beforeAll(async () => {
    preset = await createPresetStorage(engine);
  });
  afterAll(() => preset.close());

  describe('creating versions', () => {
    it('each create writes an event with the id of its version', async () => {
      const first = await preset.create('logged', 1);
      const second = await preset.create('logged', 2);
      expect([first.revision, second.revision]).toEqual([1, 2]);
      const common = { actorId: owner.id, actorEmail: owner.email, keyLabel: preset.author.keyLabel };
      expect(await preset.events('logged')).toEqual([
        {
          ...common,
          id: first.designatedVersion.id,
          number: 1,
          kind: 'preset.created',
          before: null,
          after: { version: 1, designated_version: 1 },
          createdAt: time(1),
        },
        {
          ...common,
          id: second.designatedVersion.id,
          number: 2,
          kind: 'preset.version_added',
          before: { designated_version: 1 },
          after: { version: 2, designated_version: 2 },
          createdAt: time(2),
        },
      ]);
    });

    it('the event of a create names the previous live version, even after a rollback', async () => {
      for (const seconds of [1, 2, 3]) await preset.create('rolled', seconds);
      await preset.apply('rolled', edit({ designatedVersion: 1 }));
      const fourth = await preset.create('rolled', 5);
      expect(fourth).toMatchObject({ revision: 5, latestVersion: 4, designatedVersion: { version: 4 } });
      expect((await preset.events('rolled')).slice(3)).toMatchObject([
        { kind: 'preset.designated', before: { designated_version: 3 }, after: { designated_version: 1 } },
        { before: { designated_version: 1 }, after: { version: 4, designated_version: 4 } },
      ]);
    });

    it('several creates in one commit after a rollback each name the previous live version', async () => {
      for (const seconds of [1, 2]) await preset.create('batch', seconds);
      await preset.apply('batch', edit({ designatedVersion: 1 }));
      const created = await Promise.all([4, 5, 6].map((seconds) => preset.create('batch', seconds)));
      expect(
        created.map(({ revision, latestVersion, updatedAt, designatedVersion }) => [
          revision,
          latestVersion,
          designatedVersion.version,
          updatedAt,
        ]),
      ).toEqual([
        [4, 3, 3, time(4)],
        [5, 4, 4, time(5)],
        [6, 5, 5, time(6)],
      ]);
      expect((await preset.events('batch')).slice(3).map(({ before, after }) => [before, after])).toEqual([
        [{ designated_version: 1 }, { version: 3, designated_version: 3 }],
        [{ designated_version: 3 }, { version: 4, designated_version: 4 }],
        [{ designated_version: 4 }, { version: 5, designated_version: 5 }],
      ]);
      expect(await preset.find('batch')).toEqual(created[2]);
    });

    it('creating a preset with several versions in one commit equals creating them one by one', async () => {
      const created = await Promise.all([1, 2, 3].map((seconds) => preset.create('Brand-New', seconds)));
      expect(created.map(({ revision, createdAt }) => [revision, createdAt])).toEqual([
        [1, time(1)],
        [2, time(1)],
        [3, time(1)],
      ]);
      expect(
        (await preset.events('Brand-New')).map(({ number, kind, before }) => [number, kind, before]),
      ).toEqual([
        [1, 'preset.created', null],
        [2, 'preset.version_added', { designated_version: 1 }],
        [3, 'preset.version_added', { designated_version: 2 }],
      ]);
      expect(await preset.words('Brand-New')).toEqual(['brand', 'new']);
    });

    it('a preset is found by the words of its slug and keeps those of a new name', async () => {
      await preset.create('Mail.Bot_2~x--x');
      expect(await preset.words('Mail.Bot_2~x--x')).toEqual(['2', 'bot', 'mail', 'x']);
      await preset.apply('Mail.Bot_2~x--x', edit({ name: 'Post' }));
      await preset.create('Mail.Bot_2~x--x');
      expect(await preset.words('Mail.Bot_2~x--x')).toEqual(['2', 'bot', 'mail', 'post', 'x']);
    });

    it('a slug may contain no word, or a single long one', async () => {
      await preset.create('~._-');
      expect(await preset.words('~._-')).toEqual([]);
      const long = 'L'.repeat(128);
      await preset.create(long);
      expect(await preset.words(long)).toEqual(['l'.repeat(64)]);
    });

    it('a create of an archived preset writes nothing, even in a commit with others', async () => {
      await preset.create('shelved');
      await preset.apply('shelved', archive);
      const before = await preset.state('shelved');
      const [refused, other] = await Promise.allSettled([
        preset.create('shelved'),
        preset.create('not-shelved'),
      ]);
      expect(refused).toMatchObject({ reason: { kind: 'conflict' } });
      expect(other).toMatchObject({ value: { revision: 1 } });
      expect(await preset.state('shelved')).toEqual(before);
    });
  });

  describe('reading presets', () => {
    it('find and state return a preset as the last write left it', async () => {
      const created = await preset.create('changed', 1, {
        systemPrompt: 'Be brief.',
        configJson: '{"b":1,"a":1.50}',
      });
      expect(await preset.find('changed')).toEqual(created);
      const archived = await preset.apply('changed', archive, time(2));
      expect(archived?.preset).toEqual({
        ...created,
        status: 'archived',
        statusUpdatedAt: time(2),
        updatedAt: time(2),
        revision: 2,
      });
      expect(await preset.find('changed')).toEqual(archived?.preset);
      const restored = await preset.apply('changed', restore, time(3));
      expect(await preset.find('changed')).toEqual(restored?.preset);
      const { designatedVersion, ...record } = created;
      expect(await preset.state('changed')).toEqual({
        ...record,
        tags: [],
        statusUpdatedAt: time(3),
        updatedAt: time(3),
        revision: 3,
        designatedNumber: designatedVersion.version,
        labels: new Map(),
        aliases: new Map(),
      });
    });

    it('a preset does not exist under another slug, workspace or organization', async () => {
      await preset.create('private');
      const elsewhere = await preset.addWorkspace('first');
      const addresses = [
        preset.address('PRIVATE'),
        preset.address('privat'),
        { ...elsewhere, slug: 'private' },
        { ...preset.address('private'), organizationId: newId() },
        { ...preset.address('private'), workspaceId: newId() },
      ];
      for (const address of addresses) {
        expect(await preset.storage.presets.find(address)).toBeUndefined();
        expect(await preset.storage.presets.state(address)).toBeUndefined();
      }
    });

    it('versions are listed in ascending pages', async () => {
      const { id } = await preset.create('paged', 1);
      for (const seconds of [2, 3, 4, 5]) await preset.create('paged', seconds);
      const numbers = async (offset: number, limit: number) =>
        (await preset.storage.presets.versions(id, { offset, limit })).map((each) => each.version);
      expect(await numbers(0, 2)).toEqual([1, 2]);
      expect(await numbers(2, 2)).toEqual([3, 4]);
      expect(await numbers(4, 2)).toEqual([5]);
      expect(await numbers(5, 2)).toEqual([]);
      expect(await numbers(2_147_483_546, 100)).toEqual([]);
      expect(await preset.storage.presets.versions(newId(), { offset: 0, limit: 2 })).toEqual([]);
    });

    it('authored versions include the email of their creator', async () => {
      const { id } = await preset.create('authored', 1);
      const member = await addMember(preset.storage, preset.workspace.organizationId, newMember());
      await preset.create('authored', 2, { author: { userId: member.id, keyLabel: null } });
      const { presets } = preset.storage;
      const page = { offset: 0, limit: 9 };
      const [first, second] = await presets.versions(id, page);
      expect(await presets.authoredVersions(id, page)).toEqual([
        { ...first, creatorEmail: owner.email },
        { ...second, creatorEmail: member.email },
      ]);
      expect(await presets.authoredVersions(id, { offset: 1, limit: 1 })).toMatchObject([{ version: 2 }]);
      expect(await presets.authoredVersions(id, { offset: 2, limit: 1 })).toEqual([]);
    });

    it('events are listed newest first, in pages that stay stable while more are written', async () => {
      await preset.create('eventful');
      for (const index of [1, 2, 3, 4]) await preset.apply('eventful', edit({ name: `Name ${index}` }));
      const earlier = await preset.state('eventful');
      const numbers = async (offset: number, limit: number) =>
        (await preset.storage.presets.events(earlier, { offset, limit })).map((event) => event.number);
      expect(await numbers(0, 2)).toEqual([5, 4]);
      await preset.apply('eventful', edit({ name: 'Later' }));
      expect(await numbers(2, 2)).toEqual([3, 2]);
      expect(await numbers(4, 2)).toEqual([1]);
      expect(await numbers(5, 2)).toEqual([]);
    });

    it.each(['UPDATE audit_events SET number = 9', 'DELETE FROM audit_events'])(
      'the database rejects changes to events: %s',
      async (statement) => {
        await preset.create('kept');
        await expect(preset.database.sql(`${statement} RETURNING id`)).rejects.toThrow('never');
      },
    );
  });
});
