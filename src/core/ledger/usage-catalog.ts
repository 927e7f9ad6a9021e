import { callErrors } from './call-error.ts';
import { type Dimension, groupDimensions } from './call-group.ts';
import type { CallRecord } from './call-record.ts';

/** What usage can be grouped and filtered by, and the numbers that can be asked for. */

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

export interface UsageMetric {
  readonly label: string;
  readonly format: 'number' | 'currency' | 'percent' | 'latency' | 'throughput';
  /** Whether it is an average or a share, which cannot be added up. */
  readonly isRate: boolean;
  /** The quantile of a latency; undefined for any other metric. */
  readonly quantile?: { readonly measure: 'durations' | 'firstTokenDurations'; readonly of: number };
}

const sum = (label: string) => ({ label, format: 'number', isRate: false }) as const satisfies UsageMetric;
const latency = (label: string, measure: 'durations' | 'firstTokenDurations', of: number): UsageMetric => ({
  label,
  format: 'latency',
  isRate: true,
  quantile: { measure, of },
});

const metrics = {
  request_count: sum('Calls'),
  total_usage: { label: 'Cost', format: 'currency', isRate: false },
  usage_per_request: { label: 'Cost per call', format: 'currency', isRate: true },
  tokens_total: sum('Tokens'),
  tokens_prompt: sum('Input tokens'),
  tokens_completion: sum('Output tokens'),
  reasoning_tokens: sum('Reasoning tokens'),
  cached_tokens: sum('Cached input tokens'),
  cache_write_tokens: sum('Input tokens written to the cache'),
  cache_hit_rate: { label: 'Share of cached input', format: 'percent', isRate: true },
  error_count: sum('Errors'),
  error_rate: { label: 'Error rate', format: 'percent', isRate: true },
  latency_p50: latency('Latency, median', 'durations', 0.5),
  latency_p95: latency('Latency, 95 %', 'durations', 0.95),
  latency_p99: latency('Latency, 99 %', 'durations', 0.99),
  first_token_p50: latency('Time to first token, median', 'firstTokenDurations', 0.5),
  first_token_p95: latency('Time to first token, 95 %', 'firstTokenDurations', 0.95),
  first_token_p99: latency('Time to first token, 99 %', 'firstTokenDurations', 0.99),
  throughput: { label: 'Output tokens per second', format: 'throughput', isRate: true },
  unpriced_request_count: sum('Calls of unknown cost'),
  estimated_request_count: sum('Calls with estimated tokens'),
  streamed_request_count: sum('Streamed calls'),
} as const satisfies Readonly<Record<string, UsageMetric>>;

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
