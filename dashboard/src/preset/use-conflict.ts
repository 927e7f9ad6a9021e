import { useQuery } from '@tanstack/react-query';
import type { Page } from '../../../src/client/answers.ts';
import type { PresetEvent } from '../../../src/client/preset-answers.ts';
import { type Api, pathOf } from '../api/api.ts';
import { fetchPreset, type PresetSnapshot } from '../api/presets.ts';
import { useSession } from '../session/session.tsx';
import { eventsSince } from './events-since.ts';

export interface Conflict {
  readonly now: PresetSnapshot;
  readonly events: readonly PresetEvent[];
}

/** Another worker process may serve the previous state from its cache for up to a second. */
const readsMax = 4;
const pollIntervalMs = 500;

/**
 * Loads what changed since `before`. Polls a few times while the server still returns that state.
 */
export function useConflict(slug: string, before: PresetSnapshot) {
  const { api, workspaceId } = useSession();
  return useQuery<Conflict>({
    queryKey: ['presets', workspaceId, 'conflict', slug, before.etag],
    gcTime: 0,
    staleTime: 0,
    // "Apply anyway" applies to exactly what is on screen, so do not refetch behind it.
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) =>
      state.data?.now.etag === before.etag && state.dataUpdateCount < readsMax ? pollIntervalMs : false,
    queryFn: async ({ signal }) => {
      const now = await fetchPreset(api, workspaceId, slug, signal);
      const events = await fetchEvents(api, workspaceId, slug, signal);
      return { now, events: eventsSince(before.preset.updated_at, events) };
    },
  });
}

/** The latest events; more than 20 concurrent changes would not be readable anyway. */
async function fetchEvents(api: Api, workspaceId: string | undefined, slug: string, signal: AbortSignal) {
  const query = { workspace_id: workspaceId, limit: 20 };
  const path = pathOf('presets', slug, 'events');
  return (await api.send<Page<PresetEvent>>({ path, query, signal })).content.data;
}
