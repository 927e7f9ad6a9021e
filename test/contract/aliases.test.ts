import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import {
  addAlias,
  addVersion,
  archive,
  edit,
  emptyPreset,
  moveLabel,
  removeAlias,
} from '../../src/core/presets/preset-change.ts';
import { engines } from '../support/engines.ts';
import { createPresetStorage, owner, type PresetStorage, time } from '../support/preset-storage.ts';

describe.each(engines)('aliases on %s', (engine) => {
  let preset: PresetStorage;
  beforeAll(async () => {
    preset = await createPresetStorage(engine);
  });
  afterAll(() => preset.close());

  const version = () => ({
    id: newId(),
    presetId: '',
    version: 0,
    dialect: 'responses' as const,
    configJson: '{}',
    systemPrompt: null,
    extensionJson: null,
    creatorId: owner.id,
    createdAt: time(1),
  });
  const rename = (from: string, slug: string, at?: string) => preset.apply(from, edit({ slug }), at);
  const aliasesOf = async (slug: string) => [...(await preset.state(slug)).aliases];
  const kindsOf = async (slug: string) => (await preset.events(slug)).map(({ kind }) => kind);

  it('every read finds a preset by its aliases and shows its slug', async () => {
    const { id } = await preset.create('read');
    for (const alias of ['read-b', 'Read-a', 'read-1']) await preset.apply('read', addAlias(alias), time(2));
    const [found, state] = [await preset.find('read'), await preset.state('read')];
    expect([...state.aliases]).toEqual(
      ['Read-a', 'read-1', 'read-b'].map((alias) => [alias, { createdAt: time(2) }]),
    );
    expect(found).toMatchObject({ id, slug: 'read', revision: 4 });
    for (const alias of state.aliases.keys()) {
      expect(await preset.find(alias)).toEqual(found);
      expect(await preset.state(alias)).toEqual(state);
      expect(await preset.storage.audit.findPreset(preset.workspace.workspaceId, alias)).toBe(id);
    }
    expect(await preset.find('READ-B')).toBeUndefined();
  });

  it('lists have the aliases of each preset', async () => {
    await preset.create('listed-one', 50);
    await preset.create('listed-two', 51);
    await preset.apply('listed-one', addAlias('other-name'), time(52));
    const active = { statuses: ['active' as const], words: ['listed'] };
    const page = await preset.storage.presets.list(preset.workspace, active, { offset: 0, limit: 9 });
    expect(page?.presets.map(({ slug, aliases }) => [slug, [...aliases.keys()]])).toEqual([
      ['listed-one', ['other-name']],
      ['listed-two', []],
    ]);
    const bySlug = await preset.storage.presets.listBySlug(preset.workspace, 'listed', 2);
    expect(bySlug.map(({ slug, aliases }) => [slug, [...aliases.keys()]])).toEqual([
      ['listed-one', ['other-name']],
      ['listed-two', []],
    ]);
  });

  it('a create under an alias adds a version to its preset', async () => {
    const { id } = await preset.create('made');
    await preset.apply('made', addAlias('made-elsewhere'));
    const second = await preset.create('made-elsewhere', 5);
    expect(second).toMatchObject({ id, slug: 'made', revision: 3, designatedVersion: { version: 2 } });
    const third = await preset.apply('made-elsewhere', (current) => addVersion(current, version()));
    expect(third?.preset).toMatchObject({ id, slug: 'made', designatedVersion: { version: 3 } });
    expect(await preset.words('made')).toEqual(['made']);
    expect((await preset.events('made'))[2]).toMatchObject({
      kind: 'preset.version_added',
      before: { designated_version: 1 },
      after: { version: 2, designated_version: 2 },
    });
  });

  it('creates of one batch that name the same preset differently number its versions in order', async () => {
    await preset.create('batched');
    await preset.apply('batched', addAlias('batched-too'));
    const names = ['batched', 'batched-too', 'beside', 'batched', 'batched-too'];
    const created = await Promise.all(names.map((name) => preset.create(name)));
    expect(created.map(({ slug, designatedVersion }) => [slug, designatedVersion.version])).toEqual([
      ['batched', 2],
      ['batched', 3],
      ['beside', 1],
      ['batched', 4],
      ['batched', 5],
    ]);
  });

  it('a create under an alias of an archived preset fails with its slug', async () => {
    await preset.create('shelved');
    await preset.apply('shelved', addAlias('shelved-too'));
    await preset.apply('shelved', archive);
    await expect(preset.create('shelved-too')).rejects.toMatchObject({
      kind: 'conflict',
      message: 'The preset "shelved" is archived. Restore it before adding a version.',
    });
  });

  it('a renamed preset keeps its old slug as an alias and is found by its new words', async () => {
    const { id } = await preset.create('early-name');
    await preset.apply('early-name', edit({ name: 'Title' }));
    const renamed = await rename('early-name', 'late-name', time(7));
    expect(renamed?.preset).toMatchObject({ id, slug: 'late-name', name: 'Title', updatedAt: time(7) });
    expect(await aliasesOf('late-name')).toEqual([['early-name', { createdAt: time(7) }]]);
    expect(await preset.find('early-name')).toEqual(renamed?.preset);
    expect(await preset.words('late-name')).toEqual(['late', 'name', 'title']);
    expect((await preset.events('late-name')).at(-1)).toMatchObject({
      kind: 'preset.slug_changed',
      before: { slug: 'early-name' },
      after: { slug: 'late-name' },
    });
  });

  it('renaming a preset to its own alias swaps the two', async () => {
    await preset.create('swap-a');
    await rename('swap-a', 'swap-b', time(3));
    await rename('swap-a', 'swap-a', time(4));
    expect(await preset.state('swap-b')).toMatchObject({ slug: 'swap-a', revision: 3 });
    expect(await aliasesOf('swap-a')).toEqual([['swap-b', { createdAt: time(4) }]]);
    expect(await kindsOf('swap-b')).toEqual(['preset.created', 'preset.slug_changed', 'preset.slug_changed']);
  });

  it('a removed alias can be used again', async () => {
    const { id } = await preset.create('first-owner');
    await preset.apply('first-owner', addAlias('passed-on'));
    const removed = await preset.apply('passed-on', removeAlias('passed-on'));
    expect(removed?.preset).toMatchObject({ id, slug: 'first-owner', revision: 3 });
    expect(await preset.find('passed-on')).toBeUndefined();
    expect((await preset.create('passed-on')).id).not.toBe(id);
    expect(await kindsOf('first-owner')).toEqual([
      'preset.created',
      'preset.alias_added',
      'preset.alias_removed',
    ]);
  });

  it('a name that another preset has is refused, and nothing changes', async () => {
    await preset.create('owner-of-name');
    await preset.apply('owner-of-name', addAlias('alias-of-name'));
    await preset.create('wants-name');
    const before = await preset.state('wants-name');
    const refusals = {
      'owner-of-name': '"owner-of-name" is already the slug of another preset. Choose another name.',
      'alias-of-name':
        '"alias-of-name" is already an alias of the preset "owner-of-name". Choose another name, or remove that alias first.',
    };
    for (const [name, message] of Object.entries(refusals)) {
      const refusal = { kind: 'conflict', message };
      await expect(preset.apply('wants-name', addAlias(name))).rejects.toMatchObject(refusal);
      await expect(rename('wants-name', name)).rejects.toMatchObject(refusal);
    }
    expect(await preset.state('wants-name')).toEqual(before);
    expect(await kindsOf('wants-name')).toEqual(['preset.created']);
  });

  it('a rule can create a preset with aliases, but not with one that is taken', async () => {
    const create = (slug: string, ...aliases: readonly string[]) =>
      preset.storage.presets.change(preset.address(slug), preset.author, () => {
        const change = addVersion(emptyPreset(preset.address(slug), newId(), owner.id, time(0)), version());
        const named = new Map(aliases.map((alias) => [alias, { createdAt: time(1) }]));
        return { ...change, next: { ...change.next, aliases: named } };
      });
    await create('imported', 'imported-b', 'imported-a');
    expect((await aliasesOf('imported-a')).map(([alias]) => alias)).toEqual(['imported-a', 'imported-b']);
    await expect(create('late-comer', 'imported-b')).rejects.toMatchObject({ kind: 'conflict' });
    expect(await preset.find('late-comer')).toBeUndefined();
  });

  it('workspaces can have presets with the same alias, and do not see each other', async () => {
    const elsewhere = await preset.addWorkspace('first');
    const { presets } = preset.storage;
    await preset.create('here');
    await preset.apply('here', addAlias('shared-alias'));
    expect(await presets.find({ ...elsewhere, slug: 'shared-alias' })).toBeUndefined();
    const created = await presets.createVersion({ ...preset.newVersion('shared-alias'), ...elsewhere });
    expect(created).toMatchObject({ slug: 'shared-alias', latestVersion: 1 });
    const foreign = { ...preset.address('shared-alias'), organizationId: newId() };
    expect(await presets.find(foreign)).toBeUndefined();
    expect(await presets.state(foreign)).toBeUndefined();
    expect(await preset.find('shared-alias')).toMatchObject({ slug: 'here' });
  });

  it('a rule gets the preset of an alias, and its change returns it', async () => {
    await preset.create('labeled');
    await preset.apply('labeled', addAlias('labeled-too'));
    const changed = await preset.apply('labeled-too', moveLabel('production', 1));
    expect(changed?.preset).toMatchObject({ slug: 'labeled', revision: 3 });
    const unchanged = await preset.apply('labeled-too', () => undefined);
    expect(unchanged).toEqual({ preset: await preset.find('labeled'), isReplay: false });
  });

  it('a repeated request under an alias returns the first response', async () => {
    await preset.create('repeated');
    await preset.apply('repeated', addAlias('repeated-too'));
    const once = { key: 'once', requestHash: 'hash', at: time(5), expiredBefore: time(0) };
    const change = (name: string) =>
      preset.storage.presets.change(
        preset.address(name),
        preset.author,
        (current) => addVersion(current ?? expect.fail('no preset'), version()),
        once,
      );
    const first = await change('repeated-too');
    expect(first).toMatchObject({ isReplay: false, preset: { slug: 'repeated', revision: 3 } });
    expect(await change('repeated-too')).toEqual({ ...first, isReplay: true });
    expect((await preset.state('repeated')).latestVersion).toBe(2);
  });

  const columns = `id, workspace_id, slug, name, status, latest_version, designated_version, revision, creator_user_id,
    created_at, updated_at`;
  const insertPreset = (slug: string) =>
    preset.database.transaction(
      `INSERT INTO presets (${columns}) SELECT '${newId()}', workspace_id, '${slug}', name, status, latest_version,
        designated_version, revision, creator_user_id, created_at, updated_at FROM presets WHERE slug = 'guarded'`,
    );

  it('the database itself refuses a slug that is an alias, and an alias that is a slug', async () => {
    await preset.create('guarded');
    await preset.apply('guarded', addAlias('guarded-too'));
    const { id, workspaceId } = await preset.state('guarded');
    const insertAlias = (alias: string) =>
      preset.database.sql(
        `INSERT INTO preset_aliases VALUES ('${workspaceId}', '${alias}', '${id}', '${time(0)}')`,
      );
    await expect(insertPreset('guarded-too')).rejects.toThrow(/alias|another preset/);
    await expect(insertAlias('guarded')).rejects.toThrow(/slug|another preset/);
    await expect(insertAlias('guarded-too')).rejects.toThrow(/unique/i);
    await expect(
      preset.database.sql(`UPDATE presets SET slug = 'guarded-too' WHERE id = '${id}'`),
    ).rejects.toThrow(/alias|another preset/);
    expect(await preset.find('guarded-too')).toMatchObject({ slug: 'guarded' });
  });

  it('only one of many concurrent attempts in two processes to take a name succeeds', async () => {
    const second = await preset.open();
    const storages = [preset.storage, second];
    for (let round = 0; round < 10; round += 1) {
      const name = `contested-${round}`;
      const rivals = [0, 1, 2, 3].map((rival) => `rival-${round}-${rival}`);
      const ids = (await Promise.all(rivals.map((rival) => preset.create(rival)))).map(({ id }) => id);
      const attempts = await Promise.allSettled(
        rivals.flatMap((rival, index) => [
          preset.apply(
            rival,
            index % 2 ? addAlias(name) : edit({ slug: name }),
            time(1),
            storages[index % 2],
          ),
          storages[(index + 1) % 2]?.presets.createVersion(preset.newVersion(name)),
        ]),
      );
      const failures = attempts.filter((attempt) => attempt.status === 'rejected');
      for (const { reason } of failures) expect(reason).toMatchObject({ kind: 'conflict' });
      const rows = await preset.database.sql(
        `SELECT id FROM presets WHERE slug = '${name}' UNION ALL
         SELECT preset_id FROM preset_aliases WHERE alias = '${name}'`,
      );
      expect(rows).toHaveLength(1);
      // Every create added a version to the preset that has the name.
      const { id, latestVersion } = await preset.state(name);
      expect(rows[0]?.id).toBe(id);
      expect(latestVersion).toBe(ids.includes(id) ? 5 : 4);
    }
  });
});
