import {
  keepPreviousData,
  type QueryClient,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { One, Page } from '../../../src/client/answers.ts';
import type {
  Label,
  Preset,
  PresetEvent,
  PresetSummary,
  PresetVersionDetails,
} from '../../../src/client/preset-answers.ts';
import { useSession } from '../session/session.tsx';
import { type Api, type ApiAnswer, type ApiRequest, pathOf } from './api.ts';

/** A preset together with the tag that says which state of it was seen. */
export interface SeenPreset {
  readonly preset: Preset;
  readonly etag: string;
}

export interface PresetFilter {
  readonly q: string;
  /** Empty: all but archived ones. */
  readonly status: string;
  readonly offset: number;
  readonly limit: number;
}

export function usePresets(filter: PresetFilter) {
  const { api, workspaceId } = useSession();
  return useQuery<Page<PresetSummary>>({
    queryKey: ['presets', workspaceId, 'list', filter],
    // Those of another workspace are not there in this one.
    placeholderData: (before, query) => (query?.queryKey[1] === workspaceId ? before : undefined),
    queryFn: async ({ signal }) => {
      const query = { ...filter, workspace_id: workspaceId };
      return (await api.send<Page<PresetSummary>>({ path: '/presets', query, signal })).content;
    },
  });
}

export function usePreset(slug: string) {
  const { api, workspaceId } = useSession();
  return useQuery({
    queryKey: presetKey(workspaceId, slug),
    queryFn: ({ signal }) => readPreset(api, workspaceId, slug, signal),
  });
}

/** For who needs the state of a preset at one moment, and not how it goes on. */
export function useReadPreset(): (slug: string, signal?: AbortSignal) => Promise<SeenPreset> {
  const { api, workspaceId } = useSession();
  return (slug, signal) => readPreset(api, workspaceId, slug, signal);
}

export async function readPreset(
  api: Api,
  workspaceId: string | undefined,
  slug: string,
  signal?: AbortSignal,
): Promise<SeenPreset> {
  const request = { path: pathOf('presets', slug), query: { workspace_id: workspaceId } };
  const { content, headers } = await api.send<One<Preset>>({ ...request, ...(signal && { signal }) });
  return { preset: content.data, etag: headers.get('etag') ?? '' };
}

/** A version never changes, so it is asked for once. */
export function useVersion(slug: string, version: number | undefined) {
  const { api, workspaceId } = useSession();
  return useQuery({
    queryKey: versionKey(workspaceId, slug, version),
    enabled: version !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const path = pathOf('presets', slug, 'versions', version ?? 0);
      const query = { workspace_id: workspaceId };
      return (await api.send<One<PresetVersionDetails>>({ path, query, signal })).content.data;
    },
  });
}

export interface PageQuery {
  readonly offset: number;
  readonly limit: number;
}

/**
 * How many versions there are, which a page past the end tells without any of them. They are numbered without a gap, so that
 * it is the number of the newest too.
 */
export function useVersionCount(slug: string, etag: string) {
  const { data, ...rest } = usePresetPage<never>(slug, 'versions', { offset: 2_147_483_647, limit: 1 }, etag);
  return { ...rest, data: data?.total_count };
}

/** Pages of versions that all exist, so that each is asked for once, and every version in it with it. */
export function useVersionRanges(slug: string, ranges: readonly PageQuery[]) {
  const { api, workspaceId } = useSession();
  const queryClient = useQueryClient();
  return useQueries({
    queries: ranges.map((range) => ({
      queryKey: [...fixedKey(workspaceId, slug), 'range', range],
      staleTime: Number.POSITIVE_INFINITY,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const query = { ...range, workspace_id: workspaceId };
        const path = pathOf('presets', slug, 'versions');
        const { data } = (await api.send<Page<PresetVersionDetails>>({ path, query, signal })).content;
        for (const version of data)
          queryClient.setQueryData(versionKey(workspaceId, slug, version.version), version);
        return data;
      },
    })),
  });
}

/** Newest first. */
export function usePresetEvents(slug: string, page: PageQuery) {
  return usePresetPage<PresetEvent>(slug, 'events', page);
}

/** With a tag, they are asked for again when it changes: what is shown is never older than that state. */
export function useLabels(slug: string, etag?: string) {
  return usePresetPage<Label>(slug, 'labels', {}, etag);
}

function usePresetPage<T>(
  slug: string,
  part: string,
  page: PageQuery | Record<string, never>,
  etag?: string,
) {
  const { api, workspaceId } = useSession();
  return useQuery({
    queryKey: [...presetKey(workspaceId, slug), part, page, etag],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { ...page, workspace_id: workspaceId };
      return (await api.send<Page<T>>({ path: pathOf('presets', slug, part), query, signal })).content;
    },
  });
}

export interface PresetChange extends Pick<ApiRequest, 'method' | 'body'> {
  /** After the path of the preset. */
  readonly parts?: readonly string[];
  /** The state that was seen: when it is not the state any more, the server changes nothing and answers 412. */
  readonly etag: string | undefined;
}

/** A change answers with the preset, with the label that was set, or with neither. */
export interface ChangeAnswer {
  readonly data?: Preset | Label;
}

/** Any change of a preset; afterwards, everything that is shown of it is asked for again. */
export function useChangePreset(slug: string) {
  const { api, workspaceId } = useSession();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ parts = [], etag, ...request }: PresetChange) =>
      api.send<ChangeAnswer>({
        ...request,
        path: pathOf('presets', slug, ...parts),
        query: { workspace_id: workspaceId },
        ...(etag !== undefined && { headers: { 'if-match': etag } }),
      }),
    // The next change may be made before the preset has been read again.
    onSuccess: (answer) =>
      queryClient.setQueryData<SeenPreset>(
        presetKey(workspaceId, slug),
        (before) => before && seenAfter(before, answer),
      ),
    // Not waited for: what was done is told at once.
    onSettled: () => {
      void forgetPreset(queryClient, workspaceId, slug);
    },
  });
}

/** The preset as whoever made the change knows it. */
export function seenAfter(before: SeenPreset, { content, headers }: ApiAnswer<ChangeAnswer>): SeenPreset {
  const etag = headers.get('etag') ?? before.etag;
  const { data } = content;
  if (data === undefined) return { ...before, etag };
  if ('designated_version' in data) return { preset: data, etag };
  return { preset: { ...before.preset, updated_at: data.updated_at }, etag };
}

/** What is known of a preset, and of the lists that it stands in, may be out of date. */
export function forgetPreset(queryClient: QueryClient, workspaceId: string | undefined, slug: string) {
  return Promise.all([
    queryClient.invalidateQueries({ queryKey: ['presets', workspaceId, 'list'] }),
    queryClient.invalidateQueries({ queryKey: presetKey(workspaceId, slug) }),
  ]);
}

function presetKey(workspaceId: string | undefined, slug: string) {
  return ['presets', workspaceId, 'one', slug] as const;
}

/** Apart from what changes, so that it is not asked for again with it. */
function fixedKey(workspaceId: string | undefined, slug: string) {
  return ['presets', workspaceId, 'fixed', slug] as const;
}

function versionKey(workspaceId: string | undefined, slug: string, version: number | undefined) {
  return [...fixedKey(workspaceId, slug), 'version', version] as const;
}
