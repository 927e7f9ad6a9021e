import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { withoutEmpty } from '../../api/api.ts';
import type { StatusFilter } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { usePresetCalls } from '../../features/version-usage/preset-calls.tsx';
import { type FetchPage, type LoadedPresets, loadPresets } from './load-presets.ts';
import { applyFilter, collectFacets, type PresetFilter } from './preset-filter.ts';

/** A return to the list within this time only asks for what has changed. */
const keptMs = 30 * 60_000;

/** How old the times of calls can be. */
const callsKnownMs = 5 * 60_000;

function knownList(list: LoadedPresets | undefined): LoadedPresets | undefined {
  return list && Date.now() - list.loadedAt < callsKnownMs ? list : undefined;
}

/** The presets that match, in order, while and after they are loaded. */
export function usePresetList(filter: PresetFilter) {
  const { q, tags, status } = filter;
  const { api, workspaceId } = useSession();
  const queryClient = useQueryClient();
  const tag = tags.join();
  const queryKey = ['presets', workspaceId, 'list', 'all', { q, tag, status }];
  const query = useQuery<LoadedPresets>({
    queryKey,
    gcTime: keptMs,
    // Comparing thousands of presets field by field would block the page for longer than it saves.
    structuralSharing: false,
    // Never show rows of the previous workspace while this one's load.
    placeholderData: (previous, before) => (before?.queryKey[1] === workspaceId ? previous : undefined),
    queryFn: ({ signal }) => {
      const fetchPage: FetchPage = async (offset, limit) => {
        const all = { q, tag, status: status as StatusFilter, offset, limit, workspace_id: workspaceId };
        return (await api.call('GET /presets', { query: withoutEmpty(all) }, { signal })).content;
      };
      return loadPresets({
        fetchPage,
        // Words are indexed in the background, so a search can find a preset that has not changed.
        known: q === '' ? knownList(queryClient.getQueryData<LoadedPresets>(queryKey)) : undefined,
        onProgress: (loaded) => !signal.aborted && queryClient.setQueryData(queryKey, loaded),
      });
    },
  });
  const { data } = query;
  const calls = usePresetCalls();
  const { label, model, owner, sort } = filter;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filter is a new object on each render
  const presets = useMemo(
    () => data && applyFilter(data.presets, filter, calls),
    [data, calls, label, model, owner, sort?.id, sort?.isDescending],
  );
  const facets = useMemo(() => collectFacets(data?.presets ?? []), [data]);
  return { loaded: data, presets, calls, facets, query };
}
