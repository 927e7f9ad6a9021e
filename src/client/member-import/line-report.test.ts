import { describe, expect, it } from 'vitest';
import { LineReport } from './line-report.ts';

describe('LineReport', () => {
  it('a problem is reported with its lines, and without line breaks', () => {
    const report = new LineReport('refused');
    expect(report.add({ line: 7, lastLine: 7 }, 'it is wrong')).toEqual(['Line 7: it is wrong.']);
    expect(report.add({ line: 8, lastLine: 11 }, 'It is\n\u001bwrong.')).toEqual([
      'Lines 8 to 11: It is\\n\\u001bwrong.',
    ]);
    expect(report.remainder()).toEqual([]);
  });

  it.each([
    [1_001, ['And 1 more line refused.']],
    [1_980, ['And 980 more lines refused.']],
  ])('1,000 of %i problems are reported and the rest is counted', (count, rest) => {
    const report = new LineReport('refused');
    const lines = Array.from({ length: count }, (_, index) =>
      report.add({ line: index, lastLine: index }, 'x'),
    );
    expect(lines.flat()).toHaveLength(1_000);
    expect(report.remainder()).toEqual(rest);
  });
});
