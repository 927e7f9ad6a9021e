import { describe, expect, it } from 'vitest';
import type { Outcome } from './import-tally.ts';
import { SkippedReport } from './skipped-report.ts';

const result = (outcome: Outcome, message?: string) => ({
  slug: 'p',
  outcome,
  versions_added: 0,
  ...(message !== undefined && { message }),
});

describe('LeftAlone', () => {
  it.each([
    ['conflict', 'Version 1 is\nanother.', ['Conflict: p (line 4): Version 1 is\\nanother.']],
    ['conflict', undefined, ['Conflict: p (line 4): It differs.']],
    ['ahead', 'It has 3 versions here.', ['Ahead: p (line 4): It has 3 versions here.']],
    ['ahead', undefined, ['Ahead: p (line 4): It has more versions on the server.']],
    ['created', undefined, []],
    ['unchanged', undefined, []],
  ] as const)('tells of a preset that is %s: %j', (outcome, message, told) => {
    expect(new SkippedReport().add(result(outcome, message), 4)).toEqual(told);
  });

  it('names twenty of each kind, and counts the rest', () => {
    const leftAlone = new SkippedReport();
    const told = (outcome: Outcome, times: number) =>
      Array.from({ length: times }, () => leftAlone.add(result(outcome), 1)).flat().length;
    expect([told('ahead', 20), leftAlone.remainder()]).toEqual([20, []]);
    expect([told('conflict', 117), told('ahead', 1)]).toEqual([20, 0]);
    expect(leftAlone.remainder()).toEqual(['Ahead: and 1 more', 'Conflict: and 97 more']);
  });
});
