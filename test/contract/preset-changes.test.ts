import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PresetdError } from '../../src/core/errors.ts';
import { newId } from '../../src/core/identifiers.ts';
import type { PresetState, PresetVersion } from '../../src/core/presets/preset.ts';
import {
  addVersion,
  edit,
  emptyPreset,
  moveLabel,
  type PresetChange,
  removeLabel,
} from '../../src/core/presets/preset-change.ts';
import { openStorage } from '../../src/storage/open.ts';
import { engines } from '../support/engines.ts';
import { createPresetStorage, owner, type PresetStorage, time } from '../support/preset-storage.ts';
import { storageOptions } from '../support/storage-options.ts';

describe.each(engines)('preset changes on %s', (engine) => {
  let preset: PresetStorage;
  beforeAll(async () => {
    preset = await createPresetStorage(engine);
  });
  afterAll(() => preset.close());

  const newPreset = (slug: string) => emptyPreset(preset.address(slug), newId(), owner.id, time(0));
  const version = (presetId: string, number: number): PresetVersion => ({
    id: newId(),
    presetId,
    version: number,
    dialect: 'chat-completions',
    configJson: `{"n":${number}}`,
    extensionJson: null,
    systemPrompt: `Prompt ${number}`,
    creatorId: owner.id,
    createdAt: time(number),
  });
  it('the rule gets the preset with its labels in alphabetical order', async () => {
    await preset.create('shown');
    await preset.create('shown');
    for (const label of ['staging', 'a', 'production']) await preset.apply('shown', moveLabel(label, 2));
    let seen: PresetState | undefined;
    const changed = await preset.storage.presets.change(preset.address('shown'), preset.author, (current) => {
      seen = current;
      return undefined;
    });
    expect(seen).toEqual(await preset.state('shown'));
    expect([...(seen?.labels ?? [])]).toEqual([
      ['a', { version: 2, updatedAt: time(1) }],
      ['production', { version: 2, updatedAt: time(1) }],
      ['staging', { version: 2, updatedAt: time(1) }],
    ]);
    expect(seen).toMatchObject({ revision: 5, latestVersion: 2, designatedNumber: 2 });
    expect(changed).toEqual({ preset: await preset.find('shown'), isReplay: false });
  });

  it('the rule gets undefined for a missing preset, and no change returns undefined', async () => {
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

  it.each(['organizationId', 'workspaceId'])('rejects a change with a foreign %s', async (part) => {
    await preset.create('mine');
    const address = { ...preset.address('mine'), [part]: newId() };
    const change = preset.storage.presets.change(address, preset.author, () =>
      expect.fail('the rule must not run'),
    );
    await expect(change).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('an error thrown by the rule is passed on and changes nothing', async () => {
    await preset.create('steady');
    const before = await preset.state('steady');
    // Words that the driver uses for a lost connection.
    for (const message of ['no', 'connection timeout', 'SASL']) {
      const error = new PresetdError('conflict', message);
      await expect(
        preset.apply('steady', () => {
          throw error;
        }),
      ).rejects.toBe(error);
    }
    expect(await preset.state('steady')).toEqual(before);
    expect(await preset.events('steady')).toHaveLength(1);
  });

  it('a change that the database rejects leaves no trace', async () => {
    await preset.create('refused');
    const before = await preset.state('refused');
    const broken = (change: Partial<PresetState>) =>
      preset.apply('refused', (current, at) => ({
        at,
        next: { ...current, name: 'Other', revision: 2, ...change },
        versions: [],
        events: [{ id: newId(), kind: 'preset.renamed', before: { name: 'x' }, after: { name: 'Other' } }],
      }));
    await expect(broken({ labels: new Map([['a', { version: 9, updatedAt: time(0) }]]) })).rejects.toThrow();
    expect(await preset.state('refused')).toEqual(before);
    await expect(broken({ designatedNumber: 9 })).rejects.toThrow();
    expect(await preset.state('refused')).toEqual(before);
    expect(await preset.events('refused')).toHaveLength(1);
    expect(await preset.words('refused')).toEqual(['refused']);
  });

  it('the rule can create a preset', async () => {
    const first = {
      ...newPreset('made'),
      name: 'Made up',
      description: 'By a rule',
      latestVersion: 2,
      revision: 3,
    };
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
    const changed = await preset.storage.presets.change(preset.address('made'), preset.author, () => change);
    expect(changed?.isReplay).toBe(false);
    expect(changed?.preset).toEqual(await preset.find('made'));
    expect(await preset.state('made')).toEqual(change.next);
    expect(changed?.preset.designatedVersion).toEqual(versions[1]);
    expect(await preset.storage.presets.versions(first.id, { offset: 0, limit: 9 })).toEqual(versions);
    expect(await preset.words('made')).toEqual(['a', 'by', 'made', 'rule', 'up']);
    const events = await preset.events('made');
    expect(events.map(({ number, kind, createdAt }) => [number, kind, createdAt])).toEqual([
      [1, 'preset.created', time(9)],
      [2, 'preset.version_added', time(9)],
      [3, 'preset.renamed', time(9)],
    ]);
  });

  it('versions that a rule adds continue the numbering', async () => {
    const { id } = await preset.create('grown');
    const changed = await preset.apply('grown', (current) =>
      addVersion(current, { ...version('', 7), createdAt: time(4) }),
    );
    expect(changed?.preset).toMatchObject({
      id,
      updatedAt: time(4),
      revision: 2,
      designatedVersion: { version: 2, presetId: id, configJson: '{"n":7}' },
    });
    expect((await preset.create('grown')).designatedVersion.version).toBe(3);
  });

  it('a change keeps the labels that it does not touch', async () => {
    for (const seconds of [0, 1, 2]) await preset.create('labels', seconds);
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
    expect([...(await preset.state('labels')).labels]).toEqual([
      ['comes', { version: 2, updatedAt: time(6) }],
      ['moves', { version: 3, updatedAt: time(5) }],
      // Only the version counts: a label that stays on it was not moved.
      ['stays', { version: 1, updatedAt: time(1) }],
    ]);
    await preset.apply('labels', removeLabel('moves'));
    expect([...(await preset.state('labels')).labels.keys()]).toEqual(['comes', 'stays']);
  });

  it('a renamed preset is found by its new words only', async () => {
    await preset.create('worded');
    await preset.apply('worded', edit({ name: 'Große Übersicht', description: 'Zwei Worte, zwei' }));
    expect(await preset.words('worded')).toEqual(['große', 'worded', 'worte', 'zwei', 'übersicht']);
    await preset.apply('worded', edit({ name: 'Worded', description: null }));
    expect(await preset.words('worded')).toEqual(['worded']);
  });

  it('a change writes its events in order', async () => {
    await preset.create('many');
    const changed = await preset.apply(
      'many',
      edit({ name: 'Many', description: '☃ "quoted" \\ \n', status: 'disabled' }),
      time(3),
    );
    expect(changed?.preset).toMatchObject({ revision: 4, statusUpdatedAt: time(3), updatedAt: time(3) });
    expect((await preset.events('many')).map(({ number, kind, after }) => [number, kind, after])).toEqual([
      [1, 'preset.created', { version: 1, designated_version: 1 }],
      [2, 'preset.renamed', { name: 'Many' }],
      [3, 'preset.described', { description: '☃ "quoted" \\ \n' }],
      [4, 'preset.disabled', { status: 'disabled' }],
    ]);
  });

  it('two processes that create the same preset at once create it once', async () => {
    const second = await preset.open();
    const changes = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        (index % 2 ? preset.storage : second).presets.change(
          preset.address('raced'),
          preset.author,
          (current) => addVersion(current ?? newPreset('raced'), version('', 0)),
        ),
      ),
    );
    const numbers = changes.map((changed) => changed?.preset.designatedVersion.version ?? 0);
    expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
    expect(await preset.state('raced')).toMatchObject({ revision: 12, latestVersion: 12 });
  });

  it('rejects changes past the backlog limit and completes the others', async () => {
    await preset.create('crowded');
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
    // On PostgreSQL, one has the connection while two wait for it.
    expect(8 - refused.length).toBeGreaterThanOrEqual(2);
    expect(8 - refused.length).toBeLessThanOrEqual(3);
    expect((await preset.state('crowded')).labels.size).toBe(8 - refused.length);
    await preset.apply('crowded', moveLabel('later', 1), time(2), small);
    await small.close();
  });

  it('close completes the changes that were accepted before', async () => {
    await preset.create('closing');
    const closing = await openStorage(storageOptions(preset.database));
    const changes = Array.from({ length: 30 }, (_, index) =>
      preset.apply('closing', moveLabel(`label-${index}`, 1), time(1), closing),
    );
    await Promise.all([closing.close(), ...changes]);
    expect((await preset.state('closing')).labels.size).toBe(30);
  });
});
