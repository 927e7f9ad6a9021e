import { describe, expect, it } from 'vitest';
import type { Outcome } from './import-tally.ts';
import { SkippedReport } from './skipped-report.ts';

const result = (outcome: Outcome, message?: string) => ({
  slug: 'p',
  outcome,
  versions_added: 0,
  ...(message !== undefined && { message }),
});

describe('SkippedReport', () => {
  it.each([
    ['conflict', 'Version 1 is\nanother.', ['Conflict: p (line 4): Version 1 is\\nanother.']],
    ['conflict', undefined, ['Conflict: p (line 4): It differs from the one on the server.']],
    ['ahead', 'It has 3 versions here.', ['Ahead: p (line 4): It has 3 versions here.']],
    ['ahead', undefined, ['Ahead: p (line 4): It has more versions on the server.']],
    ['created', undefined, []],
    ['unchanged', undefined, []],
  ] as const)(
    'a preset with the outcome %s and the message %j is reported as %j',
    (outcome, message, lines) => {
      expect(new SkippedReport().add(result(outcome, message), 4)).toEqual(lines);
    },
  );

  it('twenty skipped presets of each kind are named and the rest is counted', () => {
    const report = new SkippedReport();
    const printed = (outcome: Outcome, times: number) =>
      Array.from({ length: times }, () => report.add(result(outcome), 1)).flat().length;
    expect([printed('ahead', 20), report.remainder()]).toEqual([20, []]);
    expect([printed('conflict', 117), printed('ahead', 1)]).toEqual([20, 0]);
    expect(report.remainder()).toEqual(['Ahead: and 1 more', 'Conflict: and 97 more']);
  });
});
