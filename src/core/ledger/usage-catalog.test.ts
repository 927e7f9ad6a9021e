import { expect, it } from 'vitest';
import { sumsOf } from './rollup.ts';
import { type UsageMetricName, usageMetrics } from './usage-catalog.ts';

const none = { ...sumsOf(() => 0), errorCalls: 0, freeErrorCalls: 0 };
const sums = {
  ...none,
  calls: 10,
  errorCalls: 2,
  freeErrorCalls: 1,
  unpricedCalls: 5,
  estimatedCalls: 3,
  streamedCalls: 4,
  inputTokens: 400,
  cachedTokens: 100,
  cacheWriteTokens: 50,
  outputTokens: 600,
  reasoningTokens: 70,
  costNanos: 2_000_000_000,
  totalMs: 3_000,
};

it.each<[UsageMetricName, number]>([
  ['request_count', 10],
  ['total_usage', 2],
  ['cost_per_call', 0.5],
  ['usage_per_request', 0.4],
  ['tokens_total', 1_000],
  ['tokens_prompt', 400],
  ['tokens_completion', 600],
  ['reasoning_tokens', 70],
  ['cached_tokens', 100],
  ['cache_write_tokens', 50],
  ['cache_hit_rate', 0.25],
  ['error_count', 2],
  ['error_rate', 0.2],
  ['throughput', 200],
  ['billable_request_count', 4],
  ['unpriced_request_count', 5],
  ['estimated_request_count', 3],
  ['streamed_request_count', 4],
])('the metric %s is %d', (name, value) => {
  expect(usageMetrics[name].of(sums)).toBe(value);
});

it.each(['cost_per_call', 'usage_per_request', 'cache_hit_rate', 'error_rate', 'throughput'] as const)(
  'the metric %s of no calls is not defined',
  (name) => {
    expect(usageMetrics[name].of(none)).toBeNull();
  },
);

it('a cost is unknown if all that is known are calls that cost nothing', () => {
  const free = { ...sums, costNanos: 0 };
  expect([usageMetrics.total_usage.of(free), usageMetrics.cost_per_call.of(free)]).toEqual([null, null]);
});

it('calls that fail for free do not make a version look cheap', () => {
  const healthy = { ...none, calls: 100, costNanos: 200_000_000 };
  const broken = { ...none, calls: 100, errorCalls: 75, freeErrorCalls: 75, costNanos: 50_000_000 };
  expect(usageMetrics.cost_per_call.of(broken)).toBe(usageMetrics.cost_per_call.of(healthy));
  expect(usageMetrics.usage_per_request.of(broken)).toBe(0.0005);
});

it('calls that failed but were charged count for the cost per call', () => {
  const canceled = { ...none, calls: 4, errorCalls: 4, freeErrorCalls: 2, costNanos: 40_000_000 };
  expect(usageMetrics.cost_per_call.of(canceled)).toBe(0.02);
});

it('the cost per call is not defined if all calls failed for free', () => {
  const rejected = { ...none, calls: 3, errorCalls: 3, freeErrorCalls: 3 };
  expect(usageMetrics.cost_per_call.of(rejected)).toBeNull();
});
