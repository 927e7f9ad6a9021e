import { expect, it } from 'vitest';
import { sumsOf } from './rollup.ts';
import { type UsageMetricName, usageMetrics } from './usage-catalog.ts';

const none = { ...sumsOf(() => 0), errorCalls: 0 };
const sums = {
  ...none,
  calls: 10,
  errorCalls: 2,
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
  ['unpriced_request_count', 5],
  ['estimated_request_count', 3],
  ['streamed_request_count', 4],
])('the metric %s is %d', (name, value) => {
  expect(usageMetrics[name].of(sums)).toBe(value);
});

it.each(['usage_per_request', 'cache_hit_rate', 'error_rate', 'throughput'] as const)(
  'the metric %s of no calls is not defined',
  (name) => {
    expect(usageMetrics[name].of(none)).toBeNull();
  },
);

it('a cost is unknown if all that is known are calls that cost nothing', () => {
  const free = { ...sums, costNanos: 0 };
  expect([usageMetrics.total_usage.of(free), usageMetrics.usage_per_request.of(free)]).toEqual([null, null]);
});
