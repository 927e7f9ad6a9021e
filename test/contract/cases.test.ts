import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CaseRule, removeCase, saveCase } from '../../src/core/presets/case.ts';
import { casesMax } from '../../src/core/presets/case-name.ts';
import { exportPresets } from '../../src/core/presets/export-presets.ts';
import { engines } from '../support/engines.ts';
import { createPresetStorage, owner, type PresetStorage, time } from '../support/preset-storage.ts';

describe.each(engines)('test cases on %s', (engine) => {
  let preset: PresetStorage;
  beforeAll(async () => {
    preset = await createPresetStorage(engine);
  });
  afterAll(() => preset.close());

  const change = (slug: string, names: readonly string[], rule: CaseRule, storage = preset.storage) =>
    storage.presets.change(
      preset.address(slug),
      preset.author,
      (current, cases) => rule(current ?? expect.fail(`no preset ${slug}`), cases, time(9)),
      undefined,
      names,
    );
  const save = (slug: string, name: string, contentJson = '{}', newName = name) =>
    change(slug, [name], saveCase(name, newName, contentJson));
  const remove = (slug: string, name: string) => change(slug, [name], removeCase(name));
  const idOf = async (slug: string) => (await preset.state(slug)).id;
  const current = async (slug: string) => {
    const id = await idOf(slug);
    return (await preset.storage.cases.current([id])).get(id) ?? [];
  };

  it('a case is stored with its exact text and the event that stored it', async () => {
    await preset.create('exact');
    const contentJson = '{"variables": {"n": 0.10, "t": "é 😀 \\u2028"}}';
    const changed = await save('exact', 'Late parcel', contentJson);
    expect(changed?.preset).toMatchObject({ revision: 2, updatedAt: time(9) });
    const found = {
      name: 'Late parcel',
      contentJson,
      eventNumber: 2,
      updatedAt: time(9),
      updatedBy: owner.id,
      updatedByEmail: owner.email,
    };
    const id = await idOf('exact');
    expect(await preset.storage.cases.find(id, 'Late parcel')).toEqual(found);
    expect(await preset.storage.cases.read(id, await current('exact'))).toEqual([found]);
    expect(await preset.storage.cases.find(id, 'late parcel')).toBeUndefined();
    expect((await preset.events('exact')).at(-1)).toMatchObject({
      number: 2,
      kind: 'preset.case_saved',
      before: null,
      after: { case: 'Late parcel' },
    });
  });

  it('every state of a case can be read by the number of an event', async () => {
    await preset.create('history');
    await save('history', 'a', '{"v":1}');
    await save('history', 'a', '{"v":2}');
    await save('history', 'a', '{"v":3}', 'b');
    await remove('history', 'b');
    await save('history', 'a', '{"v":4}');
    expect((await preset.events('history')).map(({ kind }) => kind.slice('preset.'.length))).toEqual([
      'created',
      'case_saved',
      'case_saved',
      'case_renamed',
      'case_saved',
      'case_removed',
      'case_saved',
    ]);
    const id = await idOf('history');
    const at = async (name: string) => {
      const found = Array.from({ length: 8 }, (_, index) => preset.storage.cases.find(id, name, index + 1));
      return (await Promise.all(found)).map((each) => each?.contentJson.at(-2));
    };
    expect(await at('a')).toEqual([undefined, '1', '2', undefined, undefined, undefined, '4', '4']);
    expect(await at('b')).toEqual([
      undefined,
      undefined,
      undefined,
      '2',
      '3',
      undefined,
      undefined,
      undefined,
    ]);
    expect(await current('history')).toEqual([{ name: 'a', eventNumber: 7 }]);
  });

  it('cases are listed in the order of code points', async () => {
    await preset.create('listed');
    for (const name of ['b', 'a', 'B', 'é', 'a b', '1']) await save('listed', name);
    await remove('listed', 'b');
    const names = ['1', 'B', 'a', 'a b', 'é'];
    const references = await current('listed');
    expect(references.map(({ name }) => name)).toEqual(names);
    const cases = await preset.storage.cases.read(await idOf('listed'), references.toReversed());
    expect(cases.map(({ name }) => name)).toEqual(names);
  });

  it('states of cases are read as they were, and unknown ones are skipped', async () => {
    await preset.create('read');
    const name = '" \\ 😀';
    await save('read', name, '{"v":1}');
    await save('read', name, '{"v":2}');
    await remove('read', name);
    const references = [1, 2, 4].map((eventNumber) => ({ name, eventNumber }));
    const read = await preset.storage.cases.read(await idOf('read'), references);
    expect(read.map(({ contentJson, eventNumber }) => [contentJson, eventNumber])).toEqual([['{"v":1}', 2]]);
    expect(await preset.storage.cases.read(await idOf('read'), [])).toEqual([]);
  });

  it('a rule sees all names, and the contents that it asks for', async () => {
    await preset.create('seen');
    await save('seen', 'a', '{"v":1}');
    await save('seen', 'b', '{"v":2}');
    const seenBy = async (names: readonly string[]) => {
      let seen: unknown;
      await change('seen', names, (_current, cases) => {
        seen = [[...cases.names].sort(), [...cases.contents]];
        return undefined;
      });
      return seen;
    };
    expect(await seenBy([])).toEqual([['a', 'b'], []]);
    expect(await seenBy(['b', 'c'])).toEqual([['a', 'b'], [['b', '{"v":2}']]]);
  });

  it('the current cases are those of presets that ever had one', async () => {
    const ids: string[] = [];
    for (const slug of ['named-never', 'named-some', 'named-removed'])
      ids.push((await preset.create(slug)).id);
    for (const name of ['b', 'a']) await save('named-some', name);
    await save('named-removed', 'x');
    await remove('named-removed', 'x');
    const [, some, removed] = ids;
    expect(await preset.storage.cases.current(ids)).toEqual(
      new Map([
        [
          some,
          [
            { name: 'a', eventNumber: 3 },
            { name: 'b', eventNumber: 2 },
          ],
        ],
        [removed, []],
      ]),
    );
  });

  it.each([
    ['removed', (slug: string) => remove(slug, 'b')],
    ['added', (slug: string) => save(slug, 'a', '{"note":null}')],
    ['renamed', (slug: string) => save(slug, 'h', '{"note":null}', 'a')],
  ])('an export has exactly the cases that its preset names, if one is %s meanwhile', async (how, change) => {
    const slug = `exported-${how}`;
    await preset.create(slug);
    const names = ['b', 'c', 'd', 'e', 'f', 'g', 'h'];
    for (const name of names) await save(slug, name, '{"note":null}');
    const exported: string[] = [];
    for await (const text of exportPresets(preset.storage, preset.workspace, owner.id)) {
      if (!text.includes(`"slug":"${slug}"`)) continue;
      const line = JSON.parse(text);
      if (line.type === 'preset') expect(line.cases).toEqual(names);
      if (line.type === 'version') await change(slug);
      if (line.type === 'case') exported.push(line.name);
    }
    expect(exported).toEqual(names);
  });

  it('concurrent changes of cases are never lost and never exceed the maximum', async () => {
    await preset.create('raced');
    const contents = Array.from({ length: casesMax - 3 }, (_, index) => [`case ${index}`, '{}'] as const);
    await change('raced', [], (current, _cases, at) => ({
      at,
      next: { ...current, revision: current.revision + 1 },
      versions: [],
      cases: contents.map(([name, contentJson]) => ({ name, contentJson, number: current.revision + 1 })),
      events: [{ id: crypto.randomUUID(), kind: 'preset.imported', before: null, after: null }],
    }));
    const second = await preset.open();
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => {
        const name = `more ${index}`;
        return change('raced', [name], saveCase(name, name, '{}'), index % 2 ? preset.storage : second);
      }),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await current('raced')).toHaveLength(casesMax);
  });

  it('the database rejects changes to stored cases', async () => {
    await preset.create('kept');
    await save('kept', 'a');
    for (const statement of [
      `UPDATE preset_cases SET content = '{"x":1}'`,
      `UPDATE preset_cases SET name = 'x'`,
      'DELETE FROM preset_cases',
    ])
      await expect(preset.database.transaction(statement)).rejects.toThrow(/a case is never/);
  });
});
