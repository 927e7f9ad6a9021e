import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PresetdError } from '../../src/core/errors.ts';
import { newId } from '../../src/core/identifiers.ts';
import type { PresetState, PresetVersion } from '../../src/core/preset.ts';
import {
  addVersion,
  archive,
  edit,
  moveLabel,
  type PresetChange,
  removeLabel,
  restore,
} from '../../src/core/preset-change.ts';
import type { PresetEvent } from '../../src/core/preset-event.ts';
import { openStorage } from '../../src/storage/open.ts';
import { engines } from '../support/engines.ts';
import { createPresetStorage, owner, type PresetStorage, time } from '../support/preset-storage.ts';
import { storageOptions } from '../support/storage-options.ts';

describe.each(engines)('presets on %s', (engine) => {
  let preset: PresetStorage;
  beforeAll(async () => {
    preset = await createPresetStorage(engine);
  });
  afterAll(() => preset.close());

  const create = (slug: string, seconds = 0, changes = {}) =>
    preset.storage.presets.createVersion(preset.newVersion(slug, { createdAt: time(seconds), ...changes }));
  const find = (slug: string) => preset.storage.presets.find(preset.address(slug));
  const state = async (slug: string) => {
    const found = await preset.storage.presets.state(preset.address(slug));
    return found ?? expect.fail(`there is no preset ${slug}`);
  };
  /** Oldest first. */
  const events = async (slug: string): Promise<readonly PresetEvent[]> =>
    (await preset.storage.presets.events(await state(slug), { offset: 0, limit: 1_000 })).toReversed();
  const wordsOf = async (slug: string) => {
    const rows = await preset.database.sql(
      `SELECT w.word, w.workspace_id FROM preset_words w JOIN presets p ON p.id = w.preset_id
       WHERE p.slug = '${slug}' ORDER BY w.word`,
    );
    for (const row of rows) expect(row.workspace_id).toBe(preset.workspace.workspaceId);
    return rows.map((row) => row.word);
  };
  const version = (presetId: string, number: number): PresetVersion => ({
    id: newId(),
    presetId,
    version: number,
    dialect: 'chat-completions',
    configJson: `{"n":${number}}`,
    systemPrompt: `Prompt ${number}`,
    creatorId: owner.id,
    createdAt: time(number),
  });
  const newState = (slug: string, changes: Partial<PresetState> = {}): PresetState => ({
    id: newId(),
    workspaceId: preset.workspace.workspaceId,
    slug,
    name: slug,
    description: null,
    status: 'active',
    statusUpdatedAt: null,
    creatorUserId: owner.id,
    createdAt: time(0),
    updatedAt: time(0),
    latestVersion: 1,
    designatedNumber: 1,
    revision: 1,
    labels: new Map(),
    ...changes,
  });

  describe('when a version is created', () => {
    it('are told of by an event that shares the id of the version', async () => {
      const first = await create('told', 1);
      const second = await create('told', 2);
      expect([first.revision, second.revision]).toEqual([1, 2]);
      const common = { actorId: owner.id, actorEmail: owner.email, keyLabel: preset.author.keyLabel };
      expect(await events('told')).toEqual([
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

    it('name what was designated before, also after a rollback', async () => {
      for (const seconds of [1, 2, 3]) await create('rolled', seconds);
      await preset.apply('rolled', edit({ designatedVersion: 1 }));
      const fourth = await create('rolled', 5);
      expect(fourth).toMatchObject({ revision: 5, latestVersion: 4, designatedVersion: { version: 4 } });
      expect((await events('rolled')).slice(3)).toMatchObject([
        { kind: 'preset.designated', before: { designated_version: 3 }, after: { designated_version: 1 } },
        { before: { designated_version: 1 }, after: { version: 4, designated_version: 4 } },
      ]);
    });

    it('name what was designated before also for several in one commit after a rollback', async () => {
      for (const seconds of [1, 2]) await create('batch', seconds);
      await preset.apply('batch', edit({ designatedVersion: 1 }));
      const created = await Promise.all([4, 5, 6].map((seconds) => create('batch', seconds)));
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
      expect((await events('batch')).slice(3).map(({ before, after }) => [before, after])).toEqual([
        [{ designated_version: 1 }, { version: 3, designated_version: 3 }],
        [{ designated_version: 3 }, { version: 4, designated_version: 4 }],
        [{ designated_version: 4 }, { version: 5, designated_version: 5 }],
      ]);
      expect(await find('batch')).toEqual(created[2]);
    });

    it('begin with several versions in one commit as with one after the other', async () => {
      const created = await Promise.all([1, 2, 3].map((seconds) => create('Brand-New', seconds)));
      expect(created.map(({ revision, createdAt }) => [revision, createdAt])).toEqual([
        [1, time(1)],
        [2, time(1)],
        [3, time(1)],
      ]);
      expect((await events('Brand-New')).map(({ number, kind, before }) => [number, kind, before])).toEqual([
        [1, 'preset.created', null],
        [2, 'preset.version_added', { designated_version: 1 }],
        [3, 'preset.version_added', { designated_version: 2 }],
      ]);
      expect(await wordsOf('Brand-New')).toEqual(['brand', 'new']);
    });

    it('are found by the words of their slug, and keep those of a new name', async () => {
      await create('Mail.Bot_2~x--x');
      expect(await wordsOf('Mail.Bot_2~x--x')).toEqual(['2', 'bot', 'mail', 'x']);
      await preset.apply('Mail.Bot_2~x--x', edit({ name: 'Post' }));
      await create('Mail.Bot_2~x--x');
      expect(await wordsOf('Mail.Bot_2~x--x')).toEqual(['2', 'bot', 'mail', 'post', 'x']);
    });

    it('may have a slug without a word, and one that is a single long word', async () => {
      await create('~._-');
      expect(await wordsOf('~._-')).toEqual([]);
      const long = 'L'.repeat(128);
      await create(long);
      expect(await wordsOf(long)).toEqual(['l'.repeat(64)]);
    });

    it('write nothing when they are archived, in a commit with others', async () => {
      await create('shelved');
      await preset.apply('shelved', archive);
      const before = await state('shelved');
      const [refused, other] = await Promise.allSettled([create('shelved'), create('not-shelved')]);
      expect(refused).toMatchObject({ reason: { kind: 'conflict' } });
      expect(other).toMatchObject({ value: { revision: 1 } });
      expect(await state('shelved')).toEqual(before);
    });
  });

  describe('under a rule', () => {
    it('are shown to it with their labels in the order of the names', async () => {
      await create('shown');
      await create('shown');
      for (const label of ['staging', 'a', 'production']) await preset.apply('shown', moveLabel(label, 2));
      let seen: PresetState | undefined;
      const changed = await preset.storage.presets.change(
        preset.address('shown'),
        preset.author,
        (current) => {
          seen = current;
          return undefined;
        },
      );
      expect(seen).toEqual(await state('shown'));
      expect([...(seen?.labels ?? [])]).toEqual([
        ['a', { version: 2, updatedAt: time(1) }],
        ['production', { version: 2, updatedAt: time(1) }],
        ['staging', { version: 2, updatedAt: time(1) }],
      ]);
      expect(seen).toMatchObject({ revision: 5, latestVersion: 2, designatedNumber: 2 });
      expect(changed).toEqual({ preset: await find('shown'), isReplay: false });
    });

    it('are undefined when there is none, and so is the answer when nothing is decided', async () => {
      const seen: unknown[] = [];
      const changed = await preset.storage.presets.change(
        preset.address('absent'),
        preset.author,
        (current) => {
          seen.push(current);
          return undefined;
        },
      );
      expect([changed, seen]).toEqual([undefined, [undefined]]);
    });

    it.each(['organizationId', 'workspaceId'])('are refused where the %s is a stranger’s', async (part) => {
      await create('mine');
      const address = { ...preset.address('mine'), [part]: newId() };
      const change = preset.storage.presets.change(address, preset.author, () =>
        expect.fail('the rule must not be asked'),
      );
      await expect(change).rejects.toMatchObject({ kind: 'not_found' });
    });

    it('stay as they are when it throws, and the error comes out as it is', async () => {
      await create('steady');
      const before = await state('steady');
      // Words that a driver would use of a lost connection.
      for (const message of ['no', 'connection timeout', 'SASL']) {
        const error = new PresetdError('conflict', message);
        await expect(
          preset.apply('steady', () => {
            throw error;
          }),
        ).rejects.toBe(error);
      }
      expect(await state('steady')).toEqual(before);
      expect(await events('steady')).toHaveLength(1);
    });

    it('keep nothing of a change that the database refuses', async () => {
      await create('refused');
      const before = await state('refused');
      const broken = (change: Partial<PresetState>) =>
        preset.apply('refused', (current, at) => ({
          at,
          next: { ...current, name: 'Other', revision: 2, ...change },
          versions: [],
          events: [{ id: newId(), kind: 'preset.renamed', before: { name: 'x' }, after: { name: 'Other' } }],
        }));
      await expect(
        broken({ labels: new Map([['a', { version: 9, updatedAt: time(0) }]]) }),
      ).rejects.toThrow();
      expect(await state('refused')).toEqual(before);
      await expect(broken({ designatedNumber: 9 })).rejects.toThrow();
      expect(await state('refused')).toEqual(before);
      expect(await events('refused')).toHaveLength(1);
      expect(await wordsOf('refused')).toEqual(['refused']);
    });

    it('are made by it when there was none', async () => {
      const first = newState('made', {
        name: 'Made up',
        description: 'By a rule',
        latestVersion: 2,
        revision: 3,
      });
      const labels = new Map([['blue', { version: 2, updatedAt: time(7) }]]);
      const versions = [version(first.id, 1), version(first.id, 2)];
      const change: PresetChange = {
        at: time(9),
        next: { ...first, designatedNumber: 2, labels },
        versions,
        events: ['preset.created', 'preset.version_added', 'preset.renamed'].map((kind) => ({
          id: newId(),
          kind: kind as 'preset.created',
          before: null,
          after: { note: kind },
        })),
      };
      const changed = await preset.storage.presets.change(
        preset.address('made'),
        preset.author,
        () => change,
      );
      expect(changed?.isReplay).toBe(false);
      expect(changed?.preset).toEqual(await find('made'));
      expect(await state('made')).toEqual(change.next);
      expect(changed?.preset.designatedVersion).toEqual(versions[1]);
      expect(await preset.storage.presets.versions(first.id, { offset: 0, limit: 9 })).toEqual(versions);
      expect(await wordsOf('made')).toEqual(['a', 'by', 'made', 'rule', 'up']);
      const told = await events('made');
      expect(told.map(({ number, kind, createdAt }) => [number, kind, createdAt])).toEqual([
        [1, 'preset.created', time(9)],
        [2, 'preset.version_added', time(9)],
        [3, 'preset.renamed', time(9)],
      ]);
    });

    it('get versions added that continue their numbers', async () => {
      const { id } = await create('grown');
      const changed = await preset.apply('grown', (current) =>
        addVersion(current, { ...version('', 7), createdAt: time(4) }),
      );
      expect(changed?.preset).toMatchObject({
        id,
        updatedAt: time(4),
        revision: 2,
        designatedVersion: { version: 2, presetId: id, configJson: '{"n":7}' },
      });
      expect((await create('grown')).designatedVersion.version).toBe(3);
    });

    it('keep every label that the change does not touch', async () => {
      for (const seconds of [0, 1, 2]) await create('labels', seconds);
      await preset.apply('labels', moveLabel('stays', 1), time(1));
      await preset.apply('labels', moveLabel('moves', 1), time(2));
      await preset.apply('labels', moveLabel('goes', 1), time(3));
      await preset.apply('labels', (current, at) => ({
        at,
        next: {
          ...current,
          revision: current.revision + 1,
          labels: new Map([
            ['stays', { version: 1, updatedAt: time(99) }],
            ['moves', { version: 3, updatedAt: time(5) }],
            ['comes', { version: 2, updatedAt: time(6) }],
          ]),
        },
        versions: [],
        events: [{ id: newId(), kind: 'preset.imported', before: null, after: null }],
      }));
      expect([...(await state('labels')).labels]).toEqual([
        ['comes', { version: 2, updatedAt: time(6) }],
        ['moves', { version: 3, updatedAt: time(5) }],
        // The version is what counts: a label that stays was not moved.
        ['stays', { version: 1, updatedAt: time(1) }],
      ]);
      await preset.apply('labels', removeLabel('moves'));
      expect([...(await state('labels')).labels.keys()]).toEqual(['comes', 'stays']);
    });

    it('are found by their new words only once renamed and described', async () => {
      await create('worded');
      await preset.apply('worded', edit({ name: 'Große Übersicht', description: 'Zwei Worte, zwei' }));
      expect(await wordsOf('worded')).toEqual(['große', 'worded', 'worte', 'zwei', 'übersicht']);
      await preset.apply('worded', edit({ name: 'Worded', description: null }));
      expect(await wordsOf('worded')).toEqual(['worded']);
    });

    it('tell of several changes in the order in which they were made', async () => {
      await create('many');
      const changed = await preset.apply(
        'many',
        edit({ name: 'Many', description: '☃ "quoted" \\ \n', status: 'disabled' }),
        time(3),
      );
      expect(changed?.preset).toMatchObject({ revision: 4, statusUpdatedAt: time(3), updatedAt: time(3) });
      expect((await events('many')).map(({ number, kind, after }) => [number, kind, after])).toEqual([
        [1, 'preset.created', { version: 1, designated_version: 1 }],
        [2, 'preset.renamed', { name: 'Many' }],
        [3, 'preset.described', { description: '☃ "quoted" \\ \n' }],
        [4, 'preset.disabled', { status: 'disabled' }],
      ]);
    });

    it('are made once when two processes make them at the same time', async () => {
      const second = await preset.open();
      const changes = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          (index % 2 ? preset.storage : second).presets.change(
            preset.address('raced'),
            preset.author,
            (current) =>
              addVersion(
                current ?? newState('raced', { latestVersion: 0, designatedNumber: 0, revision: 0 }),
                version('', 0),
              ),
          ),
        ),
      );
      const numbers = changes.map((changed) => changed?.preset.designatedVersion.version ?? 0);
      expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
      expect(await state('raced')).toMatchObject({ revision: 12, latestVersion: 12 });
    });

    it('are refused past the number of changes that may wait, and the others are made', async () => {
      await create('crowded');
      const small = await openStorage({
        ...storageOptions(preset.database),
        poolSize: 1,
        writesWaitingMax: 2,
      });
      const changes = await Promise.allSettled(
        Array.from({ length: 8 }, (_, index) =>
          preset.apply('crowded', moveLabel(`label-${index}`, 1), time(1), small),
        ),
      );
      const refused = changes.filter((change) => change.status === 'rejected');
      for (const { reason } of refused) expect(reason).toMatchObject({ kind: 'unavailable' });
      // On PostgreSQL one has the connection while two wait for it.
      expect(8 - refused.length).toBeGreaterThanOrEqual(2);
      expect(8 - refused.length).toBeLessThanOrEqual(3);
      expect((await state('crowded')).labels.size).toBe(8 - refused.length);
      await preset.apply('crowded', moveLabel('later', 1), time(2), small);
      await small.close();
    });

    it('are changed to the end before the storage closes', async () => {
      await create('closing');
      const closing = await openStorage(storageOptions(preset.database));
      const changes = Array.from({ length: 30 }, (_, index) =>
        preset.apply('closing', moveLabel(`label-${index}`, 1), time(1), closing),
      );
      await Promise.all([closing.close(), ...changes]);
      expect((await state('closing')).labels.size).toBe(30);
    });
  });

  describe('that are read', () => {
    it('are answered as the last write left them', async () => {
      const created = await create('answered', 1, {
        systemPrompt: 'Be brief.',
        configJson: '{"b":1,"a":1.50}',
      });
      expect(await find('answered')).toEqual(created);
      const archived = await preset.apply('answered', archive, time(2));
      expect(archived?.preset).toEqual({
        ...created,
        status: 'archived',
        statusUpdatedAt: time(2),
        updatedAt: time(2),
        revision: 2,
      });
      expect(await find('answered')).toEqual(archived?.preset);
      const restored = await preset.apply('answered', restore, time(3));
      expect(await find('answered')).toEqual(restored?.preset);
      const { designatedVersion, ...record } = created;
      expect(await state('answered')).toEqual({
        ...record,
        statusUpdatedAt: time(3),
        updatedAt: time(3),
        revision: 3,
        designatedNumber: designatedVersion.version,
        labels: new Map(),
      });
    });

    it('are not there for another slug, workspace or organization', async () => {
      await create('private');
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

    it('have their versions in ascending pages', async () => {
      const { id } = await create('paged', 1);
      for (const seconds of [2, 3, 4, 5]) await create('paged', seconds);
      const numbers = async (offset: number, limit: number) =>
        (await preset.storage.presets.versions(id, { offset, limit })).map((each) => each.version);
      expect(await numbers(0, 2)).toEqual([1, 2]);
      expect(await numbers(2, 2)).toEqual([3, 4]);
      expect(await numbers(4, 2)).toEqual([5]);
      expect(await numbers(5, 2)).toEqual([]);
      expect(await numbers(2_147_483_546, 100)).toEqual([]);
      expect(await preset.storage.presets.versions(newId(), { offset: 0, limit: 2 })).toEqual([]);
    });

    it('have their events newest first in pages, also while more happens', async () => {
      await create('eventful');
      for (const index of [1, 2, 3, 4]) await preset.apply('eventful', edit({ name: `Name ${index}` }));
      const earlier = await state('eventful');
      const numbers = async (offset: number, limit: number) =>
        (await preset.storage.presets.events(earlier, { offset, limit })).map((event) => event.number);
      expect(await numbers(0, 2)).toEqual([5, 4]);
      await preset.apply('eventful', edit({ name: 'Later' }));
      expect(await numbers(2, 2)).toEqual([3, 2]);
      expect(await numbers(4, 2)).toEqual([1]);
      expect(await numbers(5, 2)).toEqual([]);
    });

    it.each(['UPDATE audit_events SET number = 9', 'DELETE FROM audit_events'])(
      'keep what happened: %s',
      async (statement) => {
        await create('kept');
        await expect(preset.database.sql(`${statement} RETURNING id`)).rejects.toThrow('never');
      },
    );
  });
});
