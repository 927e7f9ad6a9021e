import { describe, expect, it } from 'vitest';
import { LineReport, MemberTally, type Outcome } from './import-report.ts';

const tallyOf = (counts: Partial<Record<Outcome, number>>) => {
  const tally = new MemberTally();
  for (const [outcome, count] of Object.entries(counts)) tally.add(outcome as Outcome, count);
  return tally;
};

describe('MemberTally', () => {
  it.each([
    [{}, 'Added 0 people.', true],
    [{ added: 1, unchanged: 1 }, 'Added 1 person; 1 was already a member.', true],
    [{ added: 2, updated: 1_200 }, 'Added 2 people; updated 1,200.', true],
    [
      { added: 99_990, unchanged: 8, differs: 2, refused: 3 },
      'Added 99,990 people; 8 were already members; 2 differ and were skipped (use --update); 3 lines were rejected.',
      false,
    ],
    [
      { differs: 1, refused: 1 },
      'Added 0 people; 1 differs and was skipped (use --update); 1 line was rejected.',
      false,
    ],
  ])('the outcomes %j are summarized as: %s', (counts, text, isComplete) => {
    const tally = tallyOf(counts);
    expect(tally.summarize('use --update')).toBe(text);
    expect(tally.isComplete).toBe(isComplete);
  });
});

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
