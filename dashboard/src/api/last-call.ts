/**
 * When presets were last called, for people who are about to disable or archive them.
 *
 * Each question asks the server again: an answer from the cache could be from before the last call.
 * The server itself lags behind by up to a minute.
 */

import { useQuery } from '@tanstack/react-query';
import type { PresetUsage } from '../../../src/api/preset-usage.ts';
import type { Api } from './api.ts';
import { useSession } from './session.ts';

/** The usage of one preset, fetched when the component mounts. */
export function useLastCall(slug: string) {
  const { api, workspaceId } = useSession();
  return useQuery({
    // Not below the key of the preset: a change to the preset does not affect its usage.
    queryKey: ['last-call', workspaceId, slug],
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) => fetchLastCall(api, workspaceId, slug, signal),
  });
}

export async function fetchLastCall(
  api: Api,
  workspaceId: string | undefined,
  slug: string,
  signal: AbortSignal,
): Promise<PresetUsage> {
  const input = { params: { slug }, query: { workspace_id: workspaceId } };
  return (await api.call('GET /presets/:slug/usage', input, { signal })).content.data;
}

/** Whether the preset was called in the last hour. */
export function wasCalledInLastHour({ last_called_at: at }: PresetUsage, now: number): boolean {
  return at !== null && now - Date.parse(at) < 3_600_000;
}
