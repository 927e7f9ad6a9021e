import { oneLine } from '../text/printable.ts';
import { type UsageMetric, type UsageMetricName, usageMetrics } from './usage-catalog.ts';

/**
 * How the numbers of usage read, in tables of the command line and in the dashboard. What is not
 * known says so: it must not read as zero.
 */

/** The value of a metric, in its format. */
export function formatMetric(name: UsageMetricName, value: unknown): string {
  return formats[usageMetrics[name].format](value);
}

const formats: Readonly<Record<UsageMetric['format'], (value: unknown) => string>> = {
  number: formatAmount,
  currency: formatCost,
  percent: formatShare,
  latency: formatDuration,
  throughput: (value) => formatAmount(value, 1),
};

/**
 * "$12.34"; amounts below a dollar keep what makes them different from nothing. In a column,
 * `decimals` are the same for all amounts that they do not round to nothing.
 */
export function formatCost(dollars: unknown, decimals?: number): string {
  if (dollars === null) return 'unknown';
  if (typeof dollars !== 'number') return formatOther(dollars);
  const size = Math.abs(dollars);
  if (decimals !== undefined && (size === 0 || size >= 10 ** -decimals))
    return withSign(dollars, (amount) => formatAmount(amount, decimals));
  if (size === 0 || size >= 1) return withSign(dollars, (amount) => formatAmount(amount, 2));
  return withSign(dollars, (amount) => (size >= 0.01 ? amount.toFixed(4) : smallAmount(amount)));
}

/**
 * The decimals with which all costs of a column can be told apart from nothing: as many as the
 * largest has alone, and two digits of the smallest that matter.
 */
export function costDecimals(costs: readonly unknown[]): number {
  const sizes = costs.flatMap((cost) => (typeof cost === 'number' && cost !== 0 ? [Math.abs(cost)] : []));
  if (sizes.length === 0) return 2;
  const [, ofLargest = ''] = formatCost(Math.max(...sizes)).split('.');
  const ofSmallest = 1 - Math.floor(Math.log10(Math.min(...sizes)));
  return Math.min(9, Math.max(ofLargest.length, ofSmallest));
}

function withSign(dollars: number, format: (amount: number) => string): string {
  return `${dollars < 0 ? '-' : ''}$${format(Math.abs(dollars))}`;
}

/** Three digits that matter, but no more than the nine decimals in which costs are stored. */
function smallAmount(dollars: number): string {
  const decimals = Math.min(9, 2 - Math.floor(Math.log10(dollars)));
  return dollars.toFixed(decimals);
}

/** "1,234". A number that does not exist is a dash. */
export function formatAmount(amount: unknown, decimals = 0): string {
  if (amount === null) return none;
  if (typeof amount !== 'number') return formatOther(amount);
  return amount.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** "850 ms", "1.2 s" */
export function formatDuration(ms: unknown): string {
  if (ms === null) return none;
  if (typeof ms !== 'number') return formatOther(ms);
  return ms < 999.5 ? `${ms.toFixed(0)} ms` : `${formatAmount(ms / 1_000, 1)} s`;
}

/** "2.5%" */
export function formatShare(share: unknown): string {
  if (share === null) return none;
  return typeof share === 'number' ? `${(share * 100).toFixed(1)}%` : formatOther(share);
}

const none = '–';

/** A number that a server sends as text, or not at all. */
function formatOther(value: unknown): string {
  return value === undefined ? none : oneLine(String(value));
}
