import { SlidersHorizontal } from 'lucide-react';
import { useMemo, useState } from 'react';
import { filterDimensions, usageDimensions } from '../../../../src/core/ledger/usage-catalog.ts';
import { useDirectory } from '../../api/organization.ts';
import { type UsageRow, type UsageScope, useUsageScope } from '../../api/usage.ts';
import { Button } from '../../components/button.tsx';
import { classNames } from '../../components/class-names.ts';
import { SelectField } from '../../components/fields.tsx';
import { EmptyState, ErrorNotice, Notice } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { FilterBar } from '../../features/usage/filter-bar.tsx';
import { FirstCall } from '../../features/usage/first-call.tsx';
import { RangeFields } from '../../features/usage/range-fields.tsx';
import { ScopeField } from '../../features/usage/scope-field.tsx';
import { chartedNames, noFilters } from '../../features/usage/usage-filter.ts';
import { valueText } from '../../features/usage/value-text.ts';
import { Breakdown } from './breakdown.tsx';
import { Charts } from './charts.tsx';
import { useLiveChanges } from './live-changes.ts';
import { ReportSkeleton } from './report-skeleton.tsx';
import { Totals } from './totals.tsx';
import styles from './usage.module.css';
import { type UsageReport, useUsageReport } from './usage-report.ts';
import {
  anyPurpose,
  dimensionOf,
  granularitiesOf,
  groupNames,
  isFiltered,
  noGroup,
  parseView,
  type UsageView,
} from './usage-view.ts';
import { CompareField, VersionComparison } from './version-comparison.tsx';

/** Charts of cost, calls, tokens, errors and latency. The URL holds the filters and the range. */
export function UsagePage() {
  const { value } = useUrlParams();
  const scope = useUsageScope(value('scope') === 'all');
  const view = parseView(value, Date.now(), scope);
  const { data, error, isPlaceholderData, refetch } = useUsageReport(scope, view);
  // On a phone, the controls would hide the charts.
  const [isOpen, setIsOpen] = useState(false);
  const controls = classNames(styles.controls, !isOpen && styles.closed);
  const filterCount = Object.keys(view.filter).length;
  return (
    <Page
      title="Usage"
      guide="usage#in-the-dashboard"
      lead={`Cost, calls and latency of ${scope.isOrganization ? 'all workspaces' : 'this workspace'}. Days and hours are in UTC.`}
      actions={
        <>
          <Button className={styles.toggle} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            <SlidersHorizontal aria-hidden="true" />
            Filters{filterCount > 0 && ` (${filterCount})`}
          </Button>
          <div className={controls}>
            <ScopeField scope={scope} />
            <RangeFields range={view} />
            <GranularityField view={view} />
          </div>
        </>
      }
    >
      <div className="stack">
        <div className={controls}>
          <FilterBar
            filter={view.filter}
            names={chartedNames}
            scope={scope}
            removed={{ purpose: anyPurpose }}
            before={<GroupField view={view} scope={scope} />}
          >
            <CompareField view={view} scope={scope} />
          </FilterBar>
        </div>
        {error !== null && (
          <ErrorNotice error={error} title="Could not load the usage" retry={() => void refetch()} />
        )}
        {data !== undefined ? (
          <div className={classNames('stack', isPlaceholderData && 'stale')} aria-busy={isPlaceholderData}>
            <Report report={data} scope={scope} />
          </div>
        ) : (
          error === null && <ReportSkeleton hasLegend={view.group !== undefined} />
        )}
      </div>
    </Page>
  );
}

interface FieldProps {
  readonly view: UsageView;
  readonly scope: ReturnType<typeof useUsageScope>;
}

function GranularityField({ view }: Pick<FieldProps, 'view'>) {
  const { change } = useUrlParams();
  return (
    <SelectField
      label="Granularity"
      isLabelHidden
      value={view.granularity}
      options={granularitiesOf(view).map((name) => [name, `By ${name}`] as const)}
      onChange={(granularity) => change({ granularity })}
    />
  );
}

function GroupField({ view, scope }: FieldProps) {
  const { change } = useUrlParams();
  // Versions that are compared are the groups.
  if (view.compared !== undefined) return null;
  return (
    <SelectField
      label="Group by"
      isLabelHidden
      value={view.group ?? noGroup}
      options={[
        ...groupNames(view.filter, scope).map(
          (name) => [name, `By ${inSentence(usageDimensions[filterDimensions[name]].label)}`] as const,
        ),
        [noGroup, 'No groups'],
      ]}
      onChange={(group) => change({ group })}
    />
  );
}

/** "API key" stays, "Preset" becomes "preset". */
function inSentence(label: string): string {
  return /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
}

interface ReportProps {
  readonly report: UsageReport;
  readonly scope: UsageScope;
}

function Report({ report, scope }: ReportProps) {
  const { view, total, isCut } = report;
  const { directory } = useDirectory();
  const dimension = dimensionOf(view);
  const nameOf = useMemo(
    () => (row: UsageRow) => (dimension === undefined ? '' : valueText(dimension, row, directory)),
    [dimension, directory],
  );
  // A slug names a preset in each workspace.
  const markers = useLiveChanges(scope.isOrganization ? undefined : view.filter.preset, view);
  if (total === undefined || total.request_count === 0) return <NoUsage view={view} />;
  return (
    <>
      {isCut && (
        <Notice kind="warning" title="Not everything is shown">
          There are more groups than a chart can have. The totals are complete; add a filter to see the rest.
        </Notice>
      )}
      <Totals report={report} />
      {view.compared !== undefined && <VersionComparison report={report} />}
      <Charts report={report} nameOf={nameOf} markers={markers} />
      {dimension !== undefined && view.compared === undefined && (
        <Panel title={`By ${inSentence(usageDimensions[dimension].label)}`} isFlush>
          <Breakdown report={report} dimension={dimension} nameOf={nameOf} />
        </Panel>
      )}
    </>
  );
}

function NoUsage({ view }: { readonly view: UsageView }) {
  const { change } = useUrlParams();
  const isLong = view.range === '90d';
  const widen = () => change({ range: '90d', from: '', to: '', granularity: '' });
  return (
    <Panel>
      {isFiltered(view) ? (
        <EmptyState title="No matching calls">
          <p>No call in this range matches the filters.</p>
          <div className={styles.buttons}>
            {!isLong && <Button onClick={widen}>Show the last 90 days</Button>}
            <Button onClick={() => change({ ...noFilters, compare: '' })}>Clear filters</Button>
          </div>
        </EmptyState>
      ) : isLong ? (
        <FirstCall title="No calls yet" />
      ) : (
        <FirstCall title="No calls in this range">
          <div className={styles.buttons}>
            <Button onClick={widen}>Show the last 90 days</Button>
          </div>
        </FirstCall>
      )}
    </Panel>
  );
}
