import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { formatMetric } from '../../../../src/core/ledger/metric-text.ts';
import type { UsageMetricName } from '../../../../src/core/ledger/usage-catalog.ts';
import type { UsageRow } from '../../api/usage.ts';
import { formatCount } from '../../components/text.ts';
import { shortDifference, type ValuePair } from '../../features/usage/difference-text.ts';
import { periodText } from './chart-scale.ts';
import styles from './usage.module.css';
import { rangeBefore, type UsageReport } from './usage-report.ts';

interface TotalsProps {
  readonly report: UsageReport;
}

/**
 * The numbers of the whole range, compared with as much time before it. Of two versions they are
 * those of the filtered one, compared with the other. They are the server's, not sums of the
 * charts.
 */
export function Totals({ report }: TotalsProps) {
  const { view, total = {} } = report;
  const { measure } = view;
  const isComparison = view.compared !== undefined;
  const shown = isComparison ? (rowOfVersion(report, Number(view.filter.version)) ?? {}) : total;
  const other = isComparison ? rowOfVersion(report, view.compared) : report.previous;
  const against = isComparison ? `v${view.compared}` : 'previous period';
  const text = (name: UsageMetricName) => formatMetric(name, shown[name] ?? null);
  const calls: ValuePair = [numberOf(other?.request_count), numberOf(shown.request_count)];
  const difference = (name: UsageMetricName) => {
    const short = other && shortDifference(name, [numberOf(other[name]), numberOf(shown[name])], calls);
    if (short === undefined) return undefined;
    return short === 'Same' ? `Same as ${against}` : `${short} vs. ${against}`;
  };
  const totals: readonly TotalProps[] = [
    {
      title: 'Spend',
      value: shown.total_usage === null ? 'Unknown' : text('total_usage'),
      difference: difference('total_usage'),
      children: <UnknownCost total={shown} />,
    },
    {
      title: 'Calls',
      value: text('request_count'),
      difference: difference('request_count'),
      children: typeof shown.cost_per_call === 'number' && `${text('cost_per_call')} per call`,
    },
    {
      title: 'Tokens',
      value: text('tokens_total'),
      difference: difference('tokens_total'),
      children: `${text('tokens_prompt')} in, ${text('tokens_completion')} out`,
    },
    {
      title: 'Error rate',
      value: text('error_rate'),
      difference: difference('error_rate'),
      children: formatCount(Number(shown.error_count ?? 0), 'error', 'errors'),
    },
    {
      title: measure === 'latency' ? 'Latency p95' : 'First token p95',
      value: text(`${measure}_p95`),
      difference: difference(`${measure}_p95`),
      children: `p50 ${text(`${measure}_p50`)}, p99 ${text(`${measure}_p99`)}`,
    },
  ];
  return (
    <dl
      className={styles.totals}
      aria-label={isComparison ? `Version ${view.filter.version}` : 'Whole range'}
    >
      {totals.map((each) => (
        <Total key={each.title} {...each} against={other && beforeText(report)} />
      ))}
    </dl>
  );
}

/** The totals of a compared version; undefined if it has no calls. */
export function rowOfVersion({ groups }: UsageReport, version: number | undefined): UsageRow | undefined {
  return groups.map(({ row }) => row).find((row) => row.preset_version === version);
}

function numberOf(value: UsageRow[string] | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

/** Which time before the range its totals are compared with. */
function beforeText({ view }: UsageReport): string | undefined {
  const before = rangeBefore(view, Date.now());
  if (before === undefined) return undefined;
  const [start, end] = [before.start, before.end].map((at) => periodText(new Date(at).toISOString(), 'hour'));
  return `From ${start} to ${end} UTC`;
}

interface TotalProps {
  readonly title: string;
  readonly value: string;
  /** Undefined if the two values cannot be compared. */
  readonly difference: string | undefined;
  readonly children: ReactNode;
}

/** The line of the difference keeps its place: whether there is one is known late. */
function Total({
  title,
  value,
  difference,
  against,
  children,
}: TotalProps & { readonly against: string | undefined }) {
  return (
    <div className={styles.total}>
      <dt>{title}</dt>
      <dd>
        <span className={styles.amount}>{value}</span>
        <span className="note">{children}</span>
        <span className="note" title={against}>
          {difference ?? '\u00a0'}
        </span>
      </dd>
    </div>
  );
}

/** A sum leaves out calls that have no price, so it says how many. */
function UnknownCost({ total }: { readonly total: UsageRow }) {
  const count = Number(total.unpriced_request_count ?? 0);
  if (count === 0) return 'All costs are known';
  return (
    <Link href="~/guides/usage#what-a-call-costs" className={styles.unknown}>
      {unknownCostText(count)}
    </Link>
  );
}

/** "without 12 calls of unknown cost" */
export function unknownCostText(count: number): string {
  return `without ${formatCount(count, 'call', 'calls')} of unknown cost`;
}
