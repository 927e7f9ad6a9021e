import { FreshCache } from './fresh-cache.ts';
import type { Preset, PresetAddress } from './preset.ts';
import type { PresetStore } from './storage.ts';

/** A change is seen by every process within this time, and by the one that made it at once. */
const freshMs = 1_000;

/** And while the database does not answer, what was known this long ago is answered. */
const staleMs = 5 * 60_000;

/** What a preset takes beside its texts, roughly. */
const presetOverheadBytes = 2_048;

export interface PresetCache {
  /** At once where it is remembered. Undefined when there is no such preset. */
  find(address: PresetAddress): Preset | Promise<Preset | undefined>;
  /** The store, for writes that the next `find` must see. */
  readonly store: PresetStore;
  /** Does a write that concerns these presets otherwise: what was known of them before it is not answered after it. */
  after<T>(work: Promise<T>, concerns: (preset: Preset) => boolean): Promise<T>;
}

export function createPresetCache(presets: PresetStore, bytesMax: number): PresetCache {
  const cache = new FreshCache<Preset>({
    weightMax: bytesMax,
    // Once as it is and once as an answer, two bytes a character where one of them is not Latin.
    weigh: ({ name, description, designatedVersion: { configJson, systemPrompt } }) =>
      presetOverheadBytes +
      4 * (name.length + (description?.length ?? 0) + configJson.length + (systemPrompt?.length ?? 0)),
    freshMs,
    staleMs,
    load: (key) => presets.find(addressOf(key)),
  });

  async function write<T>(address: PresetAddress, work: Promise<T>): Promise<T> {
    try {
      const result = await work;
      cache.forget(keyOf(address));
      return result;
    } catch (error) {
      cache.doubt(keyOf(address));
      throw error;
    }
  }

  return {
    find: (address) => cache.get(keyOf(address)),
    store: {
      ...presets,
      createVersion: (version) => write(version, presets.createVersion(version)),
      change: (address, author, decide, once) =>
        write(address, presets.change(address, author, decide, once)),
    },
    after: (work, concerns) => cache.after(work, concerns),
  };
}

/** No part of an address has a space in it. */
function keyOf({ organizationId, workspaceId, slug }: PresetAddress): string {
  return `${organizationId} ${workspaceId} ${slug}`;
}

function addressOf(key: string): PresetAddress {
  const [organizationId = '', workspaceId = '', slug = ''] = key.split(' ');
  return { organizationId, workspaceId, slug };
}
