import { formatMetric } from '../../../../src/core/ledger/metric-text.ts';
import { type UsageMetricName, usageMetrics } from '../../../../src/core/ledger/usage-catalog.ts';

/** Two values of a metric: what is compared with, and what is compared. */
export type ValuePair = readonly [before: number | null | undefined, after: number | null | undefined];

/** Two amounts in a few words, such as "+32" and "+3.2%". */
interface Difference {
  readonly amount: string;
  /** Undefined if there is none, because the first value is 0. */
  readonly share: string | undefined;
}

/** "+32 (+3.2%)", "+1.5 points (+60%)", or why there is no difference to show. */
export function differenceText(metric: UsageMetricName, values: ValuePair, calls: ValuePair): string {
  const difference = differenceOf(metric, values, calls);
  if (typeof difference === 'string') return difference;
  return difference.share === undefined ? difference.amount : `${difference.amount} (${difference.share})`;
}

/** For little room: "+3.2%", and of a rate "+1.5 points". Undefined without a comparison. */
export function shortDifference(
  metric: UsageMetricName,
  values: ValuePair,
  calls: ValuePair,
): string | undefined {
  const difference = differenceOf(metric, values, calls);
  if (difference === same) return difference;
  if (typeof difference === 'string') return undefined;
  const { amount, share } = difference;
  return usageMetrics[metric].format === 'percent' ? amount : (share ?? amount);
}

const same = 'Same';

function differenceOf(
  metric: UsageMetricName,
  [before, after]: ValuePair,
  calls: ValuePair,
): Difference | string {
  const isRate = usageMetrics[metric].format === 'percent';
  if (typeof before !== 'number' || typeof after !== 'number') return '–';
  if (isRate && Math.min(...calls.map((count) => count ?? 0)) < ratedCallsMin)
    return 'Too few calls to compare';
  const size = Math.abs(after - before);
  const points = (size * 100).toFixed(1);
  // As exact as the rates beside it.
  if (before === after || (isRate && points === '0.0')) return same;
  const sign = after > before ? '+' : '−';
  return {
    amount: sign + (isRate ? `${points} points` : formatMetric(metric, size)),
    share: before === 0 ? undefined : shareText(after / before),
  };
}

/** With fewer calls, a single error would look like a difference. */
const ratedCallsMin = 100;

/** "+3.2%", "−60%", "×12" */
function shareText(ratio: number): string {
  if (ratio > 10) return `×${ratio.toFixed(0)}`;
  const size = Math.abs(ratio - 1) * 100;
  return `${ratio < 1 ? '−' : '+'}${size < 9.95 ? size.toFixed(1) : size.toFixed(0)}%`;
}
