import { type CacheGenerations, unsharedGenerations } from './cache-generations.ts';
import type { Preset, PresetAddress, PresetState, PresetVersion } from './preset.ts';
import { RefreshAheadCache } from './refresh-ahead-cache.ts';
import type { PresetStore } from './storage.ts';

/** A change is seen by every process within this time, and by the one that made it at once. */
const freshMs = 1_000;

/** And while the database does not answer, what was known this long ago is answered. */
const staleMs = 5 * 60_000;

/** What a preset takes beside its texts, roughly. */
const presetOverheadBytes = 2_048;
const labelBytes = 256;

/** Most calls name no version, so that what they need gets the most room. */
const shares = { designated: 0.625, pinned: 0.25, states: 0.125 } as const;

export interface PresetCache {
  /** At once where it is remembered. Undefined when there is no such preset. */
  find(address: PresetAddress): Preset | Promise<Preset | undefined>;
  /** Everything but what its versions hold; at once where it is remembered. Undefined when there is no such preset. */
  state(address: PresetAddress): PresetState | Promise<PresetState | undefined>;
  /** At once where it is remembered. Undefined when the preset has no such version. */
  version(presetId: string, number: number): PresetVersion | Promise<PresetVersion | undefined>;
  /** The store, for writes that the next `find` must see. */
  readonly store: PresetStore;
  /** Does a write that concerns these presets otherwise: what was known of them before it is not answered after it. */
  invalidateAfter<T>(
    work: Promise<T>,
    concerns: (preset: { readonly workspaceId: string }) => boolean,
  ): Promise<T>;
}

export function createPresetCache(
  presets: PresetStore,
  bytesMax: number,
  observe: { presets?: (isHit: boolean) => void; versions?: (isHit: boolean) => void } = {},
  generations: CacheGenerations = unsharedGenerations,
): PresetCache {
  const cache = new RefreshAheadCache<Preset>({
    weightMax: bytesMax * shares.designated,
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
    weightMax: bytesMax * shares.states,
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
    weightMax: bytesMax * shares.pinned,
    weigh: weighVersion,
    // A version never changes.
    freshMs: Number.POSITIVE_INFINITY,
    staleMs: Number.POSITIVE_INFINITY,
    observe: observe.versions ?? (() => {}),
    load: async (key) => {
      const [presetId = '', number = ''] = key.split(' ');
      const [version] = await presets.versions(presetId, { offset: Number(number) - 1, limit: 1 });
      return version;
    },
  });

  async function write<T>(address: PresetAddress, work: Promise<T>): Promise<T> {
    try {
      const result = await work;
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
      change: (address, author, decide, once) =>
        write(address, presets.change(address, author, decide, once)),
    },
    invalidateAfter: (work, concerns) =>
      states.invalidateAfter(cache.invalidateAfter(work, concerns), concerns),
  };
}

/** Every change counts as one. */
function isSame(known: Revised, fresh: Revised): boolean {
  return known.id === fresh.id && known.revision === fresh.revision;
}

type Revised = Pick<PresetState, 'id' | 'revision'>;

/** Once as it is, once as an answer and once parsed for calls, two bytes a character where one of them is not Latin. */
function weighVersion({ configJson, systemPrompt }: PresetVersion): number {
  return presetOverheadBytes + 6 * (configJson.length + (systemPrompt?.length ?? 0));
}

/** No part of an address has a space in it. */
function keyOf({ organizationId, workspaceId, slug }: PresetAddress): string {
  return `${organizationId} ${workspaceId} ${slug}`;
}

function addressOf(key: string): PresetAddress {
  const [organizationId = '', workspaceId = '', slug = ''] = key.split(' ');
  return { organizationId, workspaceId, slug };
}
