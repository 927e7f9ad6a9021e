import { useMemo } from 'react';
import { Link } from 'wouter';
import { costDecimals, formatCost, formatMetric } from '../../../../src/core/ledger/metric-text.ts';
import type { UsageDimensionName, UsageMetricName } from '../../../../src/core/ledger/usage-catalog.ts';
import { usageDimensions } from '../../../../src/core/ledger/usage-catalog.ts';
import { unpagedSource } from '../../api/row-source.ts';
import type { UsageRow } from '../../api/usage.ts';
import type { Column } from '../../components/data-table/column.ts';
import { DataTable } from '../../components/data-table/data-table.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { rangeParams } from '../../features/usage/time-range.ts';
import { type UsageFilter, usagePath } from '../../features/usage/usage-filter.ts';
import { groupColor } from './chart-series.ts';
import { unknownCostText } from './totals.tsx';
import styles from './usage.module.css';
import type { UsageReport } from './usage-report.ts';

interface BreakdownProps {
  readonly report: UsageReport;
  readonly dimension: UsageDimensionName;
  readonly nameOf: (row: UsageRow) => string;
}

/** The groups of a report with their sums over the whole range. */
export function Breakdown({ report, dimension, nameOf }: BreakdownProps) {
  const { hrefWith, value } = useUrlParams();
  const { group, filter } = report.view;
  const rows = useMemo(() => report.groups.map(({ row }) => row), [report]);
  const columns = useMemo((): readonly Column<UsageRow>[] => {
    const { measure } = report.view;
    return [
      {
        id: 'group',
        title: usageDimensions[dimension].label,
        isFixed: true,
        value: nameOf,
        cell: (row) => (
          <span className={styles.group}>
            <span className={styles.swatch} style={{ background: groupColor(rows.indexOf(row), report) }} />
            {group === undefined || filterValue(row, dimension) === undefined ? (
              <span className="muted">{nameOf(row)}</span>
            ) : (
              // Filtering by the group leaves one group, so the report goes back to its usual ones.
              <Link
                href={hrefWith({ [group]: filterValue(row, dimension) ?? '', group: '' })}
                title={`Show only ${nameOf(row)}`}
              >
                {nameOf(row)}
              </Link>
            )}
          </span>
        ),
      },
      {
        ...metricColumn('total_usage', 'Spend'),
        cell: (row) => <Spend row={row} decimals={costDecimals(rows.map((each) => each.total_usage))} />,
      },
      metricColumn('request_count', 'Calls'),
      metricColumn('tokens_total', 'Tokens'),
      {
        ...metricColumn('cost_per_call', 'Cost per call'),
        cell: (row) =>
          row.cost_per_call === null && row.unpriced_request_count === 0
            ? '–'
            : formatCost(row.cost_per_call, costDecimals(rows.map((each) => each.cost_per_call))),
      },
      metricColumn('error_rate', 'Error rate'),
      metricColumn(`${measure}_p50`, 'p50'),
      metricColumn(`${measure}_p95`, 'p95'),
      metricColumn(`${measure}_p99`, 'p99'),
      { ...metricColumn('error_count', 'Errors'), isHiddenByDefault: true },
      { ...metricColumn('tokens_prompt', 'Input tokens'), isHiddenByDefault: true },
      { ...metricColumn('tokens_completion', 'Output tokens'), isHiddenByDefault: true },
      { ...metricColumn('unpriced_request_count', 'Calls of unknown cost'), isHiddenByDefault: true },
    ];
  }, [report, rows, dimension, group, nameOf, hrefWith]);
  return (
    <DataTable
      id="usage"
      label="Usage by group"
      noun={['group', 'groups']}
      columns={columns}
      source={unpagedSource({ data: { data: rows }, error: null, refetch: () => undefined })}
      keyOf={(row) => JSON.stringify(row[dimension] ?? null)}
      rowMenu={(row) => {
        const own = filterValue(row, dimension);
        if (own === undefined || group === undefined) return undefined;
        const chosen: UsageFilter = { ...filter, [group]: own };
        return {
          label: `Actions for ${nameOf(row)}`,
          items: [
            { text: 'Show only this', href: hrefWith({ [group]: own, group: '' }) },
            {
              text: 'List its calls',
              href: usagePath('calls', chosen, { scope: value('scope'), ...rangeParams(report.view) }),
            },
          ],
        };
      }}
    />
  );
}

function metricColumn(name: UsageMetricName, title: string): Column<UsageRow> {
  return {
    id: name,
    title,
    isNumber: true,
    isDescendingFirst: true,
    value: (row) => row[name],
    cell: (row) => formatMetric(name, row[name]),
  };
}

function Spend({ row, decimals }: { readonly row: UsageRow; readonly decimals: number }) {
  const count = Number(row.unpriced_request_count);
  return (
    <span className={styles.spend}>
      <span>{formatCost(row.total_usage, decimals)}</span>
      {count > 0 && row.total_usage !== null && <span className="note">{unknownCostText(count)}</span>}
    </span>
  );
}

/** How the group is named in a filter; undefined for calls that lack a value. */
function filterValue(row: UsageRow, dimension: UsageDimensionName): string | undefined {
  const value = dimension === 'preset' ? (row.preset_slug ?? row.preset) : row[dimension];
  return value === null || value === undefined || value === '' ? undefined : String(value);
}
