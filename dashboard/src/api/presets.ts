/**
 * Queries and mutations for presets, in the workspace that the session has selected.
 *
 * Query keys separate what can change (`one`) from what cannot (`fixed`): a change to a preset
 * refetches its state, labels and events, but never its versions, which are immutable. Every change
 * sends the ETag of the state on screen as `If-Match`; the server returns 412 if someone else was
 * faster.
 *
 * The test cases of a preset may be megabytes. They are stored by the ETag of the preset that they
 * belong to, and a change of one's own, which is conditional on the state before it, carries them
 * over to the next: only somebody else's change downloads them again.
 *
 * A preset can be read by any of its names. A state read by an alias is also stored under the slug,
 * so that the page can move there at once.
 */

import {
  keepPreviousData,
  type QueryClient,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import type { PresetCase } from '../../../src/api/cases.ts';
import type { ApiResponse, Input, ResponseOf } from '../../../src/api/client.ts';
import type { PresetEvent } from '../../../src/api/events.ts';
import type { Preset } from '../../../src/api/presets.ts';
import type { PresetVersionDetails } from '../../../src/api/versions.ts';
import { headerNames } from '../../../src/core/header-names.ts';
import { type Api, withoutEmpty } from './api.ts';
import { useOffsetRows } from './row-source.ts';
import { useSession } from './session.ts';

/** A preset and the ETag of the state that the page shows. */
export interface PresetSnapshot {
  readonly preset: Preset;
  /** The number of the latest version. Versions are numbered without gaps, so also their count. */
  readonly latest: number;
  readonly etag: string;
}

/** Filters and page of the preset list. */
interface PresetFilter {
  readonly q: string;
  /** Separated by commas; empty for any. */
  readonly tag: string;
  /** Empty for all presets except archived ones. */
  readonly status: StatusFilter;
  readonly offset: number;
  readonly limit: number;
}

export type StatusFilter = NonNullable<NonNullable<Input<'GET /presets'>['query']>['status']> | '';

/** One page of the presets in the selected workspace. */
export function usePresets(filter: PresetFilter) {
  const { api, workspaceId } = useSession();
  return useQuery<ResponseOf<'GET /presets'>>({
    queryKey: ['presets', workspaceId, 'list', filter],
    // Never show rows of the previous workspace while this one's load.
    placeholderData: (previous, query) => (query?.queryKey[1] === workspaceId ? previous : undefined),
    queryFn: async ({ signal }) => {
      const query = withoutEmpty({ ...filter, workspace_id: workspaceId });
      return (await api.call('GET /presets', { query }, { signal })).content;
    },
  });
}

/**
 * The preset with its live version and ETag. `name` is its slug or an alias. Without `isFetched`,
 * it is there only if something else on the page has loaded it.
 */
export function usePreset(name: string, isFetched = true) {
  const { api, workspaceId } = useSession();
  const queryClient = useQueryClient();
  return useQuery({
    queryKey: presetKey(workspaceId, name),
    enabled: isFetched,
    queryFn: async ({ signal }) => {
      const snapshot = await fetchPreset(api, workspaceId, name, signal);
      storeUnderSlug(queryClient, workspaceId, name, snapshot);
      return snapshot;
    },
  });
}

const liveIntervalMs = 15_000;

/**
 * Reads the preset again once a colleague has made another version live, except behind a dialog,
 * whose content must not change. Asks from time to time, in a query of its own: without a
 * connection, an error of the preset's query would move the page while the user types.
 */
export function useRefetchOnRelease({ preset, etag }: PresetSnapshot, isPaused: boolean): void {
  const { api, workspaceId } = useSession();
  const queryClient = useQueryClient();
  const { slug } = preset;
  const { version } = preset.designated_version;
  const { data: live, dataUpdatedAt } = useQuery({
    queryKey: ['live', workspaceId, slug, etag],
    initialData: version,
    staleTime: liveIntervalMs,
    refetchInterval: liveIntervalMs,
    queryFn: async ({ signal }) =>
      (await fetchPreset(api, workspaceId, slug, signal)).preset.designated_version.version,
  });
  const isOutdated = live !== version && !isPaused;
  // biome-ignore lint/correctness/useExhaustiveDependencies: tries again after each read, since one may fail
  useEffect(() => {
    if (isOutdated) void invalidatePresets(queryClient, workspaceId);
  }, [isOutdated, dataUpdatedAt, queryClient, workspaceId]);
}

/**
 * Without this, two names whose cached states point at each other, after the preset was renamed
 * elsewhere, would send the page back and forth.
 */
function storeUnderSlug(
  queryClient: QueryClient,
  workspaceId: string | undefined,
  name: string,
  snapshot: PresetSnapshot,
): void {
  const { slug } = snapshot.preset;
  if (slug !== name) queryClient.setQueryData(presetKey(workspaceId, slug), snapshot);
}

/** Throws status 404 if the workspace has no such preset. */
export async function fetchPreset(
  api: Api,
  workspaceId: string | undefined,
  slug: string,
  signal?: AbortSignal,
): Promise<PresetSnapshot> {
  const input = { params: { slug }, query: { workspace_id: workspaceId } };
  const { content, headers } = await api.call('GET /presets/:slug', input, { signal });
  const preset = content.data;
  return { preset, latest: latestVersion(preset, headers), etag: headers.get('etag') ?? '' };
}

/** During an upgrade, a server without this header may respond. */
function latestVersion(preset: Preset, headers: Headers): number {
  return Number(headers.get(headerNames.latestVersion) ?? preset.designated_version.version);
}

/** A version is immutable, so it is fetched once. Disabled while `version` is undefined. */
export function useVersion(slug: string, version: number | undefined) {
  const { api, workspaceId } = useSession();
  return useQuery({
    queryKey: versionKey(workspaceId, slug, version),
    enabled: version !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => fetchVersion(api, workspaceId, { slug, version: version ?? 0 }, signal),
  });
}

/** Several versions by number; those that are still loading, or do not exist, are left out. */
export function useVersions(
  slug: string,
  numbers: readonly number[],
): ReadonlyMap<number, PresetVersionDetails> {
  const { api, workspaceId } = useSession();
  return useQueries({
    queries: [...new Set(numbers)].map((version) => ({
      queryKey: versionKey(workspaceId, slug, version),
      staleTime: Number.POSITIVE_INFINITY,
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        fetchVersion(api, workspaceId, { slug, version }, signal),
    })),
    combine: (results) =>
      new Map(results.flatMap(({ data }) => (data === undefined ? [] : [[data.version, data] as const]))),
  });
}

/** Throws status 404 if the preset has no such version. */
export async function fetchVersion(
  api: Api,
  workspaceId: string | undefined,
  params: { readonly slug: string; readonly version: number },
  signal?: AbortSignal,
): Promise<PresetVersionDetails> {
  const input = { params, query: { workspace_id: workspaceId } };
  return (await api.call('GET /presets/:slug/versions/:version', input, { signal })).content.data;
}

/** Offset pagination, as all list endpoints take it. */
export interface PageQuery {
  readonly offset: number;
  readonly limit: number;
}

/**
 * Pages of existing versions, each fetched once. Every version is also stored under its own key, so
 * that opening it needs no request.
 */
export function useVersionRanges(slug: string, ranges: readonly PageQuery[]) {
  const { api, workspaceId } = useSession();
  const queryClient = useQueryClient();
  return useQueries({
    queries: ranges.map((range) => ({
      queryKey: [...immutableKey(workspaceId, slug), 'range', range],
      staleTime: Number.POSITIVE_INFINITY,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const query = { ...range, workspace_id: workspaceId };
        const input = { params: { slug }, query };
        const { data } = (await api.call('GET /presets/:slug/versions', input, { signal })).content;
        for (const version of data)
          queryClient.setQueryData(versionKey(workspaceId, slug, version.version), version);
        return data;
      },
    })),
  });
}

/** Small: each version may have a prompt of 100 kB, and parsing a page must not freeze the list. */
const rangeSize = 10;

/**
 * Pages that contain all versions from `oldest` to `newest`. Their boundaries stay the same when
 * versions are added, so cached pages remain valid; only the last one grows until it is full.
 */
export function versionRanges(count: number, oldest: number, newest: number): readonly PageQuery[] {
  const ranges: PageQuery[] = [];
  const first = Math.floor((oldest - 1) / rangeSize) * rangeSize;
  for (let offset = first; offset < newest; offset += rangeSize)
    ranges.push({ offset, limit: Math.min(rangeSize, count - offset) });
  return ranges;
}

/** Newest first. */
export function usePresetEventRows(slug: string) {
  const { api, workspaceId } = useSession();
  return useOffsetRows<PresetEvent>({
    queryKey: [...presetKey(workspaceId, slug), 'event rows'],
    keyOf: ({ id }) => id,
    fetch: async (page, signal) => {
      const input = { params: { slug }, query: { ...page, workspace_id: workspaceId } };
      return (await api.call('GET /presets/:slug/events', input, { signal })).content;
    },
  });
}

/** Pass the ETag to refetch whenever the preset changes, so that labels are never older than it. */
export function useLabels(slug: string, etag?: string) {
  return usePresetList(slug, 'GET /presets/:slug/labels', etag);
}

/** Sorted. Pass the ETag to refetch whenever the preset changes. */
export function useAliases(slug: string, etag: string) {
  return usePresetList(slug, 'GET /presets/:slug/aliases', etag);
}

/** Sorted. Pass the ETag to refetch whenever the preset changes. */
export function useTags(slug: string, etag: string) {
  return usePresetList(slug, 'GET /presets/:slug/tags', etag);
}

type ListRoute = `GET /presets/:slug/${'labels' | 'aliases' | 'tags'}`;

/** A list below a preset. Keeps showing the previous state while the next one loads. */
function usePresetList<R extends ListRoute>(slug: string, route: R, etag?: string) {
  const { api, workspaceId } = useSession();
  return useQuery<ResponseOf<R>>({
    queryKey: [...presetKey(workspaceId, slug), route, etag],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const input = { params: { slug }, query: { workspace_id: workspaceId } };
      return (await api.call<ListRoute>(route, input, { signal })).content as ResponseOf<R>;
    },
  });
}

/** Sends a change to the preset that `target` identifies. */
export type PresetChange = (api: Api, target: PresetTarget) => Promise<ApiResponse<ChangeResponse>>;

/** The input that all changes to a preset have in common. */
type PresetTarget = Pick<Input<'DELETE /presets/:slug'>, 'params' | 'query' | 'headers'>;

/** The preset, label or alias after the change; none of them when a label or alias was removed. */
type ChangeResponse = ResponseOf<
  | 'PATCH /presets/:slug'
  | `${'PUT' | 'DELETE'} /presets/:slug/labels/:label`
  | `${'PUT' | 'DELETE'} /presets/:slug/aliases/:alias`
>;

interface ChangeOptions {
  readonly change: PresetChange;
  /** Sent as `If-Match`. The server rejects the change with 412 if the preset has changed since. */
  readonly etag: string | undefined;
}

/** A mutation of a preset. Afterwards everything shown about it is refetched. */
export function useChangePreset(slug: string) {
  const { api, workspaceId } = useSession();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ change, etag }: ChangeOptions) =>
      change(api, {
        params: { slug },
        query: { workspace_id: workspaceId },
        ...(etag !== undefined && { headers: { 'if-match': etag } }),
      }),
    // Store the new ETag right away: the user may make another change before the refetch completes.
    onSuccess: (response, { etag }) => {
      carryCases(queryClient, { workspaceId, slug }, etag, response.headers.get('etag'));
      const after = queryClient.setQueryData<PresetSnapshot>(
        presetKey(workspaceId, slug),
        (before) => before && snapshotAfter(before, response),
      );
      if (after) storeUnderSlug(queryClient, workspaceId, slug, after);
    },
    // Not awaited, so that the confirmation appears without waiting for the refetch.
    onSettled: () => {
      void invalidatePresets(queryClient, workspaceId);
    },
  });
}

/** The preset after a change, derived from the response without another request. */
export function snapshotAfter(
  before: PresetSnapshot,
  { content, headers }: ApiResponse<ChangeResponse>,
): PresetSnapshot {
  const etag = headers.get('etag') ?? before.etag;
  if (!('data' in content)) return { ...before, etag };
  const { data } = content;
  if ('designated_version' in data) return { preset: data, latest: latestVersion(data, headers), etag };
  const updatedAt = 'alias' in data ? data.created_at : data.updated_at;
  return { ...before, preset: { ...before.preset, updated_at: updatedAt }, etag };
}

/**
 * Marks all presets and lists as stale, because a page may show the changed preset by another name.
 * Only what is on screen is refetched.
 */
export function invalidatePresets(queryClient: QueryClient, workspaceId: string | undefined) {
  return Promise.all([
    queryClient.invalidateQueries({ queryKey: ['presets', workspaceId, 'list'] }),
    queryClient.invalidateQueries({ queryKey: ['presets', workspaceId, 'one'] }),
  ]);
}

/** The test cases of one state of a preset. */
export function casesKey({ workspaceId, slug }: PresetName, etag: string) {
  return ['presets', workspaceId, 'cases', slug, etag] as const;
}

interface PresetName {
  readonly workspaceId: string | undefined;
  readonly slug: string;
}

/**
 * Carries the test cases over from the state that a change was conditional on to the state after
 * it. `change` is what the change did to them.
 */
export function carryCases(
  queryClient: QueryClient,
  name: PresetName,
  before: string | undefined,
  after: string | null,
  change = (cases: readonly PresetCase[]) => cases,
): void {
  if (before === undefined || after === null) return;
  const cases = queryClient.getQueryData<readonly PresetCase[]>(casesKey(name, before));
  if (cases !== undefined) queryClient.setQueryData(casesKey(name, after), change(cases));
}

/** Prefix of everything about a preset that can change. */
export function presetKey(workspaceId: string | undefined, name: string) {
  return ['presets', workspaceId, 'one', name] as const;
}

/** Prefix of data that never changes, and that `invalidatePresets` therefore must not match. */
function immutableKey(workspaceId: string | undefined, slug: string) {
  return ['presets', workspaceId, 'fixed', slug] as const;
}

function versionKey(workspaceId: string | undefined, slug: string, version: number | undefined) {
  return [...immutableKey(workspaceId, slug), 'version', version] as const;
}
