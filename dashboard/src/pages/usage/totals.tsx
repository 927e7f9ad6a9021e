import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { formatMetric } from '../../../../src/core/ledger/metric-text.ts';
import type { UsageMetricName } from '../../../../src/core/ledger/usage-catalog.ts';
import type { UsageRow } from '../../api/usage.ts';
import { formatCount } from '../../components/text.ts';
import styles from './usage.module.css';

interface TotalsProps {
  readonly total: UsageRow;
  readonly measure: 'latency' | 'first_token';
}

/** The numbers of the whole range. They are the server's, not sums of what the charts show. */
export function Totals({ total, measure }: TotalsProps) {
  const text = (name: UsageMetricName) => formatMetric(name, total[name]);
  const errors = Number(total.error_count);
  return (
    <dl className={styles.totals}>
      <Total title="Spend" value={total.total_usage === null ? 'Unknown' : text('total_usage')}>
        <UnknownCost total={total} />
      </Total>
      <Total title="Calls" value={text('request_count')}>
        {total.cost_per_call !== null && `${text('cost_per_call')} per call`}
      </Total>
      <Total title="Tokens" value={text('tokens_total')}>
        {text('tokens_prompt')} in, {text('tokens_completion')} out
      </Total>
      <Total title="Error rate" value={text('error_rate')}>
        {formatCount(errors, 'error', 'errors')}
      </Total>
      <Total title={measure === 'latency' ? 'Latency p95' : 'First token p95'} value={text(`${measure}_p95`)}>
        p50 {text(`${measure}_p50`)}, p99 {text(`${measure}_p99`)}
      </Total>
    </dl>
  );
}

interface TotalProps {
  readonly title: string;
  readonly value: string;
  readonly children: ReactNode;
}

function Total({ title, value, children }: TotalProps) {
  return (
    <div className={styles.total}>
      <dt>{title}</dt>
      <dd>
        <span className={styles.amount}>{value}</span>
        <span className="note">{children}</span>
      </dd>
    </div>
  );
}

/** A sum leaves out calls that have no price, so it says how many. */
function UnknownCost({ total }: { readonly total: UsageRow }) {
  const count = Number(total.unpriced_request_count);
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
