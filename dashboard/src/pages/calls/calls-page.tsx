import { Radio } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation, useParams, useSearch } from 'wouter';
import { filterNames } from '../../../../src/core/ledger/usage-catalog.ts';
import { useSession } from '../../api/session.ts';
import { useUsageScope } from '../../api/usage.ts';
import { Button } from '../../components/button.tsx';
import { useCommands } from '../../components/commands.ts';
import { Page, Panel } from '../../components/page.tsx';
import { formatNumber } from '../../components/text.ts';
import { useUrlParams } from '../../components/use-url-params.ts';
import { ContentLogBadge } from '../../features/organization/content-log-badge.tsx';
import { FilterBar } from '../../features/usage/filter-bar.tsx';
import { FirstCall } from '../../features/usage/first-call.tsx';
import { RangeFields } from '../../features/usage/range-fields.tsx';
import { ScopeField } from '../../features/usage/scope-field.tsx';
import { parseRange } from '../../features/usage/time-range.ts';
import { callQueryOf, noFilters, parseFilter } from '../../features/usage/usage-filter.ts';
import { CallPanel } from './call-panel.tsx';
import { CallTable } from './call-table.tsx';
import styles from './calls.module.css';
import { useCalls } from './use-calls.ts';

/** The log of calls, newest first, and beside it the call in the URL. */
export function CallsPage() {
  const { value, change } = useUrlParams();
  const { call: openId } = useParams<{ readonly call?: string }>();
  const search = useSearch();
  const [, navigate] = useLocation();
  const scope = useUsageScope(value('scope') === 'all');
  const { workspace, account } = useSession();
  const shown = scope.isOrganization ? account.workspaces : [workspace];
  const isLogged = shown.some((each) => each?.is_content_logged);
  const filter = parseFilter(value, { isOrganization: scope.isOrganization, names: filterNames });
  const now = Date.now();
  const range = parseRange(value, now);
  // Nothing is added to a range that has ended.
  const hasEnded = range !== undefined && range.end <= now;
  const isLive = value('live') !== 'off' && !hasEnded;
  const query = {
    ...callQueryOf(filter, scope.workspaceId),
    since: range && new Date(range.start).toISOString(),
    until: range && hasEnded ? new Date(range.end).toISOString() : undefined,
  };
  const { source, waiting, isWaitingMore, showWaiting } = useCalls(
    query,
    isLive,
    () => openId === undefined && isAtTop(),
  );
  const hrefOf = useMemo(() => (id: string) => `/calls/${id}${search && `?${search}`}`, [search]);
  const ids = source.rows?.map(({ id }) => id) ?? [];
  const move = (by: number) => {
    const next = ids[openId === undefined ? 0 : ids.indexOf(openId) + by];
    if (next !== undefined) navigate(hrefOf(next), { replace: openId !== undefined });
  };
  useCommands([
    { title: 'Next call', group: 'Calls', keys: 'J', isMove: true, run: () => move(1) },
    { title: 'Previous call', group: 'Calls', keys: 'K', isMove: true, run: () => move(-1) },
  ]);
  const isFiltered = Object.keys(filter).length > 0 || range !== undefined;
  return (
    <Page
      title="Calls"
      guide="usage#in-the-dashboard"
      aside={isLogged && <ContentLogBadge />}
      lead={`Every call of ${scope.isOrganization ? 'all workspaces' : 'this workspace'}, newest first.`}
      actions={
        <>
          <ScopeField scope={scope} />
          <RangeFields range={range} hasAnyTime />
          {!hasEnded && (
            <Button
              aria-pressed={isLive}
              title={isLive ? 'New calls appear by themselves' : 'Show new calls as they end'}
              className={styles.live}
              onClick={() => change({ live: isLive ? 'off' : '' }, { replace: true })}
            >
              <Radio aria-hidden="true" />
              Live
            </Button>
          )}
        </>
      }
    >
      <Panel isFlush>
        {/* Takes no room, so that the calls below it do not move. */}
        <div className={styles.news} role="status">
          {waiting > 0 && (
            <Button
              isSmall
              variant="primary"
              onClick={() => {
                showWaiting();
                // Once they are there: the browser keeps in place what is on screen.
                requestAnimationFrame(() => window.scrollTo({ top: 0 }));
              }}
            >
              {newCallsText(waiting, isWaitingMore)}
            </Button>
          )}
        </div>
        <CallTable
          source={source}
          isOrganization={scope.isOrganization}
          openId={openId}
          hrefOf={hrefOf}
          filters={<FilterBar filter={filter} names={filterNames} scope={scope} />}
          isFiltered={isFiltered}
          onClear={() => change({ ...noFilters, range: '', from: '', to: '' })}
          empty={<FirstCall title="No calls yet" />}
        />
      </Panel>
      {openId !== undefined && (
        <CallPanel
          key={openId}
          id={openId}
          known={source.rows?.find(({ id }) => id === openId)}
          onClose={() => {
            navigate(`/calls${search && `?${search}`}`);
            focusCall(openId);
          }}
        />
      )}
    </Page>
  );
}

/** "3 new calls" */
function newCallsText(count: number, isMore: boolean): string {
  const text = isMore ? `More than ${formatNumber(count)}` : formatNumber(count);
  return `${text} new ${count === 1 ? 'call' : 'calls'}`;
}

/** Whether new rows would move nothing that the user reads, has selected or has focused. */
function isAtTop(): boolean {
  const isBusy = getSelection()?.isCollapsed === false || document.querySelector('td :focus') !== null;
  return window.scrollY < 8 && !isBusy;
}

/** Where the keyboard was before the call was opened. */
function focusCall(id: string): void {
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`[data-call="${CSS.escape(id)}"]`)?.focus({ preventScroll: true }),
  );
}
