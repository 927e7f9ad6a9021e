/** Queries and mutations for the test cases of a preset. */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { PresetCase } from '../../../src/api/cases.ts';
import type { Input, JsonText } from '../../../src/api/client.ts';
import type { Api } from './api.ts';
import { invalidatePresets } from './presets.ts';
import { useSession } from './session.ts';

type CaseInput = Exclude<Input<'PUT /presets/:slug/cases/:name'>['body'], JsonText>;

const pageSize = 100;

/** All cases, sorted by name; undefined while they are loading. Pass the ETag to refetch them. */
export function useCases(slug: string, etag: string): readonly PresetCase[] | undefined {
  const { api, workspaceId } = useSession();
  const { data } = useQuery<readonly PresetCase[]>({
    queryKey: ['presets', workspaceId, 'one', slug, 'cases', etag],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => fetchCases(api, workspaceId, slug, signal),
  });
  return data;
}

async function fetchCases(
  api: Api,
  workspaceId: string | undefined,
  slug: string,
  signal: AbortSignal,
): Promise<readonly PresetCase[]> {
  const cases: PresetCase[] = [];
  for (;;) {
    const query = { workspace_id: workspaceId, limit: pageSize, offset: cases.length };
    const { content } = await api.call('GET /presets/:slug/cases', { params: { slug }, query }, { signal });
    cases.push(...content.data);
    if (content.data.length < pageSize) return cases;
  }
}

/** Saves or removes a case. Colleagues do not edit cases at the same time, so there is no ETag. */
export function useChangeCase(slug: string) {
  const { api, workspaceId } = useSession();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({
      name,
      content,
    }: {
      readonly name: string;
      readonly content: CaseInput | undefined;
    }) => {
      const target = { params: { slug, name }, query: { workspace_id: workspaceId } };
      if (content === undefined) await api.call('DELETE /presets/:slug/cases/:name', target);
      else await api.call('PUT /presets/:slug/cases/:name', { ...target, body: content });
    },
    onSettled: () => void invalidatePresets(queryClient, workspaceId),
  });
}
