import { describe, expect, it } from 'vitest';
import { LineReport } from './line-report.ts';

describe('LineReport', () => {
  it('says where a line is, and keeps to one line itself', () => {
    const told = new LineReport('refused');
    expect(told.add({ line: 7, lastLine: 7 }, 'it is wrong')).toEqual(['Line 7: it is wrong.']);
    expect(told.add({ line: 8, lastLine: 11 }, 'It is\n\u001bwrong.')).toEqual([
      'Lines 8 to 11: It is\\n\\u001bwrong.',
    ]);
    expect(told.rest()).toEqual([]);
  });

  it.each([
    [1_001, ['And 1 more line refused.']],
    [1_980, ['And 980 more lines refused.']],
  ])('tells 1,000 of %i and counts the rest', (count, rest) => {
    const told = new LineReport('refused');
    const lines = Array.from({ length: count }, (_, index) =>
      told.add({ line: index, lastLine: index }, 'x'),
    );
    expect(lines.flat()).toHaveLength(1_000);
    expect(told.rest()).toEqual(rest);
  });
});
