/** What usage can be grouped and filtered by, and the numbers that can be asked for. */

export interface UsageDimension {
  readonly label: string;
  /**
   * Whether sums are stored for each value. Any other dimension is read from single calls, which are
   * stored for a limited time.
   */
  readonly isCounted: boolean;
  readonly type: 'text' | 'number';
  /** What values that are ids are called, and the field that says so in a response. */
  readonly names?: { readonly kind: 'keys' | 'presets' | 'users' | 'workspaces'; readonly field: string };
  /** Whether values are UUIDs. */
  readonly isUuid?: boolean;
}

const counted = (label: string, more: Pick<UsageDimension, 'names' | 'isUuid'> = {}): UsageDimension => ({
  label,
  isCounted: true,
  type: 'text',
  ...more,
});
const single = (label: string): UsageDimension => ({ label, isCounted: false, type: 'text' });

const dimensions = {
  workspace: counted('Workspace', { names: { kind: 'workspaces', field: 'workspace_name' }, isUuid: true }),
  api_key_id: counted('API key', { names: { kind: 'keys', field: 'api_key_name' }, isUuid: true }),
  user: counted('Person', { names: { kind: 'users', field: 'user_email' } }),
  preset: counted('Preset', { names: { kind: 'presets', field: 'preset_slug' }, isUuid: true }),
  preset_version: { label: 'Version', isCounted: true, type: 'number' },
  selection: counted('Version chosen by'),
  label: counted('Label'),
  model: counted('Model'),
  upstream: counted('Upstream'),
  provider: counted('Provider'),
  dialect: counted('Dialect'),
  status: { label: 'Status', isCounted: true, type: 'number' },
  purpose: counted('Purpose'),
  app: single('App'),
  external_user: single('End user'),
  session_id: single('Session'),
  finish_reason: single('Finish reason'),
  responding_model: single('Responding model'),
} as const satisfies Readonly<Record<string, UsageDimension>>;

export type UsageDimensionName = keyof typeof dimensions;

export const usageDimensions: Readonly<Record<UsageDimensionName, UsageDimension>> = dimensions;

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
