import { formatCost } from '../ledger/metric-text.ts';
import { periodOf } from './limit-reset.ts';

/** How the spending limit of a key reads, in the command line and in the dashboard. */

interface SpendingLimit {
  readonly limit: number;
  /** A newer server may have more periods. */
  readonly limit_reset: string | null;
}

/** "$50 per month" */
export function limitText({ limit, limit_reset: reset }: SpendingLimit): string {
  return reset === null ? dollars(limit) : `${dollars(limit)} per ${periods.get(reset) ?? reset}`;
}

const periods: ReadonlyMap<string, string> = new Map(Object.entries(periodOf));

/** "$12.40 of $50 this month" */
export function spentText({ limit, limit_reset: reset }: SpendingLimit, spent: number): string {
  const period = reset === null ? '' : reset === 'daily' ? ' today' : ` this ${periods.get(reset) ?? reset}`;
  return `${formatCost(spent)} of ${dollars(limit)}${period}`;
}

/** A limit is usually a whole number of dollars, or of cents. A broken server may send anything. */
function dollars(amount: number): string {
  const decimals = [0, 2].find((count) => Number(Number(amount).toFixed(count)) === amount);
  return formatCost(amount, decimals);
}
