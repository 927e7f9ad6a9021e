import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PresetdError } from '../../src/core/errors.ts';
import { newId } from '../../src/core/identifiers.ts';
import type { PresetState } from '../../src/core/presets/preset.ts';
import {
  addVersion,
  archive,
  edit,
  emptyPreset,
  type PresetChange,
} from '../../src/core/presets/preset-change.ts';
import type { IdempotencyKey } from '../../src/core/presets/preset-storage.ts';
import type { Storage } from '../../src/core/storage.ts';
import { engines } from '../support/engines.ts';
import { createPresetStorage, owner, type PresetStorage, time } from '../support/preset-storage.ts';

const daySeconds = 24 * 60 * 60;

describe.each(engines)('idempotency keys on %s', (engine) => {
  let preset: PresetStorage;
  beforeAll(async () => {
    preset = await createPresetStorage(engine);
  });
  afterAll(() => preset.close());

  const keyFor = (key: string, seconds = 0, requestHash = 'hash'): IdempotencyKey => ({
    key,
    requestHash,
    at: time(seconds),
    expiredBefore: time(seconds - daySeconds),
  });
  /** The rule that a create applies. */
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
        extensionJson: null,
        creatorId: owner.id,
        createdAt: time(seconds),
      });
    };
  const change = async (
    slug: string,
    idempotencyKey: IdempotencyKey,
    decide: (current: PresetState | undefined) => PresetChange | undefined = add(slug),
    { presets }: Storage = preset.storage,
  ) =>
    (await presets.change(preset.address(slug), preset.author, decide, idempotencyKey)) ??
    expect.fail('no preset');
  const versionsOf = async (slug: string) =>
    (await preset.storage.presets.state(preset.address(slug)))?.latestVersion ?? 0;
  const storedKeys = async (keys: string) =>
    (
      await preset.database.sql(
        `SELECT key FROM idempotency_keys WHERE key LIKE '${keys}' ORDER BY created_at`,
      )
    ).map((row) => row.key);
  const mustNotRun = () => expect.fail('the rule must not run');

  it('a repeated request returns the first response without running the rule', async () => {
    const first = await change('a', keyFor('again'));
    expect(first.isReplay).toBe(false);
    const again = await change('a', keyFor('again', 60), mustNotRun);
    expect(again).toEqual({ preset: first.preset, isReplay: true });
    expect(JSON.stringify(again.preset)).toBe(JSON.stringify(first.preset));
    expect(await versionsOf('a')).toBe(1);
  });

  it('a repeated request returns the first response even after the preset has changed', async () => {
    await change('b', keyFor('before'));
    const first = await change('b', keyFor('since'));
    await preset.apply('b', edit({ name: 'Renamed', description: 'Since', designatedVersion: 1 }));
    await change('b', keyFor('after'));
    await preset.apply('b', archive);
    expect(await change('b', keyFor('since'), mustNotRun)).toEqual({ preset: first.preset, isReplay: true });
    expect(first.preset.designatedVersion.version).toBe(2);
  });

  it('rejects an idempotency key that was used for a different request', async () => {
    await change('c', keyFor('taken'));
    await expect(change('c', keyFor('taken', 0, 'other'), mustNotRun)).rejects.toMatchObject({
      kind: 'conflict',
    });
    expect(await versionsOf('c')).toBe(1);
  });

  it('accepts idempotency keys with any characters that a header can contain', async () => {
    for (const key of [`'"\\%_;--`, '$1', '?', 'É', 'K', 'k']) {
      const first = await change('d', keyFor(key));
      expect([key, first.isReplay]).toEqual([key, false]);
      expect(await change('d', keyFor(key), mustNotRun)).toEqual({ preset: first.preset, isReplay: true });
    }
  });

  it('two processes that get the same request at once make the change once', async () => {
    const second = await preset.open();
    const changes = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        change('e', keyFor('both'), add('e'), index % 2 ? preset.storage : second),
      ),
    );
    expect(changes.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
    for (const changed of changes) expect(changed.preset).toEqual(changes[0]?.preset);
    expect(await versionsOf('e')).toBe(1);
  });

  it('if two different requests use the same key at once, one succeeds and one is rejected', async () => {
    const outcomes = await Promise.allSettled(
      ['one', 'two'].map((hash) => change('f', keyFor('either', 0, hash))),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { kind: 'conflict' },
    });
    expect(await versionsOf('f')).toBe(1);
  });

  it('a failed change leaves its idempotency key unused', async () => {
    const failing = change('g', keyFor('failed'), () => {
      throw new PresetdError('precondition_failed', 'not now');
    });
    await expect(failing).rejects.toMatchObject({ kind: 'precondition_failed' });
    expect(await change('g', keyFor('failed', 0, 'other'))).toMatchObject({ isReplay: false });
  });

  it('a change without a preset to return leaves its idempotency key unused', async () => {
    const nothing = () =>
      preset.storage.presets.change(
        preset.address('none'),
        preset.author,
        () => undefined,
        keyFor('nothing'),
      );
    expect(await nothing()).toBeUndefined();
    expect(await nothing()).toBeUndefined();
    expect(await change('none', keyFor('nothing', 0, 'other'))).toMatchObject({ isReplay: false });
  });

  it('idempotency keys of one workspace do not affect another', async () => {
    const elsewhere = await preset.addWorkspace('first');
    await change('h', keyFor('shared'));
    const other = await preset.storage.presets.change(
      { ...elsewhere, slug: 'h' },
      preset.author,
      (current) => {
        const { next, ...rest } = add('h')(current);
        return { ...rest, next: { ...next, workspaceId: elsewhere.workspaceId } };
      },
      keyFor('shared', 0, 'other'),
    );
    expect(other).toMatchObject({ isReplay: false, preset: { workspaceId: elsewhere.workspaceId } });
  });

  it('an idempotency key expires after a day and then stores the second response', async () => {
    const first = await change('i', keyFor('daily', 0));
    const inTime = await change('i', keyFor('daily', daySeconds, 'hash'), mustNotRun);
    expect(inTime).toEqual({ preset: first.preset, isReplay: true });
    const late = await change('i', keyFor('daily', daySeconds + 1, 'other'), add('i', daySeconds + 1));
    expect(late).toMatchObject({ isReplay: false, preset: { designatedVersion: { version: 2 } } });
    const again = await change('i', keyFor('daily', 2 * daySeconds, 'other'), mustNotRun);
    expect(again).toEqual({ preset: late.preset, isReplay: true });
    await expect(change('i', keyFor('daily', 2 * daySeconds), mustNotRun)).rejects.toMatchObject({
      kind: 'conflict',
    });
  });

  it('each write deletes a few of the oldest expired idempotency keys', async () => {
    const base = -10 * daySeconds;
    for (let index = 0; index < 20; index += 1) await change('j', keyFor(`old-${index}`, base + index));
    await change('j', keyFor('old-none-yet', base + daySeconds));
    expect(await storedKeys('old-%')).toHaveLength(21);
    await change('j', keyFor('new-1', base + 2 * daySeconds));
    const remaining = await storedKeys('old-%');
    expect(remaining.length).toBeGreaterThan(0);
    expect(remaining.length).toBeLessThan(21);
    expect(remaining).not.toContain('old-0');
    for (const index of [2, 3, 4]) await change('j', keyFor(`new-${index}`, base + 2 * daySeconds + index));
    expect(await storedKeys('old-%')).toEqual([]);
    expect(await storedKeys('new-%')).toHaveLength(4);
  });

  it('deleting expired keys does not deadlock with requests that reuse them', async () => {
    const second = await preset.open();
    const { preset: known } = await change('k', keyFor('first', -50 * daySeconds));
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
      // Each claims a key that the other may be about to delete.
      await Promise.all([
        change('k', keyFor(keys[15] ?? '', -30 * daySeconds)),
        change('k', keyFor(keys[0] ?? '', -30 * daySeconds), add('k'), second),
      ]);
    }
    expect(await versionsOf('k')).toBe(1 + 2 * rounds);
  });
});
