/** The logged content of a call. */

import { useQuery } from '@tanstack/react-query';
import type { GenerationContent } from '../../../src/api/generation-content.ts';
import { isStatus } from './api-error.ts';
import { useSession } from './session.ts';

/**
 * Null if the content is not stored. Every request is an event in the audit log, so nothing is
 * requested before the user asks for it, and nothing twice.
 */
export function useCallContent(id: string, isWanted: boolean) {
  const { api } = useSession();
  return useQuery<GenerationContent | null>({
    queryKey: ['call-content', id],
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    retryOnMount: false,
    refetchOnReconnect: false,
    queryFn: async ({ signal }) => {
      try {
        return (await api.call('GET /generation/content', { query: { id } }, { signal })).content.data;
      } catch (error) {
        if (isStatus(error, 404)) return null;
        throw error;
      }
    },
  });
}

/** The content log of a workspace. */
export function useContentLog(workspaceId: string | null, isWanted: boolean) {
  const { api } = useSession();
  return useQuery({
    queryKey: ['workspaces', 'content-log', workspaceId],
    enabled: isWanted && workspaceId !== null,
    queryFn: async ({ signal }) =>
      (await api.call('GET /workspaces/:id/content-log', { params: { id: workspaceId ?? '' } }, { signal }))
        .content.data,
  });
}
