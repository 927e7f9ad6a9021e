import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import type { WorkspaceAddress } from '../../src/core/organization/workspace.ts';
import { type PresetState, type PresetStatus, presetStatuses } from '../../src/core/presets/preset.ts';
import { archive, edit, moveLabel, restore } from '../../src/core/presets/preset-change.ts';
import { parseSearchWords } from '../../src/core/text/words.ts';
import { engines } from '../support/engines.ts';
import { addMember, newMember } from '../support/members.ts';
import { createPresetStorage, owner, type PresetStorage, time } from '../support/preset-storage.ts';

const everything = { statuses: presetStatuses, words: undefined };
const firstPage = { offset: 0, limit: 100 };

describe.each(engines)('lists of presets on %s', (engine) => {
  let preset: PresetStorage;
  beforeAll(async () => {
    preset = await createPresetStorage(engine);
  });
  afterAll(() => preset.close());

  const createIn = (workspace: WorkspaceAddress, slug: string, seconds = 0) =>
    preset.storage.presets.createVersion(preset.newVersion(slug, { ...workspace, createdAt: time(seconds) }));
  const list = async (workspace: WorkspaceAddress, filter: Parameters<typeof query>[1], page = firstPage) =>
    (await query(workspace, filter, page)) ?? expect.fail('no such workspace');
  const query = (
    workspace: WorkspaceAddress,
    filter: { statuses: readonly PresetStatus[]; words: readonly string[] | undefined },
    page = firstPage,
  ) => preset.storage.presets.list(workspace, filter, page);
  const slugsOf = (presets: readonly { slug: string }[]) => presets.map(({ slug }) => slug);

  describe('lists without search words', () => {
    let workspace: WorkspaceAddress;
    /** In the order in which they must be listed. */
    let inOrder: { slug: string; status: PresetStatus }[];

    beforeAll(async () => {
      workspace = preset.workspace;
      const created: { slug: string; status: PresetStatus; id: string; updatedAt: string }[] = [];
      for (let index = 0; index < 24; index += 1) {
        const slug = `p${index}`;
        // Several presets of each status were updated at the same moment.
        const { id } = await createIn(workspace, slug, 0);
        const status = presetStatuses[index % 3] ?? 'active';
        const updatedAt = time(10 + (index % 4));
        if (status === 'archived') await preset.apply(slug, archive, updatedAt);
        else if (status === 'disabled') await preset.apply(slug, edit({ status }), updatedAt);
        else await preset.apply(slug, edit({ name: `Preset ${index}` }), updatedAt);
        created.push({ slug, status, id, updatedAt });
      }
      const order = (one: { updatedAt: string; id: string }) => one.updatedAt + one.id;
      inOrder = created.toSorted((a, b) => (order(a) < order(b) ? 1 : -1));
    });

    it.each<[string, readonly PresetStatus[]]>([
      ['every status', presetStatuses],
      ['the statuses active and disabled', ['active', 'disabled']],
      ['two statuses in another order', ['archived', 'active']],
      ['one status', ['disabled']],
      ['no status', []],
    ])('lists presets of %s, newest update first, then by descending id', async (_, statuses) => {
      const expected = inOrder.filter(({ status }) => statuses.includes(status));
      const { presets, totalCount } = await list(workspace, { statuses, words: undefined });
      expect(totalCount).toBe(expected.length);
      expect(presets.map(({ slug, status }) => [slug, status])).toEqual(
        expected.map(({ slug, status }) => [slug, status]),
      );
    });

    it('pages of presets contain each preset once and end with an empty page', async () => {
      const filter = { statuses: presetStatuses, words: undefined };
      const slugs: string[] = [];
      for (let offset = 0; offset < 24; offset += 5) {
        const page = await list(workspace, filter, { offset, limit: 5 });
        expect(page.totalCount).toBe(24);
        slugs.push(...slugsOf(page.presets));
      }
      expect(slugs).toEqual(slugsOf(inOrder));
      for (const offset of [24, 25, 2_147_483_647])
        expect(await list(workspace, filter, { offset, limit: 100 })).toEqual({
          presets: [],
          totalCount: 24,
          isTotalExact: true,
        });
    });

    it('a listed preset has its state and the id of its live version', async () => {
      await createIn(workspace, 'p0', 100);
      await preset.apply('p0', moveLabel('blue', 1), time(101));
      const designated = await preset.apply('p0', edit({ designatedVersion: 1 }), time(102));
      const { presets } = await list(workspace, everything, { offset: 0, limit: 1 });
      expect(presets).toEqual([
        {
          ...(await preset.storage.presets.state(preset.address('p0'))),
          designatedVersionId: designated?.preset.designatedVersion.id,
        },
      ]);
      expect(presets[0]?.labels).toEqual(new Map([['blue', { version: 1, updatedAt: time(101) }]]));
    });

    it('a list is empty for a workspace without presets and undefined for an unknown workspace', async () => {
      const empty = await preset.addWorkspace('another');
      const words = ['p0'];
      for (const filter of [everything, { ...everything, words }, { ...everything, words: [] }]) {
        expect(await query(empty, filter)).toEqual({ presets: [], totalCount: 0, isTotalExact: true });
        expect(await query({ ...workspace, workspaceId: newId() }, filter)).toBeUndefined();
        expect(await query({ ...workspace, organizationId: newId() }, filter)).toBeUndefined();
        expect(await query({ ...workspace, workspaceId: empty.workspaceId }, filter)).toBeUndefined();
      }
    });
  });

  describe('lists with overviews', () => {
    const overviewOf = async (slug: string) => {
      const { presets } = await list(preset.workspace, { ...everything, words: [slug] });
      const [overview] = await preset.storage.presets.overviews(presets);
      return overview ?? expect.fail(`no preset ${slug}`);
    };

    it.each<[string, string | null]>([
      ['{"temperature":1,"model":"a/b"}', 'a/b'],
      ['{"model":"a/b","models":["c"]}', 'a/b'],
      ['{"models":["c","d"]}', 'c'],
      ['{"models":[1,null,["x"],{"y":"z"},"e"]}', 'e'],
      ['{"model":null,"models":["c"]}', 'c'],
      ['{"model":7,"models":["c"]}', 'c'],
      ['{"model":{"model":"x"}}', null],
      ['{"model":["x"]}', null],
      ['{"model":true,"models":{"a":"b"}}', null],
      ['{"models":"c"}', null],
      ['{"models":[]}', null],
      ['{"models":null}', null],
      ['{"tools":[{"model":"inner"}]}', null],
      ['{}', null],
      ['{"model":""}', ''],
      ['{"model":"\\"ü\\\\👩‍👩‍👧\\n\\u0001"}', '"ü\\👩‍👩‍👧\n\u0001'],
      ['{"model.x":"y","$.model":"z"}', null],
      ['{"seed":184467440737095516151844674407370955161518446744073709551615,"b":1e999,"model":"m"}', 'm'],
      [`{"a":${'['.repeat(250)}${']'.repeat(250)},"model":"m"}`, 'm'],
      [`{"model":"${'👩'.repeat(300)}"}`, '👩'.repeat(256)],
      [`{"models":["${'x'.repeat(1_000_000)}"]}`, 'x'.repeat(256)],
    ])('the overview shows the model of the config %s', async (configJson, model) => {
      await preset.create('modelled', 400, { configJson });
      expect((await overviewOf('modelled')).model).toBe(model);
    });

    it('the overview shows the model of the live version', async () => {
      await preset.create('designating', 400, { configJson: '{"model":"old"}' });
      await preset.create('designating', 401, { configJson: '{"model":"new"}' });
      expect((await overviewOf('designating')).model).toBe('new');
      await preset.apply('designating', edit({ designatedVersion: 1 }), time(402));
      expect((await overviewOf('designating')).model).toBe('old');
    });

    it('the overview shows who made the last change, with or without an email', async () => {
      const { storage, workspace } = preset;
      const member = await addMember(storage, workspace.organizationId, newMember());
      const renamedBy = (userId: string, name: string) =>
        storage.presets.change(
          preset.address('changed'),
          { userId, keyLabel: null },
          (current) => current && edit({ name })(current, time(500)),
        );
      await preset.create('changed', 499);
      expect(await overviewOf('changed')).toMatchObject({
        updatedBy: owner.id,
        updatedByEmail: owner.email,
      });
      await renamedBy(member.id, 'One');
      const { updatedBy, updatedByEmail } = await overviewOf('changed');
      expect([updatedBy, updatedByEmail]).toEqual([member.id, member.email]);
      await renamedBy('operator', 'Two');
      expect(await overviewOf('changed')).toMatchObject({
        updatedBy: 'operator',
        updatedByEmail: null,
        updatedByName: null,
      });
    });

    it.each([
      ['Ada', 'Lovelace', 'Ada Lovelace'],
      ['Ada', '', 'Ada'],
      ['', 'Lovelace', 'Lovelace'],
      ['', '', null],
    ])('the overview names a person with the names %j and %j %j', async (firstName, lastName, name) => {
      const { storage, workspace } = preset;
      const member = await addMember(storage, workspace.organizationId, {
        ...newMember(),
        firstName,
        lastName,
      });
      await preset.create('named', 510, { author: { userId: member.id, keyLabel: null } });
      expect((await overviewOf('named')).updatedByName).toBe(name);
    });

    it('the overview shows when the preset was last called', async () => {
      await preset.create('called', 520);
      const { id, lastCalledAt } = await overviewOf('called');
      expect(lastCalledAt).toBeNull();
      await preset.storage.presetCalls.recordLastUses(new Map([[id, time(521)]]));
      expect((await overviewOf('called')).lastCalledAt).toBe(time(521));
    });

    it('overviews show presets as of the moment they were listed, in the same order', async () => {
      const { presets } = await list(preset.workspace, everything);
      expect(presets.length).toBeGreaterThan(16);
      const before = await preset.storage.presets.overviews(presets);
      expect(before).toEqual(
        presets.map((listed) => ({
          ...listed,
          model: expect.toBeOneOf([null, expect.any(String)]),
          updatedBy: expect.any(String),
          updatedByEmail: expect.toBeOneOf([null, expect.any(String)]),
          updatedByName: expect.toBeOneOf([null, expect.any(String)]),
          lastCalledAt: expect.toBeOneOf([null, expect.any(String)]),
        })),
      );
      const last = presets.at(-1) ?? expect.fail('no presets');
      const member = await addMember(preset.storage, preset.workspace.organizationId, newMember());
      await preset.create(last.slug, 600, {
        author: { userId: member.id, keyLabel: null },
        configJson: '{"model":"later"}',
      });
      expect(await preset.storage.presets.overviews(presets)).toEqual(before);
      expect(await preset.storage.presets.overviews([])).toEqual([]);
    });
  });

  describe('lists with search words', () => {
    let workspace: WorkspaceAddress;
    const found = async (text: string, statuses: readonly PresetStatus[] = presetStatuses) => {
      const { presets, totalCount } = await list(workspace, { statuses, words: parseSearchWords(text) });
      expect(totalCount).toBe(presets.length);
      return slugsOf(presets);
    };
    const named = async (slug: string, name: string, description: string | null = null) => {
      await createIn(workspace, slug);
      const address = { ...workspace, slug };
      await preset.storage.presets.change(
        address,
        preset.author,
        (current) => current && edit({ name, description })(current, time(5)),
      );
    };

    beforeAll(async () => {
      workspace = await preset.addWorkspace('first');
      await named('mail-triage', 'Sorter', 'Reads incoming letters.\nAnswers the urgent ones.');
      await named('overview', 'Große Übersicht', 'ÉTÉ in İstanbul');
      await named('translate', '翻訳プリセット', 'サーバーAPI と データ');
      await named('signs', '100% sure_thing', `it's a * or "b" \\ c; -- ? $1`);
      await named('long', `w${'o'.repeat(99)}`, `${'ü'.repeat(70)} 👩‍👩‍👧 x`);
      await named('decomposed', 'Mu\u0308ller', 'ﬁne ｆｕｌｌ ① ½');
      await named('thai', 'ภาษาไทย', 'ελληνικά Русский עברית العربية 한국어');
    });

    it.each([
      ['mail', ['mail-triage']],
      ['MAIL Tri', ['mail-triage']],
      ['triage mail', ['mail-triage']],
      ['mail sort urgent letters', ['mail-triage']],
      ['mail nothing', []],
      ['ail', []],
      ['mailx', []],
      ['ones', ['mail-triage']],
      ['große', ['overview']],
      ['GROẞE', ['overview']],
      ['Ü', ['overview', 'long']],
      ['u\u0308bersicht', ['overview']],
      ['uber', []],
      ['été', ['overview']],
      ['İstan', ['overview']],
      ['müll', ['decomposed']],
      ['fine full', ['decomposed']],
      ['1', ['decomposed', 'signs']],
      ['翻訳', ['translate']],
      ['訳', ['translate']],
      ['翻語', []],
      ['プリ', ['translate']],
      ['ﾌﾟﾘ', ['translate']],
      ['サーバー', ['translate']],
      ['API', ['translate']],
      ['ไทย', ['thai']],
      ['ΕΛΛΗΝ русс', ['thai']],
      ['한국', ['thai']],
      ['עברית العر', ['thai']],
      ['100%', ['signs']],
      ['sure_t', ['signs']],
      [`it's`, ['signs']],
      ['%', []],
      ['_', []],
      ["'", []],
      ['*', []],
      ['\\', []],
      ["' UNION SELECT 1 --", []],
      [`w${'o'.repeat(63)}`, ['long']],
      [`w${'o'.repeat(150)}`, ['long']],
      [`w${'o'.repeat(62)}x`, []],
      ['ü'.repeat(70), ['long']],
      ['👩‍👩‍👧', []],
      ['\u{10FFFF}', []],
    ])('searching presets for %s finds %j', async (text, slugs) => {
      expect((await found(text)).sort()).toEqual(slugs.sort());
    });

    it('a search of only spaces finds every preset', async () => {
      expect(await found(' \t\n ')).toHaveLength(7);
    });

    it('a renamed preset is found by its new words and its slug, not by the old words', async () => {
      await named('renamed', 'Earlier', 'Former words');
      expect(await found('earlier former')).toEqual(['renamed']);
      await named('renamed', 'Later', 'Present words');
      expect(await found('earlier')).toEqual([]);
      expect(await found('former')).toEqual([]);
      expect(await found('renamed later present words')).toEqual(['renamed']);
    });

    it('a search finds each preset of the workspace once, however many of its words match', async () => {
      await named('same', 'Saméness same', 'sames samest same-same');
      await createIn(preset.workspace, 'same');
      expect(await found('sam')).toEqual(['same']);
      expect(await found('sam same sames')).toEqual(['same']);
    });

    it('search results are filtered by status, counted and paged, newest update first', async () => {
      workspace = preset.workspace;
      for (let index = 0; index < 7; index += 1) await createIn(workspace, `page-${index}`, 200 - index);
      await preset.apply('page-1', archive, time(300));
      await preset.apply('page-5', edit({ status: 'disabled' }), time(301));
      const words = parseSearchWords('page') ?? [];
      const pages = [];
      for (const offset of [0, 3, 6, 9])
        pages.push(await list(workspace, { statuses: presetStatuses, words }, { offset, limit: 3 }));
      expect(pages.map(({ totalCount }) => totalCount)).toEqual([7, 7, 7, 7]);
      expect(pages.map(({ presets }) => slugsOf(presets))).toEqual([
        ['page-5', 'page-1', 'page-0'],
        ['page-2', 'page-3', 'page-4'],
        ['page-6'],
        [],
      ]);
      expect(await found('page', ['archived'])).toEqual(['page-1']);
      expect(await found('page 1', ['active', 'disabled'])).toEqual([]);
      expect(await found('page', ['disabled', 'active'])).toEqual([
        'page-5',
        'page-0',
        'page-2',
        'page-3',
        'page-4',
        'page-6',
      ]);
      expect(await found('page', [])).toEqual([]);
    });
  });

  describe('search words that are too common to count', () => {
    let workspace: WorkspaceAddress;
    const each = 1_005;
    const search = (text: string, page = firstPage, statuses: readonly PresetStatus[] = presetStatuses) =>
      list(workspace, { statuses, words: parseSearchWords(text) }, page);
    /** All pages, up to the first that is not full. */
    const pages = async (text: string) => {
      const all: Awaited<ReturnType<typeof search>>[] = [];
      for (let offset = 0; all.length === 0 || all.at(-1)?.presets.length === 100; offset += 100)
        all.push(await search(text, { offset, limit: 100 }));
      return all;
    };
    const slugsOfPages = (all: Awaited<ReturnType<typeof pages>>) =>
      all.flatMap(({ presets }) => slugsOf(presets));

    beforeAll(async () => {
      workspace = await preset.addWorkspace('another');
      // The first three have both words, the others have one of them.
      const slugs = Array.from({ length: 2 * each }, (_, index) =>
        index < 3 ? `left-right-${index}` : `${index < each ? 'left' : 'right'}-${index}`,
      );
      await Promise.all(slugs.map((slug, index) => createIn(workspace, slug, index)));
    });

    it('a common word finds presets in list order, with an exact total only on the last page', async () => {
      const all = await pages('left');
      expect(slugsOfPages(all)).toEqual(
        slugsOfPages(await pages('')).filter((slug) => slug.startsWith('left')),
      );
      expect(all.map(({ totalCount, isTotalExact }) => [totalCount, isTotalExact])).toEqual([
        ...Array.from({ length: 10 }, (_, page) => [100 * page + 101, false]),
        [each, true],
      ]);
    });

    it('two common words find the few presets that have both, however far down the list', async () => {
      const { presets, ...count } = await search('rig LEF');
      expect(slugsOf(presets)).toEqual(['left-right-2', 'left-right-1', 'left-right-0']);
      expect(count).toEqual({ totalCount: 3, isTotalExact: true });
      expect(await search('left right', { offset: 3, limit: 1 })).toEqual({ presets: [], ...count });
      expect(slugsOf((await search('left right', { offset: 1, limit: 1 })).presets)).toEqual([
        'left-right-1',
      ]);
    });

    it('a common word with a status filter is counted exactly once all presets were checked', async () => {
      const address = { ...workspace, slug: 'left-5' };
      const decide = (current: PresetState | undefined) => current && archive(current, time(9_999));
      await preset.storage.presets.change(address, preset.author, decide);
      const { presets, ...count } = await search('left', firstPage, ['archived', 'disabled']);
      expect(slugsOf(presets)).toEqual(['left-5']);
      expect(count).toEqual({ totalCount: 1, isTotalExact: true });
      const [first] = (await search('left', firstPage)).presets;
      expect(first?.slug).toBe('left-5');
      const active = await search('left', { offset: each - 2, limit: 5 }, ['active']);
      expect([slugsOf(active.presets), active.totalCount]).toEqual([['left-right-0'], each - 1]);
    });
  });

  it('presets by slug are in byte order', async () => {
    const workspace = await preset.addWorkspace('another');
    const slugs = [
      'b',
      'a',
      'B',
      'A',
      '~',
      '-',
      '_',
      '.x',
      '0',
      '10',
      '9',
      'a-',
      'a.',
      'a~',
      'aa',
      'aB',
      'a0',
    ];
    for (const slug of slugs) await createIn(workspace, slug);
    const bySlug = async (after: string, limit: number, from = workspace) =>
      slugsOf(await preset.storage.presets.listBySlug(from, after, limit));
    const inOrder = slugs.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(await bySlug('', 100)).toEqual(inOrder);
    for (const [index, slug] of inOrder.entries())
      expect(await bySlug(slug, 2)).toEqual(inOrder.slice(index + 1, index + 3));
    expect(await bySlug('a,', 1)).toEqual(['a-']);
    expect(await bySlug('', 100, { ...workspace, workspaceId: newId() })).toEqual([]);
    expect(await bySlug('', 100, { ...workspace, organizationId: newId() })).toEqual([]);
    const [first] = await preset.storage.presets.listBySlug(workspace, '', 1);
    expect(first).toEqual(await preset.storage.presets.state({ ...workspace, slug: '-' }));
  });

  it('counts stay exact while two processes create, archive, disable and restore presets', async () => {
    const second = await preset.open();
    const storages = [preset.storage, second];
    const slugs = Array.from({ length: 30 }, (_, index) => `counted-${index}`);
    await Promise.all(
      slugs.flatMap((slug) =>
        storages.map((storage) => storage.presets.createVersion(preset.newVersion(slug))),
      ),
    );
    const rules = [archive, restore, edit({ status: 'disabled' }), edit({ status: 'active' })];
    const outcomes = await Promise.allSettled(
      slugs.flatMap((slug, index) =>
        rules.map((_, step) =>
          preset.apply(slug, rules[(index + step) % 4] ?? archive, time(1), storages[(index + step) % 2]),
        ),
      ),
    );
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ kind: 'conflict' });
    const { workspaceId } = preset.workspace;
    const counted = await preset.database.sql(
      `SELECT status, presets FROM preset_counts WHERE workspace_id = '${workspaceId}' AND presets <> 0 ORDER BY 1`,
    );
    const real = await preset.database.sql(
      `SELECT status, CAST(count(*) AS integer) AS presets FROM presets WHERE workspace_id = '${workspaceId}'
       GROUP BY status ORDER BY 1`,
    );
    expect(counted).toEqual(real);
    for (const { status, presets } of real) {
      const filter = { statuses: [status as PresetStatus], words: undefined };
      expect((await list(preset.workspace, filter)).totalCount).toBe(presets);
    }
  });
});
