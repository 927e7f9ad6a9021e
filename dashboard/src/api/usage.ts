/**
 * Queries for usage and calls.
 *
 * Every sum comes from `POST /analytics/query`, as it does for the CLI. Usage keeps
 * growing, so visible queries are refetched every minute.
 */

import { useQuery } from '@tanstack/react-query';
import type { Input, ResponseOf } from '../../../src/api/client.ts';
import type { Generation } from '../../../src/api/generations.ts';
import type { UsageDimensionName, UsageMetricName } from '../../../src/core/ledger/usage-catalog.ts';
import type { Api } from './api.ts';
import { useSession } from './session.ts';

type QueryBody = Exclude<Input<'POST /analytics/query'>['body'], { readonly text: unknown }>;

/** A query of usage whose names the compiler checks. */
export interface UsageQuery extends Omit<QueryBody, 'metrics' | 'dimensions' | 'filters'> {
  readonly metrics: UsageMetricName[];
  readonly dimensions?: UsageDimensionName[];
  readonly filters?: UsageCondition[];
}

export type UsageCondition = NonNullable<QueryBody['filters']>[number] & {
  readonly field: UsageDimensionName;
};

export type UsageResult = ResponseOf<'POST /analytics/query'>['data'];
/** Metrics and dimensions by their names, and the start of a period as `date`. */
export type UsageRow = UsageResult['data'][number];

/** The calls that a page is about: those of a workspace, or else all that the user may see. */
export interface UsageScope {
  readonly workspaceId: string | undefined;
  /** Of all workspaces, which only admins of the organization see. */
  readonly isOrganization: boolean;
}

/** The workspace of the page or, if the URL asks for it, the whole organization. */
export function useUsageScope(wantsAll: boolean): UsageScope & { readonly canSeeAll: boolean } {
  const { account, workspaceId, hasOrganization } = useSession();
  const canSeeAll = hasOrganization && account.organization?.role === 'org:admin';
  const isOrganization = wantsAll && canSeeAll;
  return { canSeeAll, isOrganization, workspaceId: isOrganization ? undefined : workspaceId };
}

export async function fetchUsage(
  api: Api,
  { workspaceId }: UsageScope,
  body: UsageQuery,
  signal?: AbortSignal,
): Promise<UsageResult> {
  const input = { query: { workspace_id: workspaceId }, body };
  return (await api.call('POST /analytics/query', input, { signal })).content.data;
}

export const usageIntervalMs = 60_000;

/** One call, by its own id or that of the response. Records do not change, so it is read once. */
export function useCall(id: string, known: Generation | undefined) {
  const { api } = useSession();
  return useQuery({
    queryKey: ['calls', 'one', id],
    staleTime: Number.POSITIVE_INFINITY,
    // A call is stored within a second of its end.
    retry: 1,
    initialData: known,
    queryFn: async ({ signal }) =>
      (await api.call('GET /generation', { query: { id } }, { signal })).content.data,
  });
}

export type CallQuery = NonNullable<Input<'GET /generations'>['query']>;

const callsPerPage = 100;

/** A page of calls, newest first, from a cursor on. */
export async function fetchCalls(
  api: Api,
  query: CallQuery,
  cursor: string | undefined,
  signal: AbortSignal | undefined,
): Promise<{ readonly rows: readonly Generation[]; readonly next: string | undefined }> {
  const input = { query: { ...query, cursor, limit: callsPerPage } };
  const { data: rows, next_cursor: next } = (await api.call('GET /generations', input, { signal })).content;
  return { rows, next: next ?? undefined };
}
