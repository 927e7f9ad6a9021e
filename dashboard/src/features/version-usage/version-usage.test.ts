import { describe, expect, it } from 'vitest';
import { describeUsage, usageCells, usageRemark } from './version-usage.ts';

describe('how a version behaves', () => {
  const usage = { calls: 1_204, costPerCall: 0.0031, unpricedCalls: 0, errorRate: 0.004, p95: 1_900 };

  it('reads in a few words each', () => {
    expect(describeUsage(usage)).toEqual(['1,204 calls', '$0.00310 per call', '0.4% errors', 'p95 1.9 s']);
  });

  it('an unknown cost is unknown and not zero', () => {
    const unpriced = { ...usage, costPerCall: null, unpricedCalls: 1_204 };
    expect(describeUsage(unpriced)[1]).toBe('cost unknown');
    expect(usageCells(unpriced)[1]).toBe('unknown');
    expect(usageRemark(unpriced)).toBeUndefined();
    expect(describeUsage({ ...usage, costPerCall: 0 })[1]).toBe('$0.00 per call');
  });

  it('a cost that leaves out calls says how many', () => {
    expect(usageRemark(usage)).toBeUndefined();
    expect(usageRemark({ ...usage, unpricedCalls: 1 })).toBe('Without 1 call of unknown cost');
  });

  it('calls that all failed have no latency, those that were rejected no cost, and a version without calls has only their number', () => {
    expect(describeUsage({ ...usage, calls: 1, errorRate: 1, p95: null })).toEqual([
      '1 call',
      '$0.00310 per call',
      '100.0% errors',
    ]);
    const rejected = { ...usage, calls: 1, costPerCall: null, errorRate: 1, p95: null };
    expect(describeUsage(rejected)).toEqual(['1 call', '100.0% errors']);
    expect(usageCells(rejected)[1]).toBe('–');
    expect(usageCells(undefined)).toEqual(['0', '–', '–', '–']);
  });
});
