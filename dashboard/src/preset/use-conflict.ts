import { useQuery } from '@tanstack/react-query';
import type { Page } from '../../../src/client/answers.ts';
import type { PresetEvent } from '../../../src/client/preset-answers.ts';
import { type Api, pathOf } from '../api/api.ts';
import { readPreset, type SeenPreset } from '../api/presets.ts';
import { useSession } from '../session/session.tsx';
import { eventsSince } from './events-since.ts';

export interface Conflict {
  readonly now: SeenPreset;
  readonly events: readonly PresetEvent[];
}

/** A server with others beside it may answer from memory for a second; longer it is not waited for. */
const readsMax = 4;
const readAgainMs = 500;

/** What a preset has become since it was seen, asked for anew. */
export function useConflict(slug: string, before: SeenPreset) {
  const { api, workspaceId } = useSession();
  return useQuery<Conflict>({
    queryKey: ['presets', workspaceId, 'conflict', slug, before.etag],
    gcTime: 0,
    staleTime: 0,
    // What is shown is what is agreed to: it does not change while it is read.
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) =>
      state.data?.now.etag === before.etag && state.dataUpdateCount < readsMax ? readAgainMs : false,
    queryFn: async ({ signal }) => {
      const now = await readPreset(api, workspaceId, slug, signal);
      const events = await readEvents(api, workspaceId, slug, signal);
      return { now, events: eventsSince(before.preset.updated_at, events) };
    },
  });
}

async function readEvents(api: Api, workspaceId: string | undefined, slug: string, signal: AbortSignal) {
  const query = { workspace_id: workspaceId, limit: 20 };
  const path = pathOf('presets', slug, 'events');
  return (await api.send<Page<PresetEvent>>({ path, query, signal })).content.data;
}
