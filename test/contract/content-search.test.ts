import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorkspaceAddress } from '../../src/core/organization/workspace.ts';
import { type PresetStatus, presetStatuses } from '../../src/core/presets/preset.ts';
import { addAlias, archive, edit, removeAlias } from '../../src/core/presets/preset-change.ts';
import type { NewVersion } from '../../src/core/presets/preset-storage.ts';
import { parseSearchWords } from '../../src/core/text/words.ts';
import { readMigrations } from '../../src/storage/migrate.ts';
import { migrateStorage, openStorage } from '../../src/storage/open.ts';
import { createDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { createPresetStorage, owner, type PresetStorage, time } from '../support/preset-storage.ts';
import { storageOptions } from '../support/storage-options.ts';

const firstPage = { offset: 0, limit: 100 };

describe.each(engines)('search in the contents of presets on %s', (engine) => {
  let preset: PresetStorage;
  beforeAll(async () => {
    preset = await createPresetStorage(engine);
  });
  afterAll(() => preset.close());

  interface Filter {
    readonly q?: string;
    readonly tags?: readonly string[];
    readonly statuses?: readonly PresetStatus[];
  }
  const list = async (filter: Filter, page = firstPage, workspace = preset.workspace) => {
    const { q, tags, statuses = presetStatuses } = filter;
    const found = await preset.storage.presets.list(
      workspace,
      { statuses, words: parseSearchWords(q), tags },
      page,
    );
    return found ?? expect.fail('no such workspace');
  };
  const slugs = async (filter: Filter) => {
    const { presets, totalCount } = await list(filter);
    expect(totalCount).toBe(presets.length);
    return presets.map(({ slug }) => slug).sort();
  };
  const create = (slug: string, changes: Partial<NewVersion> = {}) => preset.create(slug, 0, changes);
  const index = () => preset.storage.presets.index();
  const rowCount = async (table: string) =>
    Number((await preset.database.sql(`SELECT count(*) AS n FROM ${table}`))[0]?.n);

  it.each<[string, Partial<NewVersion>, readonly string[]]>([
    ['prompt', { systemPrompt: 'Größe, “quoted” and 翻訳' }, ['grö', 'quot and', '訳', 'prompt größe']],
    ['model', { configJson: '{"model":"mistral/large-2"}' }, ['mistral', 'LARGE 2', 'model mis']],
    ['models', { configJson: '{"models":["cohere/command","xai/grok"]}' }, ['cohere', 'grok command']],
    ['fallbacks', { configJson: '{"fallbacks":[{"model":"haiku"}]}' }, ['haiku']],
  ])('a preset is found by the %s of its live version', async (slug, changes, queries) => {
    await create(slug, changes);
    await index();
    for (const q of queries) expect([q, await slugs({ q })]).toEqual([q, [slug]]);
    expect(await slugs({ q: `${queries[0]} nothing` })).toEqual([]);
  });

  it('a preset is found by the note of its live version', async () => {
    await create('noted', { systemPrompt: 'An old prompt' });
    const { id } = await preset.state('noted');
    // As a capture with a note stores it.
    await preset.database.transaction(
      `INSERT INTO preset_versions (id, preset_id, version, dialect, config, system_prompt, extension, creator_id, created_at)
       SELECT '019b0000-0000-7000-8000-00000000000a', preset_id, 2, dialect, config, system_prompt,
         '{"note":"Überarbeitet, shorter","designate":true}', creator_id, created_at
       FROM preset_versions WHERE preset_id = '${id}'`,
      `UPDATE presets SET latest_version = 2 WHERE id = '${id}'`,
    );
    await preset.apply('noted', edit({ designatedVersion: 2 }));
    await index();
    expect(await slugs({ q: 'überarb short' })).toEqual(['noted']);
    expect(await slugs({ q: 'designate' })).toEqual([]);
  });

  it('a preset is found by its live version, not by others', async () => {
    await create('moving', { systemPrompt: 'falcon nesting' });
    await create('moving', { systemPrompt: 'heron nesting' });
    await index();
    expect(await slugs({ q: 'falcon' })).toEqual([]);
    expect(await slugs({ q: 'heron nest' })).toEqual(['moving']);
    await preset.apply('moving', edit({ designatedVersion: 1 }));
    await index();
    expect(await slugs({ q: 'falcon nest' })).toEqual(['moving']);
    expect(await slugs({ q: 'heron' })).toEqual([]);
  });

  it('a change is indexed in the background, and indexing again finds nothing to do', async () => {
    await index();
    await create('soon', { systemPrompt: 'albatross' });
    await expect.poll(() => slugs({ q: 'albatross' })).toEqual(['soon']);
    // Joins a run that has not ended.
    await index();
    expect(await index()).toBe(0);
  });

  it('presets written by a server without the index are indexed too', async () => {
    await create('older', { systemPrompt: 'sparrow' });
    await index();
    const { id } = await preset.state('older');
    await preset.database.transaction(
      `INSERT INTO preset_versions (id, preset_id, version, dialect, config, system_prompt, creator_id, created_at)
       SELECT '019b0000-0000-7000-8000-00000000000b', preset_id, 2, dialect, config, 'starling', creator_id, created_at
       FROM preset_versions WHERE preset_id = '${id}'`,
      `UPDATE presets SET latest_version = 2, designated_version = 2, revision = 2 WHERE id = '${id}'`,
      `INSERT INTO audit_events (id, organization_id, preset_id, number, kind, actor_id, created_at)
       VALUES ('${id}', '${preset.workspace.organizationId}', '${id}', 2, 'preset.version_added', '${owner.id}', '${time(1)}')`,
    );
    // The search starts the indexer.
    await expect.poll(() => slugs({ q: 'starling' })).toEqual(['older']);
    expect(await slugs({ q: 'sparrow' })).toEqual([]);
  });

  it('a preset is found by its aliases, and by its old slug, as long as it has them', async () => {
    await create('greylag', { systemPrompt: 'gaggle' });
    await preset.apply('greylag', addAlias('pmpt_68a4-Barnacle'));
    await index();
    for (const q of ['pmpt 68a', 'barn', 'gaggle greylag barnacle'])
      expect([q, await slugs({ q })]).toEqual([q, ['greylag']]);
    await preset.apply('greylag', edit({ slug: 'brent', name: 'Brent' }));
    await index();
    expect(await slugs({ q: 'greylag brent' })).toEqual(['brent']);
    await preset.apply('brent', removeAlias('pmpt_68a4-Barnacle'));
    await preset.apply('brent', removeAlias('greylag'));
    await index();
    for (const q of ['68a4', 'greylag']) expect(await slugs({ q })).toEqual([]);
    expect(await slugs({ q: 'gaggle' })).toEqual(['brent']);
  });

  it('search words meet in names and contents, and each preset is found once', async () => {
    await create('meeting-point', { systemPrompt: 'meeting meetings point pelican' });
    await index();
    expect(await slugs({ q: 'meet pelican' })).toEqual(['meeting-point']);
    expect(await slugs({ q: 'meet' })).toEqual(['meeting-point']);
  });

  it('a search in one workspace never finds contents of another', async () => {
    const elsewhere = await preset.addWorkspace('another');
    await create('here', { systemPrompt: 'kestrel' });
    await index();
    expect(await list({ q: 'kestrel' }, firstPage, elsewhere)).toMatchObject({ totalCount: 0 });
  });

  it('contents of any length are indexed up to their bound', async () => {
    const systemPrompt = `earliest ${'x'.repeat(99_990)} latest`;
    await create('long', { systemPrompt, configJson: `{"models":["${'m/'.repeat(100_000)}"]}` });
    await index();
    expect(await slugs({ q: 'earliest' })).toEqual(['long']);
    expect(await slugs({ q: 'latest' })).toEqual([]);
  });

  describe('tags', () => {
    beforeAll(async () => {
      for (const [slug, tags] of [
        ['tagged-one', ['support', 'mobile', 'team:growth']],
        ['tagged-two', ['support', 'support-eu']],
        ['tagged-three', ['mobile']],
      ] as const) {
        await create(slug, { systemPrompt: 'waxwing' });
        await preset.apply(slug, edit({ tags }), time(50));
      }
    });

    it.each<[readonly string[], readonly string[]]>([
      [['support'], ['tagged-one', 'tagged-two']],
      [['support-eu'], ['tagged-two']],
      [['supp'], []],
      [['mobile', 'support'], ['tagged-one']],
      [['mobile', 'support-eu'], []],
      [['team:growth'], ['tagged-one']],
      [[], ['tagged-one', 'tagged-three', 'tagged-two']],
    ])('a filter by the tags %j finds %j at once', async (tags, expected) => {
      expect(await slugs({ q: 'tagged', tags })).toEqual(expected);
      if (tags.length > 0) expect(await slugs({ tags })).toEqual(expected);
    });

    it('a filter by tags combines with words and statuses', async () => {
      await index();
      expect(await slugs({ q: 'waxwing', tags: ['support'] })).toEqual(['tagged-one', 'tagged-two']);
      expect(await slugs({ q: 'two', tags: ['support'] })).toEqual(['tagged-two']);
      expect(await slugs({ q: '%', tags: ['support'] })).toEqual([]);
      expect(await slugs({ tags: ['support'], statuses: ['archived'] })).toEqual([]);
      await preset.apply('tagged-two', archive, time(60));
      expect(await slugs({ tags: ['support'], statuses: ['archived'] })).toEqual(['tagged-two']);
      expect(await slugs({ tags: ['support'], statuses: ['active'] })).toEqual(['tagged-one']);
    });

    it('a search finds the words of tags once they are indexed', async () => {
      await index();
      expect(await slugs({ q: 'growth' })).toEqual(['tagged-one']);
      expect(await slugs({ q: 'team:growth' })).toEqual(['tagged-one']);
    });

    it('tags are stored sorted, replaced as a whole and recorded as events', async () => {
      await create('regrouped');
      await preset.apply('regrouped', edit({ tags: ['b', 'a'] }));
      expect((await preset.state('regrouped')).tags).toEqual(['a', 'b']);
      expect(await preset.apply('regrouped', edit({ tags: ['a', 'b'] }))).toMatchObject({
        preset: { revision: 2 },
      });
      await preset.apply('regrouped', edit({ tags: ['b', 'c'], name: 'Renamed' }));
      expect(await slugs({ tags: ['a'] })).toEqual([]);
      expect(await slugs({ tags: ['c', 'b'] })).toEqual(['regrouped']);
      await preset.apply('regrouped', edit({ tags: [] }));
      expect(await slugs({ tags: ['b'] })).toEqual([]);
      expect(await preset.words('regrouped')).toEqual(['regrouped', 'renamed']);
      const events = (await preset.events('regrouped')).filter(({ kind }) => kind === 'preset.tagged');
      expect(events.map(({ before, after }) => [before?.tags, after?.tags])).toEqual([
        [null, 'a, b'],
        ['a, b', 'b, c'],
        ['b, c', null],
      ]);
    });

    it('adding a version keeps the tags', async () => {
      await create('kept');
      await preset.apply('kept', edit({ tags: ['keep'] }));
      await create('kept');
      expect((await preset.state('kept')).tags).toEqual(['keep']);
      expect(await slugs({ tags: ['keep'] })).toEqual(['kept']);
    });
  });

  describe('words that are too common to list', () => {
    let workspace: WorkspaceAddress;
    const presets = 1_100;
    const search = (q: string, page = firstPage) => list({ q }, page, workspace);
    const promptOf = (number: number) =>
      number < 3
        ? 'always sinister dexter'
        : `always ${number % 2 === 0 ? 'sinister' : 'dexter'} only${number}`;
    const commonWords = async () =>
      (await preset.database.sql('SELECT word FROM common_words ORDER BY word')).map(({ word }) => word);

    beforeAll(async () => {
      workspace = await preset.addWorkspace('another');
      await Promise.all(
        Array.from({ length: presets }, (_, number) =>
          create(`n${number}`, { ...workspace, systemPrompt: promptOf(number), createdAt: time(number) }),
        ),
      );
      await index();
    });

    it('a common word has no list of presets and is found by walking over them', async () => {
      expect(await commonWords()).toEqual(expect.arrayContaining(['always', 'm']));
      const listed = await preset.database.sql(`SELECT 1 FROM content_words WHERE word = 'always'`);
      // Every preset that was indexed after the word had become common is missing.
      expect(listed).toEqual([]);
      const { presets: found, ...count } = await search('alway', { offset: 40, limit: 2 });
      expect(found.map(({ slug }) => slug)).toEqual([`n${presets - 41}`, `n${presets - 42}`]);
      expect(count).toEqual({ totalCount: 43, isTotalExact: false });
      const last = await search('always', { offset: presets - 1, limit: 5 });
      expect([last.presets[0]?.slug, last.totalCount, last.isTotalExact]).toEqual(['n0', presets, true]);
    });

    it('a rare word beside a common one is looked up and counted', async () => {
      const { presets: found, ...count } = await search('always only77');
      expect(found.map(({ slug }) => slug)).toEqual(
        [779, 778, 777, 776, 775, 774, 773, 772, 771, 770, 77].map((number) => `n${number}`),
      );
      expect(count).toEqual({ totalCount: 11, isTotalExact: true });
    });

    it('words with few common presets are found, however far down the list', async () => {
      const { presets: found, ...count } = await search('dexter sinister');
      expect(found.map(({ slug }) => slug)).toEqual(['n2', 'n1', 'n0']);
      expect(count).toEqual({ totalCount: 3, isTotalExact: true });
    });

    it('a common word is found in presets that get it later, and no longer in those that lose it', async () => {
      const newest = async () => (await search('always', { offset: 0, limit: 1 })).presets[0]?.slug;
      await create('late', { ...workspace, systemPrompt: 'always', createdAt: time(90_000) });
      await index();
      expect(await newest()).toBe('late');
      await create('late', { ...workspace, systemPrompt: 'none', createdAt: time(90_001) });
      await index();
      expect(await newest()).toBe(`n${presets - 1}`);
    });
  });

  it('storages that index and write at the same time leave the index complete', async () => {
    const others = [await preset.open(), await preset.open()];
    const names = Array.from({ length: 20 }, (_, number) => `racing-${number}`);
    for (let round = 1; round <= 3; round += 1)
      await Promise.all([
        ...names.map((slug, number) =>
          (others[number % 2] ?? preset.storage).presets.createVersion(
            preset.newVersion(slug, { systemPrompt: `swift round${round}` }),
          ),
        ),
        ...others.map(({ presets }) => presets.index()),
        index(),
      ]);
    await index();
    expect(await slugs({ q: 'swift round3' })).toEqual(names.toSorted());
    expect(await slugs({ q: 'round1' })).toEqual([]);
    expect(await slugs({ q: 'round2' })).toEqual([]);
    expect(await rowCount('unindexed_presets')).toBe(0);
  });

  it('indexes presets from before the index existed, in the background', async () => {
    const database = await createDatabase(engine);
    const [flag, timestamp] = engine === 'sqlite' ? ['integer', 'text'] : ['boolean', 'timestamptz'];
    const known = readMigrations(engine).filter(({ number }) => number < 7);
    const workspaceId = '019b0000-0000-7000-8000-000000000001';
    const idOf = (kind: number) =>
      `'019b0000-0000-7000-800${kind}-' || substr(CAST(100000000000 + n AS text), 1, 12)`;
    const uuid = (text: string) => (engine === 'sqlite' ? text : `(${text})::uuid`);
    const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 250)`;
    await database.transaction(
      ...known.map(({ sql }) => sql),
      `CREATE TABLE schema_migrations (
         number integer PRIMARY KEY, name text NOT NULL, is_breaking ${flag} NOT NULL, applied_at ${timestamp} NOT NULL
       )`,
      ...known.map(
        ({ number, name, isBreaking }) =>
          `INSERT INTO schema_migrations VALUES (${number}, '${name}', ${isBreaking}, '${time(0)}')`,
      ),
      `INSERT INTO organizations (id, name, default_workspace_id, created_at)
       VALUES ('${workspaceId}', 'Acme', '${workspaceId}', '${time(0)}')`,
      `INSERT INTO workspaces (id, organization_id, slug, name, created_at)
       VALUES ('${workspaceId}', '${workspaceId}', 'default', 'Default', '${time(0)}')`,
      `INSERT INTO users VALUES ('u', 'u@example.com', 'u@example.com', '', '', '${time(0)}')`,
      `INSERT INTO presets (
         id, workspace_id, slug, name, status, latest_version, designated_version, revision, creator_user_id, created_at, updated_at
       ) ${numbers} SELECT ${uuid(idOf(1))}, w.id, 'old-' || n, 'old', 'active', 1, 1, 1, 'u', w.created_at, w.created_at
       FROM numbers, workspaces w`,
      `INSERT INTO preset_versions (id, preset_id, version, dialect, config, system_prompt, creator_id, created_at)
       ${numbers} SELECT ${uuid(idOf(2))}, ${uuid(idOf(1))}, 1, 'messages', '{"model":"vintage"}', 'Prompt' || n, 'u', w.created_at
       FROM numbers, workspaces w`,
    );
    await migrateStorage(storageOptions(database));
    const storage = await openStorage(storageOptions(database));
    try {
      const find = async (q: string) => {
        const workspace = { organizationId: workspaceId, workspaceId };
        const filter = { statuses: presetStatuses, words: parseSearchWords(q) };
        const page = await storage.presets.list(workspace, filter, firstPage);
        return page?.totalCount;
      };
      expect(await find('prompt25')).toBe(0);
      expect(await storage.presets.index()).toBe(250);
      expect(await find('prompt25')).toBe(2);
      expect(await find('vintage')).toBe(250);
      expect(await database.sql('SELECT * FROM preset_backfill')).toEqual([]);
      expect(await storage.presets.index()).toBe(0);
    } finally {
      await storage.close();
      await database.drop();
    }
  });
});
