import { callErrors } from './call-error.ts';
import { type Dimension, groupDimensions } from './call-group.ts';
import type { CallRecord } from './call-record.ts';
import { toDollars } from './price.ts';
import type { CallSums } from './rollup.ts';

/** The dimensions that usage is grouped and filtered by, and its metrics. */

/** Dimensions that are read from single calls, which are stored for a limited time. */
const callDimensions = {
  error_code: { field: 'errorCode', type: 'text', label: 'Error', filter: 'error', values: callErrors },
  session_id: { field: 'sessionId', type: 'text', label: 'Session', filter: 'session' },
  external_user: { field: 'endUser', type: 'text', label: 'End user', filter: 'end_user' },
  app: { field: 'appTitle', type: 'text', label: 'App' },
  finish_reason: { field: 'finishReason', type: 'text', label: 'Finish reason' },
  responding_model: { field: 'respondingModel', type: 'text', label: 'Responding model' },
} as const satisfies Readonly<Record<string, Dimension<keyof CallRecord>>>;

const dimensions = { ...groupDimensions, ...callDimensions };

export type UsageDimensionName = keyof typeof dimensions;

export const usageDimensions: Readonly<Record<UsageDimensionName, Dimension>> = dimensions;

/** Whether sums by these dimensions are stored. */
export function areCounted(names: readonly UsageDimensionName[]): boolean {
  return names.every(isCounted);
}

/** Whether sums are stored for each value. */
export function isCounted(name: UsageDimensionName): boolean {
  return Object.hasOwn(groupDimensions, name);
}

type Filterable<Dimensions> = {
  [Name in keyof Dimensions as Dimensions[Name] extends { readonly filter: infer Filter extends string }
    ? Filter
    : never]: Name;
};

/** The dimensions that calls are filtered by, under the names that people read. */
export const filterDimensions = Object.fromEntries(
  Object.entries(usageDimensions).flatMap(([name, { filter }]) =>
    filter === undefined ? [] : [[filter, name]],
  ),
) as Readonly<Filterable<typeof dimensions>>;

export type FilterName = keyof typeof filterDimensions;

export const filterNames = Object.keys(filterDimensions) as readonly FilterName[];

/** The sums of some calls. */
interface SummedCalls extends CallSums {
  readonly errorCalls: number;
  /** Calls that failed and cost nothing, such as those that were rejected before they were sent. */
  readonly freeErrorCalls: number;
}

export interface UsageMetric {
  readonly label: string;
  readonly format: 'number' | 'currency' | 'percent' | 'latency' | 'throughput';
  /** Whether it is an average or a share, which cannot be added up. */
  readonly isRate: boolean;
  /** Its value; null if it is not defined, such as the error rate of no calls. */
  readonly of: (sums: SummedCalls) => number | null;
  /** The quantile of a latency, which takes the place of `of`. */
  readonly quantile?: { readonly measure: 'durations' | 'firstTokenDurations'; readonly of: number };
}

const count = (label: string, of: UsageMetric['of']): UsageMetric => ({
  label,
  format: 'number',
  isRate: false,
  of,
});
const rate = (label: string, format: UsageMetric['format'], of: UsageMetric['of']): UsageMetric => ({
  label,
  format,
  isRate: true,
  of,
});
const latency = (label: string, measure: 'durations' | 'firstTokenDurations', of: number): UsageMetric => ({
  ...rate(label, 'latency', () => null),
  quantile: { measure, of },
});

const metrics = {
  request_count: count('Calls', ({ calls }) => calls),
  total_usage: { label: 'Cost', format: 'currency', isRate: false, of: costOf },
  cost_per_call: rate('Cost per call', 'currency', (sums) => perCall(sums, billableCallsOf(sums))),
  usage_per_request: rate('Cost per call, with calls that failed', 'currency', (sums) =>
    perCall(sums, sums.calls - sums.unpricedCalls),
  ),
  tokens_total: count('Tokens', ({ inputTokens, outputTokens }) => inputTokens + outputTokens),
  tokens_prompt: count('Input tokens', ({ inputTokens }) => inputTokens),
  tokens_completion: count('Output tokens', ({ outputTokens }) => outputTokens),
  reasoning_tokens: count('Reasoning tokens', ({ reasoningTokens }) => reasoningTokens),
  cached_tokens: count('Cached input tokens', ({ cachedTokens }) => cachedTokens),
  cache_write_tokens: count('Input tokens written to the cache', ({ cacheWriteTokens }) => cacheWriteTokens),
  cache_hit_rate: rate('Share of cached input', 'percent', ({ cachedTokens, inputTokens }) =>
    share(cachedTokens, inputTokens),
  ),
  error_count: count('Errors', ({ errorCalls }) => errorCalls),
  error_rate: rate('Error rate', 'percent', ({ errorCalls, calls }) => share(errorCalls, calls)),
  latency_p50: latency('Latency, median', 'durations', 0.5),
  latency_p95: latency('Latency, 95 %', 'durations', 0.95),
  latency_p99: latency('Latency, 99 %', 'durations', 0.99),
  first_token_p50: latency('Time to first token, median', 'firstTokenDurations', 0.5),
  first_token_p95: latency('Time to first token, 95 %', 'firstTokenDurations', 0.95),
  first_token_p99: latency('Time to first token, 99 %', 'firstTokenDurations', 0.99),
  throughput: rate('Output tokens per second', 'throughput', ({ outputTokens, totalMs }) =>
    share(outputTokens * 1_000, totalMs),
  ),
  billable_request_count: count('Calls that succeeded or were charged', billableCallsOf),
  unpriced_request_count: count('Calls of unknown cost', ({ unpricedCalls }) => unpricedCalls),
  estimated_request_count: count('Calls with estimated tokens', ({ estimatedCalls }) => estimatedCalls),
  streamed_request_count: count('Streamed calls', ({ streamedCalls }) => streamedCalls),
} as const satisfies Readonly<Record<string, UsageMetric>>;

/** In US dollars. Calls that failed cost nothing, which says nothing about those that did not. */
function costOf({ costNanos, unpricedCalls }: SummedCalls): number | null {
  return unpricedCalls > 0 && costNanos === 0 ? null : toDollars(costNanos);
}

function perCall(sums: SummedCalls, calls: number): number | null {
  const cost = costOf(sums);
  return cost === null ? null : share(cost, calls);
}

/**
 * Calls of known cost that succeeded, or that the upstream charged for all the same. A call that is
 * rejected for free would make a version that fails look cheap.
 */
function billableCallsOf({ calls, unpricedCalls, freeErrorCalls }: SummedCalls): number {
  return calls - unpricedCalls - freeErrorCalls;
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

export type UsageMetricName = keyof typeof metrics;

export const usageMetrics: Readonly<Record<UsageMetricName, UsageMetric>> = metrics;

export const granularities = ['hour', 'day', 'week', 'month'] as const;
export type Granularity = (typeof granularities)[number];

export const filterOperators = {
  eq: 'scalar',
  neq: 'scalar',
  in: 'array',
  not_in: 'array',
  gt: 'scalar',
  gte: 'scalar',
  lt: 'scalar',
  lte: 'scalar',
} as const;
export type FilterOperator = keyof typeof filterOperators;
