import { type CacheGenerations, RefreshAheadCache, unsharedGenerations } from '../refresh-ahead-cache.ts';
import { namesOf } from './alias.ts';
import type { Preset, PresetAddress, PresetState, PresetVersion } from './preset.ts';
import type { PresetStore } from './preset-storage.ts';

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
const aliasBytes = 256;

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
 *
 * Presets are cached under their slug only, so a write invalidates one entry however many aliases
 * there are. Under an alias the cache holds the slug, which ages like a preset and is invalidated
 * when the names of the preset change.
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
  /** For a write outside `store`: waits for it, then invalidates the affected presets. */
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
  const cacheByName = <Found extends Named & Revised>(
    memoryShare: number,
    weigh: (found: Found) => number,
    load: Load<Found>,
  ) =>
    new RefreshAheadCache<Found | AliasOf>({
      weightMax: bytesMax * memoryShare,
      weigh: (found) => (found instanceof AliasOf ? aliasBytes : weigh(found)),
      freshMs,
      staleMs,
      generations,
      load: loadByName(load),
      isSame,
      observe: observe.presets ?? (() => {}),
    });
  const cache = cacheByName(memoryShares.designated, weighPreset, presets.find);
  const states = cacheByName(memoryShares.states, weighState, presets.state);
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

  /** `names` returns the names that the write may have given another meaning. */
  async function write<T>(
    address: PresetAddress,
    change: Promise<T>,
    names: (result?: T) => readonly string[],
  ): Promise<T> {
    try {
      const result = await change;
      for (const key of keysOf(address, names(result))) {
        cache.invalidate(key);
        states.invalidate(key);
      }
      return result;
    } catch (error) {
      for (const key of keysOf(address, names())) {
        cache.markStale(key);
        states.markStale(key);
      }
      throw error;
    }
  }

  return {
    find: (address) => lookUp(cache, presets.find, address),
    state: (address) => lookUp(states, presets.state, address),
    version: (presetId, number) => versions.get(`${presetId} ${number}`),
    store: {
      ...presets,
      createVersion: (version) =>
        write(version, presets.createVersion(version), (preset) => [version.slug, (preset ?? version).slug]),
      change(address, author, decide, ...options) {
        let affected: readonly string[] = [];
        const observed: typeof decide = (current, cases) => {
          const change = decide(current, cases);
          affected = affectedNames(current, change?.next ?? current);
          return change;
        };
        const change = presets.change(address, author, observed, ...options);
        return write(address, change, () => [address.slug, ...affected]);
      },
    },
    invalidateAfter: (change, isAffected) =>
      states.invalidateAfter(cache.invalidateAfter(change, isAffected), isAffected),
  };
}

/** The entry of an alias: the slug of its preset. */
class AliasOf implements Named {
  readonly id: string;
  readonly workspaceId: string;
  readonly slug: string;

  constructor({ id, workspaceId, slug }: Named) {
    this.id = id;
    this.workspaceId = workspaceId;
    this.slug = slug;
  }
}

type Named = Pick<PresetState, 'id' | 'workspaceId' | 'slug'>;

type Load<Found> = (address: PresetAddress) => Promise<Found | undefined>;

function loadByName<Found extends Named>(load: Load<Found>) {
  return async (key: string): Promise<Found | AliasOf | undefined> => {
    const address = addressOf(key);
    const found = await load(address);
    return found === undefined || found.slug === address.slug ? found : new AliasOf(found);
  };
}

/** Looks up a slug or an alias in the cache. */
function lookUp<Found extends Named>(
  cache: RefreshAheadCache<Found | AliasOf>,
  load: Load<Found>,
  address: PresetAddress,
): Found | Promise<Found | undefined> {
  const found = cache.get(keyOf(address));
  if (found instanceof AliasOf) return followAlias(cache, load, address, found);
  if (!(found instanceof Promise)) return found;
  return found.then((loaded) =>
    loaded instanceof AliasOf ? followAlias(cache, load, address, loaded) : loaded,
  );
}

/**
 * Looks up the preset of an alias. Another process may have renamed it within the last second, so
 * that its slug is gone or names another preset; then only the store knows.
 */
function followAlias<Found extends Named>(
  cache: RefreshAheadCache<Found | AliasOf>,
  load: Load<Found>,
  address: PresetAddress,
  { id, slug }: AliasOf,
): Found | Promise<Found | undefined> {
  const found = cache.get(keyOf({ ...address, slug }));
  const orLoad = (target: Found | AliasOf | undefined) =>
    target === undefined || target instanceof AliasOf || target.id !== id ? load(address) : target;
  return found instanceof Promise ? found.then(orLoad) : orLoad(found);
}

/** The slug, and the names that a change adds, removes or makes mean another slug. */
function affectedNames(before: PresetState | undefined, after: PresetState | undefined): readonly string[] {
  const old = before === undefined ? [] : namesOf(before);
  const now = after === undefined ? [] : namesOf(after);
  if (before?.slug !== after?.slug) return [...old, ...now];
  const differing = [...old, ...now].filter((name) => !old.includes(name) || !now.includes(name));
  return [...now.slice(0, 1), ...differing];
}

/** Every change increments the revision. */
function isSame(cached: Revised | AliasOf, fresh: Revised | AliasOf): boolean {
  if (cached instanceof AliasOf || fresh instanceof AliasOf) return false;
  return cached.id === fresh.id && cached.revision === fresh.revision;
}

type Revised = Pick<PresetState, 'id' | 'revision'>;

function weighPreset({ name, description, designatedVersion }: Preset): number {
  return weighVersion(designatedVersion) + 4 * (name.length + (description?.length ?? 0));
}

function weighState({ name, description, labels, aliases }: PresetState): number {
  const texts = 2 * (name.length + (description?.length ?? 0));
  return presetOverheadBytes + texts + labelBytes * labels.size + aliasBytes * aliases.size;
}

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

function keysOf(address: PresetAddress, names: readonly string[]): readonly string[] {
  return [...new Set(names)].map((slug) => keyOf({ ...address, slug }));
}

function addressOf(key: string): PresetAddress {
  const [organizationId = '', workspaceId = '', slug = ''] = key.split(' ');
  return { organizationId, workspaceId, slug };
}
