import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PresetdError } from '../../src/core/errors.ts';
import { newId } from '../../src/core/identifiers.ts';
import type { PresetState } from '../../src/core/preset.ts';
import { addVersion, archive, edit, emptyPreset, type PresetChange } from '../../src/core/preset-change.ts';
import type { IdempotencyKey, Storage } from '../../src/core/storage.ts';
import { engines } from '../support/engines.ts';
import { createPresetStorage, owner, type PresetStorage, time } from '../support/preset-storage.ts';

const daySeconds = 24 * 60 * 60;

describe.each(engines)('a change that must happen once on %s', (engine) => {
  let preset: PresetStorage;
  beforeAll(async () => {
    preset = await createPresetStorage(engine);
  });
  afterAll(() => preset.close());

  const once = (key: string, seconds = 0, requestHash = 'hash'): IdempotencyKey => ({
    key,
    requestHash,
    at: time(seconds),
    forgottenBefore: time(seconds - daySeconds),
  });
  /** The rule of a create. */
  const add =
    (slug: string, seconds = 0) =>
    (current: PresetState | undefined) => {
      const first = emptyPreset(preset.newVersion(slug), newId(), owner.id, time(seconds));
      return addVersion(current ?? first, {
        id: newId(),
        presetId: '',
        version: 0,
        dialect: 'responses',
        configJson: '{"a":1.50}',
        systemPrompt: 'Größe "x"',
        creatorId: owner.id,
        createdAt: time(seconds),
      });
    };
  const change = async (
    slug: string,
    asked: IdempotencyKey,
    decide: (current: PresetState | undefined) => PresetChange | undefined = add(slug),
    { presets }: Storage = preset.storage,
  ) => (await presets.change(preset.address(slug), preset.author, decide, asked)) ?? expect.fail('no preset');
  const versionsOf = async (slug: string) =>
    (await preset.storage.presets.state(preset.address(slug)))?.latestVersion ?? 0;
  const remembered = async (keys: string) =>
    (
      await preset.database.sql(
        `SELECT key FROM idempotency_keys WHERE key LIKE '${keys}' ORDER BY created_at`,
      )
    ).map((row) => row.key);
  const neverAsked = () => expect.fail('the rule must not be asked');

  it('is answered as the first time when it is asked for again', async () => {
    const first = await change('a', once('again'));
    expect(first.isReplay).toBe(false);
    const again = await change('a', once('again', 60), neverAsked);
    expect(again).toEqual({ preset: first.preset, isReplay: true });
    expect(JSON.stringify(again.preset)).toBe(JSON.stringify(first.preset));
    expect(await versionsOf('a')).toBe(1);
  });

  it('is answered as the first time, whatever happened to the preset since', async () => {
    await change('b', once('before'));
    const first = await change('b', once('since'));
    await preset.apply('b', edit({ name: 'Renamed', description: 'Since', designatedVersion: 1 }));
    await change('b', once('after'));
    await preset.apply('b', archive);
    expect(await change('b', once('since'), neverAsked)).toEqual({ preset: first.preset, isReplay: true });
    expect(first.preset.designatedVersion.version).toBe(2);
  });

  it('is refused when the key was used for something else', async () => {
    await change('c', once('taken'));
    await expect(change('c', once('taken', 0, 'other'), neverAsked)).rejects.toMatchObject({
      kind: 'conflict',
    });
    expect(await versionsOf('c')).toBe(1);
  });

  it('may have a key of any characters that a header can have', async () => {
    for (const key of [`'"\\%_;--`, '$1', '?', 'É', 'K', 'k']) {
      const first = await change('d', once(key));
      expect([key, first.isReplay]).toEqual([key, false]);
      expect(await change('d', once(key), neverAsked)).toEqual({ preset: first.preset, isReplay: true });
    }
  });

  it('happens once when two processes are asked for it at the same time', async () => {
    const second = await preset.open();
    const changes = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        change('e', once('both'), add('e'), index % 2 ? preset.storage : second),
      ),
    );
    expect(changes.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
    for (const changed of changes) expect(changed.preset).toEqual(changes[0]?.preset);
    expect(await versionsOf('e')).toBe(1);
  });

  it('takes one of two requests with the same key at the same time, and refuses the other', async () => {
    const outcomes = await Promise.allSettled(
      ['one', 'two'].map((hash) => change('f', once('either', 0, hash))),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { kind: 'conflict' },
    });
    expect(await versionsOf('f')).toBe(1);
  });

  it('may be asked for again under the same key after it failed', async () => {
    const failing = change('g', once('failed'), () => {
      throw new PresetdError('precondition_failed', 'not now');
    });
    await expect(failing).rejects.toMatchObject({ kind: 'precondition_failed' });
    expect(await change('g', once('failed', 0, 'other'))).toMatchObject({ isReplay: false });
  });

  it('does not use up its key where there is no preset to answer with', async () => {
    const nothing = () =>
      preset.storage.presets.change(preset.address('none'), preset.author, () => undefined, once('nothing'));
    expect(await nothing()).toBeUndefined();
    expect(await nothing()).toBeUndefined();
    expect(await change('none', once('nothing', 0, 'other'))).toMatchObject({ isReplay: false });
  });

  it('has the keys of its own workspace', async () => {
    const elsewhere = await preset.addWorkspace('first');
    await change('h', once('shared'));
    const other = await preset.storage.presets.change(
      { ...elsewhere, slug: 'h' },
      preset.author,
      (current) => {
        const { next, ...rest } = add('h')(current);
        return { ...rest, next: { ...next, workspaceId: elsewhere.workspaceId } };
      },
      once('shared', 0, 'other'),
    );
    expect(other).toMatchObject({ isReplay: false, preset: { workspaceId: elsewhere.workspaceId } });
  });

  it('is done again after a day, and then answered as the second time', async () => {
    const first = await change('i', once('daily', 0));
    const inTime = await change('i', once('daily', daySeconds, 'hash'), neverAsked);
    expect(inTime).toEqual({ preset: first.preset, isReplay: true });
    const late = await change('i', once('daily', daySeconds + 1, 'other'), add('i', daySeconds + 1));
    expect(late).toMatchObject({ isReplay: false, preset: { designatedVersion: { version: 2 } } });
    const again = await change('i', once('daily', 2 * daySeconds, 'other'), neverAsked);
    expect(again).toEqual({ preset: late.preset, isReplay: true });
    await expect(change('i', once('daily', 2 * daySeconds), neverAsked)).rejects.toMatchObject({
      kind: 'conflict',
    });
  });

  it('lets the oldest keys go that nobody can use any more, a few at a time', async () => {
    const base = -10 * daySeconds;
    for (let index = 0; index < 20; index += 1) await change('j', once(`old-${index}`, base + index));
    await change('j', once('old-none-yet', base + daySeconds));
    expect(await remembered('old-%')).toHaveLength(21);
    await change('j', once('new-1', base + 2 * daySeconds));
    const left = await remembered('old-%');
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(21);
    expect(left).not.toContain('old-0');
    for (const index of [2, 3, 4]) await change('j', once(`new-${index}`, base + 2 * daySeconds + index));
    expect(await remembered('old-%')).toEqual([]);
    expect(await remembered('new-%')).toHaveLength(4);
  });

  it('does not get in the way of others that use old keys again at the same time', async () => {
    const second = await preset.open();
    const { preset: known } = await change('k', once('first', -50 * daySeconds));
    const rounds = 8;
    for (let round = 0; round < rounds; round += 1) {
      const keys = Array.from({ length: 16 }, (_, index) => `round-${round}-${index + 10}`);
      const rows = keys.map(
        (key, index) =>
          `('${preset.workspace.workspaceId}', '${key}', 'hash', '{}', '${known.id}', 1, '${time(-40 * daySeconds + index)}')`,
      );
      await preset.database.transaction(
        `INSERT INTO idempotency_keys (workspace_id, key, request_hash, answer, preset_id, version, created_at)
         VALUES ${rows.join()}`,
      );
      // Each takes a key that the other may be about to let go.
      await Promise.all([
        change('k', once(keys[15] ?? '', -30 * daySeconds)),
        change('k', once(keys[0] ?? '', -30 * daySeconds), add('k'), second),
      ]);
    }
    expect(await versionsOf('k')).toBe(1 + 2 * rounds);
  });
});
