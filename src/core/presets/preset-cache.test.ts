import { beforeEach, describe, expect, it } from 'vitest';
import { databaseUnavailable, PresetdError } from '../errors.ts';
import type { ChangedPreset, NewVersion } from '../storage.ts';
import type { Preset, PresetAddress } from './preset.ts';
import { createPresetCache, type PresetCache } from './preset-cache.ts';

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
      extensionJson: null,
      systemPrompt: null,
      creatorId: 'user',
      createdAt: '',
    },
  };
}

describe('the preset cache', () => {
  let reads: {
    address: PresetAddress;
    respond: (preset: Preset | undefined) => void;
    fail: (error: unknown) => void;
  }[];
  let writes: { succeed: (preset: Preset) => void; fail: (error: unknown) => void }[];
  let cached: PresetCache;
  const write = () =>
    new Promise<Preset>((resolve, reject) => writes.push({ succeed: resolve, fail: reject }));

  beforeEach(() => {
    reads = [];
    writes = [];
    const unused = () => expect.fail('not expected to be called');
    cached = createPresetCache(
      {
        find: (requested) =>
          new Promise((resolve, reject) =>
            reads.push({ address: requested, respond: resolve, fail: reject }),
          ),
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
    'a version is being added': () => cached.store.createVersion({ ...address, author } as NewVersion),
    'the preset is being changed': () => cached.store.change(address, author, () => undefined),
    'its workspace is being changed': () =>
      cached.invalidateAfter(write(), ({ workspaceId }) => workspaceId === 'workspace'),
  };
  /** Reads the preset once, so that it is cached. */
  const warm = async (revision: number) => {
    const found = find();
    reads.at(-1)?.respond(preset(revision));
    expect((await found)?.revision).toBe(revision);
  };
  const expectHit = async (revision: number) => {
    const before = reads.length;
    expect((await find())?.revision).toBe(revision);
    expect(reads).toHaveLength(before);
  };

  it('reads a preset from the store once', async () => {
    await warm(1);
    await expectHit(1);
    expect(reads.map((read) => read.address)).toEqual([address]);
  });

  it('caches presets by slug, workspace and organization', async () => {
    const addresses = [
      address,
      { ...address, slug: 'Mail' },
      { ...address, workspaceId: 'other' },
      { ...address, organizationId: 'other' },
    ];
    const found = addresses.map((each) => cached.find(each));
    expect(reads.map((read) => read.address)).toEqual(addresses);
    for (const [index, read] of reads.entries()) read.respond(preset(index + 1));
    expect((await Promise.all(found)).map((each) => each?.revision)).toEqual([1, 2, 3, 4]);
  });

  it('does not cache a preset that is too large, and keeps the others', async () => {
    await warm(1);
    const large = cached.find({ ...address, slug: 'large' });
    reads.at(-1)?.respond(preset(1, `"${'x'.repeat(60_000)}"`));
    await large;
    await expectHit(1);
  });

  describe.each(Object.entries(writers))('while %s', (_, change) => {
    it('returns the old preset, and the new one after the write', async () => {
      await warm(1);
      const written = change();
      await expectHit(1);
      writes[0]?.succeed(preset(2));
      await written;
      const after = find();
      reads.at(-1)?.respond(preset(2));
      expect((await after)?.revision).toBe(2);
      expect(reads).toHaveLength(2);
      await expectHit(2);
    });

    it('does not cache a read that started before the write', async () => {
      const before = find();
      const written = change();
      writes[0]?.succeed(preset(2));
      await written;
      reads[0]?.respond(preset(1));
      expect((await before)?.revision).toBe(1);
      const after = find();
      expect(reads).toHaveLength(2);
      reads[1]?.respond(preset(2));
      expect((await after)?.revision).toBe(2);
      await expectHit(2);
    });

    it('does not cache a read that started during the write', async () => {
      const written = change();
      const meanwhile = find();
      reads[0]?.respond(preset(1));
      await meanwhile;
      writes[0]?.succeed(preset(2));
      await written;
      const after = find();
      reads[1]?.respond(preset(2));
      expect((await after)?.revision).toBe(2);
    });

    it('returns the cached preset while the database is unavailable', async () => {
      await warm(1);
      const outage = databaseUnavailable(new Error('out of reach'));
      const written = change();
      writes[0]?.fail(outage);
      await expect(written).rejects.toBe(outage);
      const during = find();
      reads.at(-1)?.fail(outage);
      expect((await during)?.revision).toBe(1);
    });

    it('reads the store again after a failed write, which may have been committed', async () => {
      await warm(1);
      const written = change();
      const refusal = new PresetdError('conflict', 'no');
      writes[0]?.fail(refusal);
      await expect(written).rejects.toBe(refusal);
      const after = find();
      reads.at(-1)?.respond(preset(2));
      expect((await after)?.revision).toBe(2);
    });

    it('keeps other presets cached', async () => {
      await warm(1);
      const others = [
        cached.store.change({ ...address, slug: 'other' }, author, () => undefined),
        cached.invalidateAfter(write(), ({ workspaceId }) => workspaceId === 'other'),
      ];
      for (const each of writes) each.succeed(preset(9));
      await Promise.all(others);
      await expectHit(1);
    });
  });
});
