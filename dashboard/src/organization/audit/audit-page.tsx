import { isStatus } from '../../api/api-error.ts';
import { useWorkspaceChoice } from '../../api/organization.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useSearchValues } from '../../parts/use-search-values.ts';
import styles from '../organization.module.css';
import { type AuditFilter, noFilter } from './audit-filter.ts';
import { AuditFilters } from './audit-filters.tsx';
import { AuditList } from './audit-list.tsx';
import { useAudit } from './use-audit.ts';

export function AuditPage() {
  const { value, change } = useSearchValues();
  const filter: AuditFilter = {
    actor: value('actor'),
    kind: value('kind'),
    workspace: value('workspace'),
    preset: value('preset'),
    since: value('since'),
    until: value('until'),
  };
  const { data: workspaces } = useWorkspaceChoice();
  const audit = useAudit(filter, workspaces);
  const events = audit.data?.pages.flatMap(({ data }) => data);
  const isFiltered = Object.values(filter).some((each) => each !== '');
  const clear = <Button onClick={() => change({ ...noFilter })}>Clear the filter</Button>;
  return (
    <Page title="Audit" lead="Append-only log of all changes in the organization, newest first.">
      <Panel isFlush>
        <AuditFilters
          filter={filter}
          workspaces={workspaces ?? []}
          otherWorkspaceName={events?.[0]?.workspace_name ?? undefined}
          onChange={(changed) => change(changed)}
        />
        {isStatus(audit.error, 404) ? (
          <Empty title="Nothing matches">
            <p>{audit.error.message}</p>
            {clear}
          </Empty>
        ) : audit.error && events === undefined ? (
          <div className={styles.inset}>
            <ErrorNotice
              error={audit.error}
              title="The audit could not be read."
              retry={() => void audit.refetch()}
            />
          </div>
        ) : events === undefined ? (
          <Loading lines={10} label="Loading the audit" />
        ) : events.length === 0 ? (
          <Empty title={isFiltered ? 'Nothing matches' : 'Nothing was done yet'}>{isFiltered && clear}</Empty>
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
                <span className="muted">That is all{isFiltered && ' that matches'}.</span>
              )}
            </div>
          </>
        )}
      </Panel>
    </Page>
  );
}
