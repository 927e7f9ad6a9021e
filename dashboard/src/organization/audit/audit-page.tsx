import { isStatus } from '../../api/api-error.ts';
import { useWorkspaceOptions } from '../../api/organization.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useUrlParams } from '../../ui/use-url-params.ts';
import styles from '../organization.module.css';
import { type AuditFilter, noFilter } from './audit-filter.ts';
import { AuditFilters } from './audit-filters.tsx';
import { AuditList } from './audit-list.tsx';
import { useAudit } from './use-audit.ts';

/**
 * Every change in the organization, with filters in the URL. Pages are appended, so that the log
 * can be read through without losing the position.
 */
export function AuditPage() {
  const { value, change } = useUrlParams();
  const filter: AuditFilter = {
    actor: value('actor'),
    kind: value('kind'),
    workspace: value('workspace'),
    preset: value('preset'),
    since: value('since'),
    until: value('until'),
  };
  const { data: workspaces } = useWorkspaceOptions();
  const audit = useAudit(filter, workspaces);
  const events = audit.data?.pages.flatMap(({ data }) => data);
  const isFiltered = Object.values(filter).some((each) => each !== '');
  const clear = <Button onClick={() => change({ ...noFilter })}>Clear filters</Button>;
  return (
    <Page title="Audit log" lead="Append-only log of all changes in the organization, newest first.">
      <Panel isFlush>
        <AuditFilters
          filter={filter}
          workspaces={workspaces ?? []}
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
              hasWorkspaces={
                (workspaces?.length ?? 0) > 1 ||
                events.some(
                  ({ workspace_slug, workspace_id }) => workspace_id !== null && workspace_slug === null,
                )
              }
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
