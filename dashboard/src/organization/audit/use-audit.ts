import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { AuditEvent } from '../../../../src/client/organization-answers.ts';
import { useSession } from '../../session/session.tsx';
import { type AuditFilter, auditQuery } from './audit-filter.ts';

interface AuditAnswer {
  readonly data: readonly AuditEvent[];
  readonly next_cursor: string | null;
}

/** Newest first; each page is where the one before ended. */
export function useAudit(filter: AuditFilter) {
  const { api } = useSession();
  const query = auditQuery(filter);
  return useInfiniteQuery({
    queryKey: ['audit', query],
    placeholderData: keepPreviousData,
    initialPageParam: '',
    queryFn: async ({ signal, pageParam: cursor }) =>
      (await api.send<AuditAnswer>({ path: '/audit', query: { ...query, cursor, limit: 50 }, signal }))
        .content,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
}
