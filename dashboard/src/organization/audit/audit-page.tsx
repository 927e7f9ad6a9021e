import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useSearchValues } from '../../parts/use-search-values.ts';
import styles from '../organization.module.css';
import { AuditFilters } from './audit-filters.tsx';
import { AuditList } from './audit-list.tsx';
import { useAudit } from './use-audit.ts';

export function AuditPage() {
  const { value, change } = useSearchValues();
  const filter = {
    actor: value('actor'),
    kind: value('kind'),
    since: value('since'),
    until: value('until'),
  };
  const audit = useAudit(filter);
  const events = audit.data?.pages.flatMap(({ data }) => data);
  const isFiltered = Object.values(filter).some((each) => each !== '');
  const clear = () => change({ actor: '', kind: '', since: '', until: '' });
  return (
    <Page
      title="Audit"
      lead="Everything that was done in the organization, newest first. It is never changed."
    >
      <Panel isFlush>
        <AuditFilters filter={filter} onChange={(changed) => change(changed)} />
        {audit.error && events === undefined ? (
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
          <Empty title={isFiltered ? 'Nothing matches' : 'Nothing was done yet'}>
            {isFiltered && <Button onClick={clear}>Clear the filter</Button>}
          </Empty>
        ) : (
          <>
            <AuditList events={events} isStale={audit.isPlaceholderData} />
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
