import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { WorkspaceAccess } from '../../../../src/api/account.ts';
import { isStatus } from '../../api/api-error.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyState, ErrorNotice } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import styles from '../organization/organization.module.css';
import { type AuditFilter, auditQuery, noFilter, withOnlyWorkspace } from './audit-filter.ts';
import { AuditFilters } from './audit-filters.tsx';
import { AuditList, isInDeletedWorkspace } from './audit-list.tsx';

/**
 * Every change in the organization, with filters in the URL. Pages are appended, so that the log
 * can be read through without losing the position.
 */
export function AuditPage() {
  const { value, change } = useUrlParams();
  const { account, workspace } = useSession();
  const { workspaces } = account;
  // The others see the workspaces in which they have a role, one at a time.
  const seesAll = account.organization?.role === 'org:admin';
  const filter: AuditFilter = {
    actor: value('actor'),
    kind: value('kind'),
    workspace: value('workspace') || (seesAll ? '' : (workspace?.slug ?? '')),
    preset: value('preset'),
    since: value('since'),
    until: value('until'),
  };
  const audit = useAudit(filter, workspaces);
  const events = audit.data?.pages.flatMap(({ data }) => data);
  const isFiltered = Object.values(filter).some((each) => each !== '');
  const clear = <Button onClick={() => change({ ...noFilter })}>Clear filters</Button>;
  return (
    <Page
      title="Audit log"
      lead={`Append-only log of all changes in ${seesAll ? 'the organization' : 'a workspace'}, newest first.`}
    >
      <Panel isFlush>
        <AuditFilters
          filter={filter}
          workspaces={workspaces}
          seesAll={seesAll}
          otherWorkspaceName={events?.[0]?.workspace_name ?? undefined}
          onChange={(changed) => change(changed)}
        />
        {/* A filter may name a workspace or preset that does not exist; that is no failure. */}
        {isStatus(audit.error, 404) ? (
          <EmptyState title="No matching events">
            <p>{audit.error.message}</p>
            {clear}
          </EmptyState>
        ) : audit.error && events === undefined ? (
          <div className={styles.inset}>
            <ErrorNotice
              error={audit.error}
              title="Could not load the audit log"
              retry={() => void audit.refetch()}
            />
          </div>
        ) : events === undefined ? (
          <Loading lines={10} label="Loading audit log" />
        ) : events.length === 0 ? (
          <EmptyState title={isFiltered ? 'No matching events' : 'No events yet'}>
            {isFiltered && clear}
          </EmptyState>
        ) : (
          <>
            <AuditList
              events={events}
              isStale={audit.isPlaceholderData}
              hasWorkspaces={workspaces.length > 1 || events.some(isInDeletedWorkspace)}
            />
            <div className={styles.more}>
              {audit.isFetchNextPageError && <ErrorNotice error={audit.error} />}
              {audit.hasNextPage ? (
                <Button onClick={() => void audit.fetchNextPage()} isBusy={audit.isFetchingNextPage}>
                  Show more
                </Button>
              ) : (
                <span className="muted">{isFiltered ? 'No more matching events' : 'No more events'}</span>
              )}
            </div>
          </>
        )}
      </Panel>
    </Page>
  );
}

/** Newest first. Cursor pagination, so that new events do not shift the pages. */
function useAudit(filter: AuditFilter, workspaces: readonly WorkspaceAccess[]) {
  const { api } = useSession();
  const query = auditQuery(withOnlyWorkspace(filter, workspaces));
  return useInfiniteQuery({
    queryKey: ['audit', query],
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam: cursor }) =>
      (await api.call('GET /audit', { query: { ...query, cursor, limit: 50 } }, { signal })).content,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
}
