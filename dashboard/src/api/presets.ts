import {
  keepPreviousData,
  type QueryClient,
  useMutation,
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
import { type ApiAnswer, type ApiRequest, pathOf } from './api.ts';

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
  return useQuery({
    queryKey: ['presets', workspaceId, 'list', filter],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { ...filter, workspace_id: workspaceId };
      return (await api.send<Page<PresetSummary>>({ path: '/presets', query, signal })).content;
    },
  });
}

export function usePreset(slug: string) {
  const { workspaceId } = useSession();
  const readPreset = useReadPreset();
  return useQuery({
    queryKey: presetKey(workspaceId, slug),
    queryFn: ({ signal }) => readPreset(slug, signal),
  });
}

/** For who needs the state of a preset at one moment, and not how it goes on. */
export function useReadPreset(): (slug: string, signal?: AbortSignal) => Promise<SeenPreset> {
  const { api, workspaceId } = useSession();
  return async (slug, signal) => {
    const query = { workspace_id: workspaceId };
    const request = { path: pathOf('presets', slug), query, ...(signal && { signal }) };
    return seen(await api.send<One<Preset>>(request));
  };
}

/** A version never changes, so it is asked for once. */
export function useVersion(slug: string, version: number | undefined) {
  const { api, workspaceId } = useSession();
  return useQuery({
    queryKey: [...presetKey(workspaceId, slug), 'version', version],
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

/** Oldest first, as the server lists them. */
export function useVersions(slug: string, page: PageQuery) {
  return usePresetPage<PresetVersionDetails>(slug, 'versions', page);
}

/** Newest first. */
export function usePresetEvents(slug: string, page: PageQuery) {
  return usePresetPage<PresetEvent>(slug, 'events', page);
}

export function useLabels(slug: string) {
  return usePresetPage<Label>(slug, 'labels', {});
}

function usePresetPage<T>(slug: string, part: string, page: PageQuery | Record<string, never>) {
  const { api, workspaceId } = useSession();
  return useQuery({
    queryKey: [...presetKey(workspaceId, slug), part, page],
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

/** Any change of a preset; afterwards, everything that is shown of it is asked for again. */
export function useChangePreset(slug: string) {
  const { api, workspaceId } = useSession();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ parts = [], etag, ...request }: PresetChange) =>
      api.send<unknown>({
        ...request,
        path: pathOf('presets', slug, ...parts),
        query: { workspace_id: workspaceId },
        ...(etag !== undefined && { headers: { 'if-match': etag } }),
      }),
    onSettled: () => forgetPreset(queryClient, workspaceId, slug),
  });
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

function seen({ content, headers }: ApiAnswer<One<Preset>>): SeenPreset {
  return { preset: content.data, etag: headers.get('etag') ?? '' };
}
