import { type CacheGenerations, RefreshAheadCache, unsharedGenerations } from '../refresh-ahead-cache.ts';
import type { PresetStore } from '../storage.ts';
import type { Preset, PresetAddress, PresetState, PresetVersion } from './preset.ts';

/** Every process sees a change within this time; the process that made it sees it at once. */
const freshMs = 1_000;

/**
 * How old a preset can be while the database is unavailable: calls keep working through a short
 * outage.
 */
const staleMs = 5 * 60_000;

/** Rough size of a cached preset without its texts: objects, ids, timestamps and map entries. */
const presetOverheadBytes = 2_048;
const labelBytes = 256;

/** How the three caches split the configured memory. Most calls use the designated version. */
const memoryShares = { designated: 0.625, pinned: 0.25, states: 0.125 } as const;

/**
 * The presets, preset states and versions in memory, in front of a `PresetStore`.
 *
 * `startServer` creates one per process. Reads return without a promise on a cache hit; otherwise
 * they wait for the store. Writes must go through `store`, which invalidates what they change, also
 * when they fail, because a failed write may have been committed. Versions never change and
 * therefore never expire. Memory is bounded by `bytesMax`; see `RefreshAheadCache` for ages and
 * eviction.
 */
export interface PresetCache {
  /** Returns the preset with its designated version; undefined when there is none. */
  find(address: PresetAddress): Preset | Promise<Preset | undefined>;
  /** Returns the preset without the content of its versions; undefined when there is none. */
  state(address: PresetAddress): PresetState | Promise<PresetState | undefined>;
  /** Returns one version; undefined when the preset has no such version. */
  version(presetId: string, number: number): PresetVersion | Promise<PresetVersion | undefined>;
  /** The store to write through: the next `find` in this process sees the write. */
  readonly store: PresetStore;
  /** For a write outside of `store`: waits for it, then invalidates the affected presets. */
  invalidateAfter<T>(
    write: Promise<T>,
    isAffected: (preset: { readonly workspaceId: string }) => boolean,
  ): Promise<T>;
}

export function createPresetCache(
  presets: PresetStore,
  bytesMax: number,
  observe: { presets?: (isHit: boolean) => void; versions?: (isHit: boolean) => void } = {},
  generations: CacheGenerations = unsharedGenerations,
): PresetCache {
  const cache = new RefreshAheadCache<Preset>({
    weightMax: bytesMax * memoryShares.designated,
    weigh: ({ name, description, designatedVersion }) =>
      weighVersion(designatedVersion) + 4 * (name.length + (description?.length ?? 0)),
    freshMs,
    staleMs,
    generations,
    load: (key) => presets.find(addressOf(key)),
    isSame,
    observe: observe.presets ?? (() => {}),
  });
  const states = new RefreshAheadCache<PresetState>({
    weightMax: bytesMax * memoryShares.states,
    weigh: ({ name, description, labels }) =>
      presetOverheadBytes + 2 * (name.length + (description?.length ?? 0)) + labelBytes * labels.size,
    freshMs,
    staleMs,
    generations,
    observe: observe.presets ?? (() => {}),
    load: (key) => presets.state(addressOf(key)),
    isSame,
  });
  const versions = new RefreshAheadCache<PresetVersion>({
    weightMax: bytesMax * memoryShares.pinned,
    weigh: weighVersion,
    // Versions are immutable.
    freshMs: Number.POSITIVE_INFINITY,
    staleMs: Number.POSITIVE_INFINITY,
    observe: observe.versions ?? (() => {}),
    load: async (key) => {
      const [presetId = '', number = ''] = key.split(' ');
      const [version] = await presets.versions(presetId, { offset: Number(number) - 1, limit: 1 });
      return version;
    },
  });

  async function write<T>(address: PresetAddress, change: Promise<T>): Promise<T> {
    try {
      const result = await change;
      cache.invalidate(keyOf(address));
      states.invalidate(keyOf(address));
      return result;
    } catch (error) {
      cache.markStale(keyOf(address));
      states.markStale(keyOf(address));
      throw error;
    }
  }

  return {
    find: (address) => cache.get(keyOf(address)),
    state: (address) => states.get(keyOf(address)),
    version: (presetId, number) => versions.get(`${presetId} ${number}`),
    store: {
      ...presets,
      createVersion: (version) => write(version, presets.createVersion(version)),
      change: (address, author, decide, idempotencyKey) =>
        write(address, presets.change(address, author, decide, idempotencyKey)),
    },
    invalidateAfter: (change, isAffected) =>
      states.invalidateAfter(cache.invalidateAfter(change, isAffected), isAffected),
  };
}

/** Every change increments the revision. */
function isSame(cached: Revised, fresh: Revised): boolean {
  return cached.id === fresh.id && cached.revision === fresh.revision;
}

type Revised = Pick<PresetState, 'id' | 'revision'>;

/**
 * Estimates the memory of a version. Its text is held up to three times (as stored, in the
 * serialized response, and parsed for calls), with two bytes per character if it is not Latin-1.
 */
function weighVersion({ configJson, systemPrompt, extensionJson }: PresetVersion): number {
  const characters = configJson.length + (systemPrompt?.length ?? 0) + (extensionJson?.length ?? 0);
  return presetOverheadBytes + 6 * characters;
}

/** Ids and slugs contain no spaces, so a space can separate them. */
function keyOf({ organizationId, workspaceId, slug }: PresetAddress): string {
  return `${organizationId} ${workspaceId} ${slug}`;
}

function addressOf(key: string): PresetAddress {
  const [organizationId = '', workspaceId = '', slug = ''] = key.split(' ');
  return { organizationId, workspaceId, slug };
}
