import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { databaseUnavailable, PresetdError } from '../errors.ts';
import type { Preset, PresetAddress, PresetState } from './preset.ts';
import { createPresetCache, type PresetCache } from './preset-cache.ts';
import { addAlias, edit, emptyPreset, type PresetRule, removeAlias } from './preset-change.ts';
import type { ChangedPreset, NewVersion } from './preset-storage.ts';

const address: PresetAddress = { organizationId: 'organization', workspaceId: 'workspace', slug: 'mail' };
const author = { userId: 'user', keyLabel: 'key' };

function preset(revision: number, configJson = '{}', slug = 'mail'): Preset {
  return {
    id: 'id',
    workspaceId: 'workspace',
    slug,
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
        index: unused,
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

  it('a preset is read from the store once', async () => {
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
    for (const [index, read] of reads.entries()) read.respond(preset(index + 1, '{}', read.address.slug));
    expect((await Promise.all(found)).map((each) => each?.revision)).toEqual([1, 2, 3, 4]);
  });

  it('a preset that is too large is not cached, and the others stay', async () => {
    await warm(1);
    const large = cached.find({ ...address, slug: 'large' });
    reads.at(-1)?.respond(preset(1, `"${'x'.repeat(60_000)}"`, 'large'));
    await large;
    await expectHit(1);
  });

  describe.each(Object.entries(writers))('the preset cache while %s', (_, change) => {
    it('readers get the old preset during a write, and the new one after it', async () => {
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

    it('a read that started before a write is not cached', async () => {
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

    it('a read that started during a write is not cached', async () => {
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

    it('a preset stays readable after a write that failed in an outage', async () => {
      await warm(1);
      const outage = databaseUnavailable(new Error('out of reach'));
      const written = change();
      writes[0]?.fail(outage);
      await expect(written).rejects.toBe(outage);
      const during = find();
      reads.at(-1)?.fail(outage);
      expect((await during)?.revision).toBe(1);
    });

    it('the store is read again after a failed write, which may have been committed', async () => {
      await warm(1);
      const written = change();
      const refusal = new PresetdError('conflict', 'no');
      writes[0]?.fail(refusal);
      await expect(written).rejects.toBe(refusal);
      const after = find();
      reads.at(-1)?.respond(preset(2));
      expect((await after)?.revision).toBe(2);
    });

    it('presets that a write does not affect stay cached', async () => {
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

describe('the preset cache and aliases', () => {
  /** The presets of the store, by id. */
  let stored: Map<string, PresetState>;
  let reads: string[];
  let cached: PresetCache;
  let now: number;

  const named = (slug: string, aliases: readonly string[], id = 'id'): PresetState => ({
    ...emptyPreset({ ...address, slug }, id, 'user', ''),
    latestVersion: 1,
    designatedNumber: 1,
    revision: 1,
    aliases: new Map(aliases.map((alias) => [alias, { createdAt: '' }])),
  });
  const byName = (name: string) =>
    [...stored.values()].find(({ slug, aliases }) => slug === name || aliases.has(name));
  const found = (state: PresetState | undefined): Preset | undefined =>
    state && { ...preset(state.revision, '{}', state.slug), id: state.id };

  beforeEach(() => {
    now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    stored = new Map([['id', named('mail', ['post', 'letters'])]]);
    reads = [];
    const unused = () => expect.fail('not expected to be called');
    const read = <Found>(toFound: (state: PresetState | undefined) => Found) => {
      return async ({ slug }: PresetAddress) => {
        reads.push(slug);
        return toFound(byName(slug));
      };
    };
    cached = createPresetCache(
      {
        find: read(found),
        state: read((state) => state),
        createVersion: async ({ slug }) => {
          const current = byName(slug) ?? named(slug, [], 'new');
          stored.set(current.id, { ...current, revision: current.revision + 1 });
          return found(byName(slug)) ?? expect.fail('no preset');
        },
        change: async ({ slug }, _author, decide) => {
          const change = decide(byName(slug), { names: new Set(), contents: new Map() });
          if (change !== undefined) stored.set(change.next.id, change.next);
          const preset = found(change?.next ?? byName(slug));
          return preset && { preset, isReplay: false };
        },
        list: unused,
        listBySlug: unused,
        index: unused,
        overviews: unused,
        versions: unused,
        authoredVersions: unused,
        events: unused,
      },
      100_000,
    );
  });
  afterEach(() => vi.restoreAllMocks());

  const at = (slug: string) => ({ ...address, slug });
  const apply = (name: string, rule: PresetRule) =>
    cached.store.change(at(name), author, (current) => rule(current ?? expect.fail('no preset'), ''));
  /** The result of a call under this name, and the number of reads from the store. */
  const lookUp = async (name: string) => {
    const before = reads.length;
    const [preset, state] = [await cached.find(at(name)), await cached.state(at(name))];
    expect([preset?.id, preset?.slug, preset?.revision]).toEqual([state?.id, state?.slug, state?.revision]);
    return { found: state && `${state.slug} ${state.revision}`, reads: reads.length - before };
  };

  it('a name is read from the store once, and a cached alias without a promise', async () => {
    expect(await lookUp('post')).toEqual({ found: 'mail 1', reads: 4 });
    expect(await lookUp('post')).toEqual({ found: 'mail 1', reads: 0 });
    expect(await lookUp('mail')).toEqual({ found: 'mail 1', reads: 0 });
    expect(await lookUp('letters')).toEqual({ found: 'mail 1', reads: 2 });
    expect(cached.find(at('post'))).toBe(cached.find(at('mail')));
    expect(cached.find(at('post'))).not.toBeInstanceOf(Promise);
  });

  it('a missing name is read once and not cached', async () => {
    expect(await lookUp('absent')).toEqual({ found: undefined, reads: 2 });
    expect(await lookUp('absent')).toEqual({ found: undefined, reads: 2 });
  });

  it.each(['mail', 'post', 'letters'])('a version added under %s is seen under every name', async (name) => {
    for (const each of ['mail', 'post', 'letters']) await lookUp(each);
    await cached.store.createVersion({ ...at(name), author } as NewVersion);
    for (const each of ['post', 'mail', 'letters']) expect((await lookUp(each)).found, each).toBe('mail 2');
  });

  it.each<[string, PresetRule, Readonly<Record<string, string | undefined>>]>([
    ['a rename', edit({ slug: 'new' }), { mail: 'new 2', post: 'new 2', letters: 'new 2', new: 'new 2' }],
    ['a swap', edit({ slug: 'post' }), { mail: 'post 2', post: 'post 2', letters: 'post 2', new: undefined }],
    ['a new alias', addAlias('new'), { mail: 'mail 2', post: 'mail 2', letters: 'mail 2', new: 'mail 2' }],
    [
      'a removed alias',
      removeAlias('post'),
      { mail: 'mail 2', post: undefined, letters: 'mail 2', new: undefined },
    ],
  ])('%s is seen at once under every name', async (_, rule, expected) => {
    for (const through of ['mail', 'post', 'letters']) {
      stored = new Map([['id', named('mail', ['post', 'letters'])]]);
      now += 600_000;
      for (const name of Object.keys(expected)) await lookUp(name);
      await apply(through, rule);
      for (const [name, preset] of Object.entries(expected))
        expect((await lookUp(name)).found, `${name} after a change through ${through}`).toBe(preset);
    }
  });

  it('a change that keeps the names keeps aliases cached', async () => {
    await lookUp('post');
    await apply('mail', edit({ description: 'Other' }));
    expect(await lookUp('letters')).toEqual({ found: 'mail 2', reads: 4 });
    expect(await lookUp('post')).toEqual({ found: 'mail 2', reads: 0 });
  });

  it('a preset and its state are read again after a change that failed', async () => {
    await lookUp('mail');
    const fail = () => {
      throw new PresetdError('conflict', 'no');
    };
    await expect(apply('mail', fail)).rejects.toThrow('no');
    expect(await lookUp('mail')).toEqual({ found: 'mail 1', reads: 2 });
  });

  it('a name that another process has moved is followed within a second', async () => {
    await lookUp('post');
    // Renamed, and its old slug given to another preset.
    stored = new Map([
      ['id', named('renamed', ['post'])],
      ['other', named('mail', [], 'other')],
    ]);
    now = 1_001;
    expect((await lookUp('post')).found).toBe('renamed 1');
    expect((await cached.find(at('mail')))?.id).toBe('other');
  });

  it('an alias never leads to another preset that took over the slug', async () => {
    await lookUp('post');
    stored = new Map([
      ['id', named('renamed', ['post'])],
      ['other', named('mail', [], 'other')],
    ]);
    await cached.invalidateAfter(Promise.resolve(), () => false);
    now = 400;
    await cached.store.createVersion({ ...at('mail'), author } as NewVersion);
    expect((await cached.find(at('mail')))?.id).toBe('other');
    expect((await cached.find(at('post')))?.slug).toBe('renamed');
  });

  it('two aliases that another process has swapped do not lead in circles', async () => {
    await lookUp('post');
    stored = new Map([['id', named('post', ['mail'])]]);
    now = 400;
    await cached.store.createVersion({ ...at('mail'), author } as NewVersion);
    expect((await lookUp('post')).found).toBe('post 2');
    expect((await lookUp('mail')).found).toBe('post 2');
  });
});
