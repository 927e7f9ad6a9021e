import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { engines } from '../support/engines.ts';
import { createPresetStorage, type PresetStorage, time } from '../support/preset-storage.ts';

describe.each(engines)('the last call of a preset on %s', (engine) => {
  let preset: PresetStorage;
  beforeAll(async () => {
    preset = await createPresetStorage(engine);
  });
  afterAll(() => preset.close());

  const record = (uses: Iterable<readonly [string, string]>, storage = preset.storage) =>
    storage.presetCalls.recordLastUses(new Map(uses));

  it('the last call of a preset only moves forward, and changes nothing else about it', async () => {
    const { id } = await preset.create('called');
    const other = await preset.create('idle');
    const before = await preset.find('called');
    const lastCall = () => preset.storage.presetCalls.lastCalledAt(id);
    expect(await lastCall()).toBeUndefined();
    for (const [at, expected] of [
      [100, 100],
      [99.999, 100],
      [100.001, 100.001],
      [1, 100.001],
      [5_000, 5_000],
    ] as const) {
      await record([[id, time(at)]]);
      expect(await lastCall()).toBe(time(expected));
    }
    expect(await preset.find('called')).toEqual(before);
    expect(await preset.events('called')).toHaveLength(1);
    expect(await preset.storage.presetCalls.lastCalledAt(other.id)).toBeUndefined();
  });

  it('calls of many presets are stored together, ignoring unknown presets', async () => {
    const presets = await Promise.all(Array.from({ length: 20 }, (_, at) => preset.create(`many-${at}`)));
    const unknown = Array.from({ length: 480 }, () => [newId(), time(0)] as const);
    const uses = presets.map(({ id }, at) => [id, time(at)] as const);
    await record([...unknown, ...uses]);
    for (const [id, at] of uses) expect(await preset.storage.presetCalls.lastCalledAt(id)).toBe(at);
    await record([]);
    expect(await preset.database.sql('SELECT * FROM preset_calls')).toHaveLength(21);
  });

  it('several servers can store calls of the same presets at once', async () => {
    const presets = await Promise.all(Array.from({ length: 50 }, (_, at) => preset.create(`shared-${at}`)));
    const servers = [preset.storage, await preset.open(), await preset.open()];
    for (let round = 1; round <= 5; round += 1)
      await Promise.all(
        servers.map((server, at) => {
          const uses = presets.map(({ id }) => [id, time(10 * round + at)] as const);
          return record(at === 1 ? uses.toReversed() : uses, server);
        }),
      );
    for (const { id } of presets) expect(await preset.storage.presetCalls.lastCalledAt(id)).toBe(time(52));
  });

  it('a preset that is being changed can be called', async () => {
    const { id } = await preset.create('busy');
    const rounds = Array.from({ length: 10 }, (_, at) => at);
    await Promise.all(rounds.flatMap((at) => [preset.create('busy'), record([[id, time(at)]])]));
    expect(await preset.storage.presetCalls.lastCalledAt(id)).toBe(time(9));
  });
});
