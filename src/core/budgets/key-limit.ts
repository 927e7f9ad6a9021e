import { PresetdError } from '../errors.ts';
import { formatCost } from '../ledger/metric-text.ts';
import { toDollars } from '../ledger/price.ts';
import { endOfPeriod } from '../ledger/usage-periods.ts';
import type { ApiKey } from '../organization/api-key.ts';
import { periodOf } from '../organization/limit-reset.ts';
import { limitText } from '../organization/limit-text.ts';
import type { LimitedSpender } from './spending.ts';

/** The name of a key as a spender. What it has spent belongs to its id, whatever else changes. */
export function subjectOfKey(id: string): string {
  return `key:${id}`;
}

/** Undefined for a key without a limit. */
export function limitOfKey({
  id,
  limitNanos: nanos,
  limitReset,
}: Pick<ApiKey, 'id' | 'limitNanos' | 'limitReset'>): LimitedSpender | undefined {
  if (nanos === null) return undefined;
  return {
    subject: subjectOfKey(id),
    limit: { nanos, window: limitReset === null ? 'total' : periodOf[limitReset] },
  };
}

/** A key with a limit, and its spend. */
interface SpentLimit {
  readonly key: Pick<ApiKey, 'limitNanos' | 'limitReset'>;
  readonly spentNanos: number;
}

/**
 * A call that a limit has no room for. It has OpenRouter's metadata, and clients must not retry it:
 * it fails until the limit resets or is raised. `reason` says what did not fit.
 */
export function overBudget({ key, spentNanos }: SpentLimit, reason: string, now: number): PresetdError {
  const { limitNanos, limitReset } = key;
  const limit = toDollars(limitNanos ?? 0);
  const spent = toDollars(spentNanos);
  const resetsAt = limitReset === null ? null : endOfPeriod(now, periodOf[limitReset]);
  const reset = resetsAt === null ? '' : `, which resets at ${resetsAt.slice(0, 16)}Z`;
  const text = limitText({ limit, limit_reset: limitReset });
  return new PresetdError(
    'forbidden',
    `This key has spent ${formatCost(spent)} of its limit of ${text}${reset}. ${reason}`,
    {
      code: 'over_budget',
      metadata: {
        limit_source: 'key_limit',
        scope: 'api_key',
        limit_usd: limit,
        spend_usd: spent,
        resets_at: resetsAt,
      },
    },
  );
}
