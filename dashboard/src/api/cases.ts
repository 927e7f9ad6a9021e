/** Queries and mutations for the test cases of a preset. */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { PresetCase } from '../../../src/api/cases.ts';
import type { Input, JsonText } from '../../../src/api/client.ts';
import type { Api } from './api.ts';
import { isStatus } from './api-error.ts';
import { fetchPreset, invalidatePresets } from './presets.ts';
import { useSession } from './session.ts';

type CaseInput = Exclude<Input<'PUT /presets/:slug/cases/:name'>['body'], JsonText>;

const pageSize = 100;

/** All cases, sorted by name. Pass the ETag to refetch them. */
export function useCases(slug: string, etag: string) {
  const { api, workspaceId } = useSession();
  return useQuery<readonly PresetCase[]>({
    queryKey: ['presets', workspaceId, 'one', slug, 'cases', etag],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => fetchCases(api, workspaceId, slug, signal),
  });
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

/** The case is not the one that the page has read. */
export class CaseChangedError extends Error {
  constructor(name: string, seen: PresetCase | undefined, now: PresetCase | undefined) {
    const by = now && (now.updated_by_email ?? now.updated_by);
    if (by === undefined) super(`Someone removed ${name}`);
    else super(seen ? `${by} changed ${name} after you opened it` : `There is already a case ${name}`);
  }
}

interface CaseChange {
  readonly name: string;
  /** Undefined removes the case. */
  readonly content: CaseInput | undefined;
  /** The case as the page has it; undefined for a new one. */
  readonly seen: PresetCase | undefined;
  /** Replaces the case even if someone else has changed it. */
  readonly isForced?: boolean;
}

/**
 * Saves or removes a case. Throws `CaseChangedError` instead of overwriting a colleague's change, or
 * a case that the page does not know.
 */
export function useChangeCase(slug: string) {
  const { api, workspaceId, account } = useSession();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ name, content, seen, isForced = false }: CaseChange) => {
      const target = { params: { slug, name }, query: { workspace_id: workspaceId } };
      // Read first: a change after this makes the ETag outdated.
      const { etag } = await fetchPreset(api, workspaceId, slug);
      const now = await fetchCase(api, target);
      // After a save of one's own, the page still has the state before it.
      const isOurs = seen !== undefined && now?.updated_by === account.id;
      if (!isForced && !isOurs && now?.event_number !== seen?.event_number)
        throw new CaseChangedError(name, seen, now);
      const guarded = { ...target, headers: { 'if-match': etag } };
      if (content !== undefined)
        await api.call('PUT /presets/:slug/cases/:name', { ...guarded, body: content });
      else if (now !== undefined) await api.call('DELETE /presets/:slug/cases/:name', guarded);
    },
    onSettled: () => void invalidatePresets(queryClient, workspaceId),
  });
}

/** Undefined if there is none. */
async function fetchCase(
  api: Api,
  target: Pick<Input<'GET /presets/:slug/cases/:name'>, 'params' | 'query'>,
): Promise<PresetCase | undefined> {
  try {
    return (await api.call('GET /presets/:slug/cases/:name', target)).content.data;
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}
