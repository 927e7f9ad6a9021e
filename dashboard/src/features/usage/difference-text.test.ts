import { expect, it, test } from 'vitest';
import type { UsageMetricName } from '../../../../src/core/ledger/usage-catalog.ts';
import { differenceText, shortDifference, type ValuePair } from './difference-text.ts';

const enough: ValuePair = [100, 100];

it.each<[UsageMetricName, number | null, number | null | undefined, string, string | undefined]>([
  ['tokens_prompt', 999, 1_031, '+32 (+3.2%)', '+3.2%'],
  ['request_count', 2_000, 1_000, '−1,000 (−50%)', '−50%'],
  ['request_count', 1, 20, '+19 (×20)', '×20'],
  ['cost_per_call', 2, 3, '+$1.00 (+50%)', '+50%'],
  ['cost_per_call', 0.004, 0.003, '−$0.00100 (−25%)', '−25%'],
  ['latency_p95', 1_000, 1_100, '+100 ms (+10%)', '+10%'],
  ['error_rate', 0.025, 0.04, '+1.5 points (+60%)', '+1.5 points'],
  ['error_rate', 0.005, 0.004, '−0.1 points (−20%)', '−0.1 points'],
  ['error_rate', 0, 0.025, '+2.5 points', '+2.5 points'],
  ['error_rate', 0.0101, 0.0102, 'Same', 'Same'],
  ['cost_per_call', 5, 5, 'Same', 'Same'],
  ['cost_per_call', 0, 5, '+$5.00', '+$5.00'],
  ['cost_per_call', null, 5, '–', undefined],
  ['cost_per_call', 5, undefined, '–', undefined],
])('the difference of %s from %s to %s is %s, in short %s', (metric, before, after, text, short) => {
  expect(differenceText(metric, [before, after], enough)).toBe(text);
  expect(shortDifference(metric, [before, after], enough)).toBe(short);
});

test('a difference of error rates needs a hundred calls on both sides', () => {
  expect(differenceText('error_rate', [0, 0.5], [99, 5_000])).toBe('Too few calls to compare');
  expect(differenceText('error_rate', [0, 0.5], [5_000, 99])).toBe('Too few calls to compare');
  expect(shortDifference('error_rate', [0, 0.5], [5_000, 99])).toBeUndefined();
  expect(differenceText('latency_p95', [1, 2], [99, 99])).toBe('+1 ms (+100%)');
});
