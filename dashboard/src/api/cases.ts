/** Queries and mutations for the test cases of a preset. */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { PresetCase } from '../../../src/api/cases.ts';
import type { Input, JsonText } from '../../../src/api/client.ts';
import type { Api } from './api.ts';
import { isStatus } from './api-error.ts';
import {
  carryCases,
  casesKey,
  fetchPreset,
  invalidatePresets,
  type PresetSnapshot,
  presetKey,
} from './presets.ts';
import { useSession } from './session.ts';

type CaseInput = Exclude<Input<'PUT /presets/:slug/cases/:name'>['body'], JsonText>;

const pageSize = 100;

/** The cases of the preset's state that the ETag names, sorted by name. None without an ETag. */
export function useCases(slug: string, etag: string | undefined) {
  const { api, workspaceId } = useSession();
  return useQuery<readonly PresetCase[]>({
    queryKey: casesKey({ workspaceId, slug }, etag ?? ''),
    enabled: etag !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
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
  /** Undefined removes the case; another `name` in it renames it. */
  readonly content: CaseInput | undefined;
  /** The case as the page has it; undefined for a new one. */
  readonly seen: PresetCase | undefined;
  /** Replaces the case even if someone else has changed it. */
  readonly isForced?: boolean;
}

/**
 * Saves, renames or removes a case. Throws `CaseChangedError` instead of overwriting a colleague's
 * change, or a case that the page does not know.
 */
export function useChangeCase(slug: string) {
  const { api, workspaceId } = useSession();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ name, content, seen, isForced = false }: CaseChange) => {
      const target = { params: { slug, name }, query: { workspace_id: workspaceId } };
      // Read first: a change after this makes the ETag outdated.
      const snapshot = await fetchPreset(api, workspaceId, slug);
      const { etag } = snapshot;
      const now = await fetchCase(api, target);
      if (!isForced && now?.event_number !== seen?.event_number) throw new CaseChangedError(name, seen, now);
      const guarded = { ...target, headers: { 'if-match': etag } };
      if (content === undefined && now === undefined) return;
      const { saved, headers } =
        content === undefined
          ? { ...(await api.call('DELETE /presets/:slug/cases/:name', guarded)), saved: undefined }
          : await put(api, { ...guarded, body: content });
      const after = headers.get('etag');
      carryCases(queryClient, { workspaceId, slug }, etag, after, (cases) => withCase(cases, name, saved));
      const changed: PresetSnapshot = { ...snapshot, etag: after ?? etag };
      queryClient.setQueryData(presetKey(workspaceId, slug), changed);
    },
    onSettled: () => void invalidatePresets(queryClient, workspaceId),
  });
}

async function put(api: Api, input: Input<'PUT /presets/:slug/cases/:name'>) {
  const { content, headers } = await api.call('PUT /presets/:slug/cases/:name', input);
  return { saved: content.data, headers };
}

/** The list with this case as it is now; undefined removes it. */
export function withCase(
  cases: readonly PresetCase[],
  name: string,
  saved: PresetCase | undefined,
): readonly PresetCase[] {
  const others = cases.filter((other) => other.name !== name);
  if (saved === undefined) return others;
  const next = others.findIndex((other) => other.name > saved.name);
  return others.toSpliced(next === -1 ? others.length : next, 0, saved);
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
