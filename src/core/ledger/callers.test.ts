import { describe, expect, it } from 'vitest';
import { type CallerRow, callersAmong, describeKeys } from './callers.ts';

const row = (keyName: string | null, selection: string, calls: number, label: string | null = null) =>
  ({
    api_key_id: keyName ?? 'gone',
    api_key_name: keyName,
    selection,
    label,
    request_count: calls,
  }) satisfies CallerRow;

describe('the calls that a change affects', () => {
  const rows = [
    row('production', 'live', 900),
    row('nightly', 'live', 4),
    row('production', 'label', 60, 'canary'),
    row('staging', 'label', 40, 'qa'),
    row(null, 'live', 20),
    row('nightly', 'version', 7_000),
  ];

  it('a release affects calls that name neither a version nor a label, by key and the most frequent first', () => {
    expect(callersAmong(rows, { isLive: true, labels: [] })).toEqual({
      calls: 924,
      keys: ['production', 'a deleted key', 'nightly'],
    });
  });

  it('labels that move along add their calls', () => {
    expect(callersAmong(rows, { isLive: true, labels: ['canary', 'qa'] })).toEqual({
      calls: 1_024,
      keys: ['production', 'staging', 'a deleted key', 'nightly'],
    });
  });

  it('moving a label affects only its own calls, and nobody if there are none', () => {
    expect(callersAmong(rows, { isLive: false, labels: ['qa'] })).toEqual({ calls: 40, keys: ['staging'] });
    expect(callersAmong(rows, { isLive: false, labels: ['beta'] })).toBeUndefined();
  });

  it('at most three keys are named', () => {
    expect(describeKeys(['a'])).toBe('1 key: a');
    expect(describeKeys(['a', 'b', 'c'])).toBe('3 keys: a, b, c');
    expect(describeKeys(['a', 'b', 'c', 'd'])).toBe('4 keys: a, b, c and 1 other');
    expect(describeKeys(['a', 'b', 'c', 'd', 'e'])).toBe('5 keys: a, b, c and 2 others');
  });
});
