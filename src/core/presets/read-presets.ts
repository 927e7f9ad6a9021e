import { runCooperatively } from '../concurrency/cooperative-scheduler.ts';
import { invalidRequest, raise } from '../errors.ts';
import { accessibleWorkspace, unknownWorkspace, workspaceFor } from '../organization/workspace-access.ts';
import type { Page } from '../page.ts';
import { parseSearchWords } from '../text/words.ts';
import { assertAlias, unknownAlias } from './alias.ts';
import { compareVersions, type VersionDiff } from './compare-versions.ts';
import { parseVersion, requireExistingVersion, resolveVersion, unknownVersion } from './label.ts';
import type {
  Alias,
  Aliases,
  AuthoredVersion,
  Labels,
  Preset,
  PresetOverview,
  PresetState,
  PresetStatus,
  PresetVersion,
} from './preset.ts';
import { type PresetRequest, presetFor, requirePreset, unknownPreset } from './preset-access.ts';
import type { PresetCache } from './preset-cache.ts';
import type { PresetEvent } from './preset-event.ts';
import type { PresetReference } from './preset-reference.ts';
import type { PresetPage } from './preset-storage.ts';
import { resolveReference } from './resolve-preset.ts';
import { streamBatches } from './stream-batches.ts';
import { parseTagFilter } from './tag.ts';

interface ListRequest extends Omit<PresetRequest, 'slug'> {
  readonly status: PresetStatus | 'all' | undefined;
  readonly query: string | undefined;
  /** Tags that a preset must have, separated by commas. */
  readonly tag?: string | undefined;
  readonly page: Page;
}

export type PresetReader = ReturnType<typeof createPresetReader>;

/**
 * Reads presets for anyone with access to the workspace. Every method throws `not_found` if there
 * is no such workspace or preset. Only `get`, `resolve` and `callable` use the cache; all others
 * read the store.
 */
export function createPresetReader(cache: PresetCache) {
  const presets = cache.store;

  const stateOf = (request: PresetRequest): Promise<PresetState> => requirePreset(presets, request);

  async function versionOf(preset: PresetState, number: number): Promise<PresetVersion> {
    const [version] = await presets.versions(preset.id, { offset: number - 1, limit: 1 });
    return version ?? raise(unknownVersion(preset, number));
  }

  async function list({ caller, workspaceId, status, query, tag, page }: ListRequest) {
    const workspace = workspaceFor(caller, workspaceId, 'read');
    const filter = {
      statuses: statusesOf(status),
      words: parseSearchWords(query),
      tags: parseTagFilter(tag),
    };
    const found = await presets.list(workspace, filter, page);
    return found ?? raise(unknownWorkspace(workspace.workspaceId));
  }

  return {
    list,

    /**
     * Like `list`, with the model and the last editor of each preset. Reads the configs, so it
     * costs more.
     */
    async overview(request: ListRequest): Promise<PresetPage<PresetOverview>> {
      const { presets: found, ...count } = await list(request);
      return { presets: await presets.overviews(found), ...count };
    },

    /**
     * The active presets that the caller may call, up to `limit` of them. For a key that is limited
     * to presets, under the names that it may use.
     */
    async callable(
      { caller, workspaceId }: Omit<PresetRequest, 'slug'>,
      limit: number,
    ): Promise<readonly PresetState[]> {
      const workspace = accessibleWorkspace(caller, workspaceId, 'call');
      if (caller.presets !== null) {
        const named = caller.presets.map(async (slug) => {
          const preset = await cache.state({ ...workspace, slug });
          return preset?.status === 'active' ? [{ ...preset, slug }] : [];
        });
        return (await Promise.all(named)).flat();
      }
      const filter = { statuses: statusesOf('active'), words: undefined };
      const found = await presets.list(workspace, filter, { offset: 0, limit });
      if (found === undefined) throw unknownWorkspace(workspace.workspaceId);
      return found.presets;
    },

    /** Returns without a promise on a cache hit. */
    get(request: PresetRequest): Preset | Promise<Preset> {
      const address = presetFor(request, 'read');
      const found = cache.find(address);
      return found instanceof Promise
        ? found.then((preset) => preset ?? raise(unknownPreset(address.slug)))
        : found;
    },

    /** The preset and the version that a call would use. Throws `forbidden` if it is disabled. */
    resolve({ caller, workspaceId }: Omit<PresetRequest, 'slug'>, reference: PresetReference) {
      const address = presetFor({ caller, workspaceId, slug: reference.slug }, 'call');
      return resolveReference(cache, caller, address, reference);
    },

    async version(request: PresetRequest, version: string): Promise<AuthoredVersion> {
      const number = parseVersion(version);
      const preset = await stateOf(request);
      const [found] = await presets.authoredVersions(preset.id, { offset: number - 1, limit: 1 });
      return found ?? raise(unknownVersion(preset, number));
    },

    /** Streams the versions: a page of them can be many megabytes. */
    async versions(
      request: PresetRequest,
      page: Page,
    ): Promise<{ versions: AsyncGenerator<AuthoredVersion>; totalCount: number }> {
      const { id, latestVersion } = await stateOf(request);
      const read = (part: Page) => presets.authoredVersions(id, part);
      return { versions: streamBatches(read, latestVersion, page), totalCount: latestVersion };
    },

    /**
     * Compares a version with `against` (a number or label), by default with the version before it.
     */
    async diff(
      request: PresetRequest,
      version: string,
      against: string | undefined,
    ): Promise<{ readonly diff: VersionDiff; readonly older: PresetVersion; readonly newer: PresetVersion }> {
      const to = parseVersion(version);
      const preset = await stateOf(request);
      requireExistingVersion(preset, to);
      const from = against === undefined ? previous(to) : resolveVersion(preset, against, '/against');
      const [older, newer] = await Promise.all([versionOf(preset, from), versionOf(preset, to)]);
      const diff = await runCooperatively(compareVersions(preset.slug, older, newer));
      return { diff, older, newer };
    },

    /** A version of a preset that was just read. */
    versionOf,

    async labels(request: PresetRequest): Promise<Labels> {
      return (await stateOf(request)).labels;
    },

    async aliases(request: PresetRequest): Promise<Aliases> {
      return (await stateOf(request)).aliases;
    },

    async alias(request: PresetRequest, alias: string): Promise<Alias> {
      assertAlias(alias);
      const preset = await stateOf(request);
      return preset.aliases.get(alias) ?? raise(unknownAlias(preset, alias));
    },

    /** Returns the preset without the content of its versions. */
    state: stateOf,

    async events(
      request: PresetRequest,
      page: Page,
    ): Promise<{ events: readonly PresetEvent[]; totalCount: number }> {
      const preset = await stateOf(request);
      const isPastEnd = page.offset >= preset.revision;
      return { events: isPastEnd ? [] : await presets.events(preset, page), totalCount: preset.revision };
    },
  };
}

function statusesOf(status: PresetStatus | 'all' | undefined): readonly PresetStatus[] {
  if (status === undefined) return ['active', 'disabled'];
  return status === 'all' ? ['active', 'disabled', 'archived'] : [status];
}

function previous(version: number): number {
  if (version > 1) return version - 1;
  throw invalidRequest(
    'Version 1 has no previous version. Choose what to compare it with: ?against=<version or label>.',
    '/against',
    'is required for version 1',
  );
}
