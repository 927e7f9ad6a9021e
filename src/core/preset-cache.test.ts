import { beforeEach, describe, expect, it } from 'vitest';
import { databaseUnavailable, PresetdError } from './errors.ts';
import type { Preset, PresetAddress } from './preset.ts';
import { createPresetCache, type PresetCache } from './preset-cache.ts';
import type { ChangedPreset, NewVersion } from './storage.ts';

const address: PresetAddress = { organizationId: 'organization', workspaceId: 'workspace', slug: 'mail' };
const author = { userId: 'user', keyLabel: 'key' };

function preset(revision: number, configJson = '{}'): Preset {
  return {
    id: 'id',
    workspaceId: 'workspace',
    slug: 'mail',
    name: 'Mail',
    description: null,
    status: 'active',
    statusUpdatedAt: null,
    creatorUserId: 'user',
    createdAt: '',
    updatedAt: '',
    latestVersion: revision,
    revision,
    designatedVersion: {
      id: 'version',
      presetId: 'id',
      version: revision,
      dialect: 'responses',
      configJson,
      systemPrompt: null,
      creatorId: 'user',
      createdAt: '',
    },
  };
}

describe('a cache of presets', () => {
  let reads: {
    address: PresetAddress;
    answer: (preset: Preset | undefined) => void;
    fail: (error: unknown) => void;
  }[];
  let writes: { succeed: (preset: Preset) => void; fail: (error: unknown) => void }[];
  let cached: PresetCache;
  const write = () =>
    new Promise<Preset>((resolve, reject) => writes.push({ succeed: resolve, fail: reject }));

  beforeEach(() => {
    reads = [];
    writes = [];
    const unused = () => expect.fail('not asked for here');
    cached = createPresetCache(
      {
        find: (asked) =>
          new Promise((resolve, reject) => reads.push({ address: asked, answer: resolve, fail: reject })),
        createVersion: write,
        change: async (): Promise<ChangedPreset> => ({ preset: await write(), isReplay: false }),
        state: unused,
        list: unused,
        listBySlug: unused,
        overviews: unused,
        versions: unused,
        authoredVersions: unused,
        events: async () => [],
      },
      100_000,
    );
  });

  const find = () => cached.find(address);
  const writers = {
    'adding a version': () => cached.store.createVersion({ ...address, author } as NewVersion),
    'changing it': () => cached.store.change(address, author, () => undefined),
    'doing something to its workspace': () =>
      cached.invalidateAfter(write(), ({ workspaceId }) => workspaceId === 'workspace'),
  };
  /** Reads the preset once, so that it is known. */
  const warm = async (revision: number) => {
    const found = find();
    reads.at(-1)?.answer(preset(revision));
    expect((await found)?.revision).toBe(revision);
  };
  const expectUnasked = async (revision: number) => {
    const before = reads.length;
    expect((await find())?.revision).toBe(revision);
    expect(reads).toHaveLength(before);
  };

  it('asks the store once for what is read often', async () => {
    await warm(1);
    await expectUnasked(1);
    expect(reads.map((read) => read.address)).toEqual([address]);
  });

  it('asks for each preset of each workspace and organization by itself', async () => {
    const addresses = [
      address,
      { ...address, slug: 'Mail' },
      { ...address, workspaceId: 'other' },
      { ...address, organizationId: 'other' },
    ];
    const found = addresses.map((each) => cached.find(each));
    expect(reads.map((read) => read.address)).toEqual(addresses);
    for (const [index, read] of reads.entries()) read.answer(preset(index + 1));
    expect((await Promise.all(found)).map((each) => each?.revision)).toEqual([1, 2, 3, 4]);
  });

  it('does not remember a preset that is too large, nor lets it push out the others', async () => {
    await warm(1);
    const large = cached.find({ ...address, slug: 'large' });
    reads.at(-1)?.answer(preset(1, `"${'x'.repeat(60_000)}"`));
    await large;
    await expectUnasked(1);
  });

  describe.each(Object.entries(writers))('while %s', (_, change) => {
    it('answers with what was there before, and afterwards with what is there now', async () => {
      await warm(1);
      const written = change();
      await expectUnasked(1);
      writes[0]?.succeed(preset(2));
      await written;
      const after = find();
      reads.at(-1)?.answer(preset(2));
      expect((await after)?.revision).toBe(2);
      expect(reads).toHaveLength(2);
      await expectUnasked(2);
    });

    it('does not keep what a read that was under way brings of the time before', async () => {
      const before = find();
      const written = change();
      writes[0]?.succeed(preset(2));
      await written;
      reads[0]?.answer(preset(1));
      expect((await before)?.revision).toBe(1);
      const after = find();
      expect(reads).toHaveLength(2);
      reads[1]?.answer(preset(2));
      expect((await after)?.revision).toBe(2);
      await expectUnasked(2);
    });

    it('does not keep what a read that began meanwhile brings of the time before', async () => {
      const written = change();
      const meanwhile = find();
      reads[0]?.answer(preset(1));
      await meanwhile;
      writes[0]?.succeed(preset(2));
      await written;
      const after = find();
      reads[1]?.answer(preset(2));
      expect((await after)?.revision).toBe(2);
    });

    it('keeps what it knows when the database is out of reach', async () => {
      await warm(1);
      const outage = databaseUnavailable(new Error('out of reach'));
      const written = change();
      writes[0]?.fail(outage);
      await expect(written).rejects.toBe(outage);
      const during = find();
      reads.at(-1)?.fail(outage);
      expect((await during)?.revision).toBe(1);
    });

    it('asks again when the write failed, since it may have happened', async () => {
      await warm(1);
      const written = change();
      const refusal = new PresetdError('conflict', 'no');
      writes[0]?.fail(refusal);
      await expect(written).rejects.toBe(refusal);
      const after = find();
      reads.at(-1)?.answer(preset(2));
      expect((await after)?.revision).toBe(2);
    });

    it('leaves other presets alone', async () => {
      await warm(1);
      const others = [
        cached.store.change({ ...address, slug: 'other' }, author, () => undefined),
        cached.invalidateAfter(write(), ({ workspaceId }) => workspaceId === 'other'),
      ];
      for (const each of writes) each.succeed(preset(9));
      await Promise.all(others);
      await expectUnasked(1);
    });
  });
});
