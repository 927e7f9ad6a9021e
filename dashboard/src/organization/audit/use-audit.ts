import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { Workspace } from '../../../../src/api/workspaces.ts';
import type { AuditEvent } from '../../../../src/client/organization-answers.ts';
import { useSession } from '../../session/session.tsx';
import { type AuditFilter, auditQuery, withOnlyWorkspace } from './audit-filter.ts';

interface AuditPageResponse {
  readonly data: readonly AuditEvent[];
  readonly next_cursor: string | null;
}

/** Newest first. Cursor pagination, so that new events do not shift the pages. */
export function useAudit(filter: AuditFilter, workspaces: readonly Workspace[] | undefined) {
  const { api } = useSession();
  const query = auditQuery(withOnlyWorkspace(filter, workspaces ?? []));
  // A preset filter without a workspace depends on how many workspaces there are, so wait for them.
  const isResolvable = filter.preset === '' || filter.workspace !== '' || workspaces !== undefined;
  return useInfiniteQuery({
    queryKey: ['audit', query],
    enabled: isResolvable,
    placeholderData: keepPreviousData,
    initialPageParam: '',
    queryFn: async ({ signal, pageParam: cursor }) =>
      (await api.send<AuditPageResponse>({ path: '/audit', query: { ...query, cursor, limit: 50 }, signal }))
        .content,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
}
