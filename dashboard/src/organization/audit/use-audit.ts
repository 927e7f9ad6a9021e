import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { AuditEvent, Workspace } from '../../../../src/client/organization-answers.ts';
import { useSession } from '../../session/session.tsx';
import { type AuditFilter, auditQuery, inOnlyWorkspace } from './audit-filter.ts';

interface AuditAnswer {
  readonly data: readonly AuditEvent[];
  readonly next_cursor: string | null;
}

/** Newest first; each page is where the one before ended. */
export function useAudit(filter: AuditFilter, workspaces: readonly Workspace[] | undefined) {
  const { api } = useSession();
  const query = auditQuery(inOnlyWorkspace(filter, workspaces ?? []));
  // Which workspace a preset alone is in follows from how many there are.
  const isKnown = filter.preset === '' || filter.workspace !== '' || workspaces !== undefined;
  return useInfiniteQuery({
    queryKey: ['audit', query],
    enabled: isKnown,
    placeholderData: keepPreviousData,
    initialPageParam: '',
    queryFn: async ({ signal, pageParam: cursor }) =>
      (await api.send<AuditAnswer>({ path: '/audit', query: { ...query, cursor, limit: 50 }, signal }))
        .content,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
}
