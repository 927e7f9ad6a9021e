import { describe, expect, test } from 'vitest';
import {
  compareOnSame,
  describeComparison,
  describeMarks,
  differenceFrom,
  markAgainst,
  type Result,
  summarize,
} from './compare-runs.ts';
import { emptyResponse } from './model-response.ts';

/** Marked words in brackets. */
const marked = (base: string, text: string) =>
  markAgainst(base, text)
    .map((segment) => (segment.isChanged ? `[${segment.text}]` : segment.text))
    .join('');

describe('the text of a column', () => {
  test.each([
    ['It is late.', 'It is late.', 'It is late.'],
    ['It is very late.', 'It is quite late.', 'It is [quite] late.'],
    ['One\nTwo', 'One\nTwo\nThree', 'One\nTwo\n[Three]'],
    ['One\nTwo', 'Two', 'Two'],
    ['', 'New', '[New]'],
    ['Old', '', ''],
    ['a\n\nb', 'a\n\nc d e f', 'a\n\n[c d e f]'],
  ])('the text of a column compared with %j marks %j as %j', (base, text, expected) => {
    expect(marked(base, text)).toBe(expected);
  });

  test.each(['a\n', '\n\na', 'a\r\nb\n\n', '', '\n'])('is shown whole: %j', (text) => {
    for (const base of ['', 'a', 'b\n', text])
      expect(
        markAgainst(base, text)
          .map((segment) => segment.text)
          .join('')
          .trimEnd(),
      ).toBe(text.trimEnd());
  });

  test('has its differences in words', () => {
    expect(describeMarks(markAgainst('a b c d', 'a b e f'), 'Draft')).toBe('2 words differ from Draft');
    expect(describeMarks(markAgainst('a b c d', 'a b c e'), 'Draft')).toBe('1 word differs from Draft');
    expect(describeMarks(markAgainst('a', 'a'), 'Draft')).toBe('No new words compared with Draft');
  });
});

describe('the figure of a column', () => {
  test.each([
    [1_000, 1_120, '+12%', 'more'],
    [1_000, 700, '−30%', 'less'],
    [1_000, 1_050, '+5%', undefined],
    // 50% longer, but too short to notice.
    [100, 150, '+50%', undefined],
    [1_000, 1_004, '0%', undefined],
  ])('a time compared with %j ms is %j ms: %s, marked as %s', (base, value, text, direction) => {
    expect(differenceFrom(base, value, 'ms')).toEqual({ text, direction });
  });

  test.each([
    [0.0002, 0.0004, 'more'],
    [0.0002, 0.00021, undefined],
    [0.000_004, 0.000_008, undefined],
    [0.000_1, 0.000_11, 'more'],
    [0, 0.000_3, 'more'],
    [0, 0, undefined],
  ])('a cost compared with $%d is $%d: marked as %s', (base, value, direction) => {
    expect(differenceFrom(base, value, 'dollars')?.direction).toBe(direction);
  });

  test.each([
    [0, 5],
    [undefined, 5],
    [5, undefined],
  ])('figures cannot be compared: %j with %j', (base, value) => {
    expect(differenceFrom(base, value, 'tokens')).toBeUndefined();
  });
});

const done = (totalMs: number, cost?: number): Result => ({
  phase: 'done',
  totalMs,
  response: { ...emptyResponse, ...(cost !== undefined && { usage: { cost } }) },
});
const failed: Result = { phase: 'failed', totalMs: 1, response: emptyResponse };
const running: Result = { phase: 'streaming', response: { ...emptyResponse, usage: { cost: 9 } } };

describe('the comparison of two columns', () => {
  test('has only cases that both have answered', () => {
    const pairs = [
      [done(1_000, 1), done(2_000, 2)],
      [failed, done(9_000, 9)],
      [done(9_000, 9), running],
      [done(3_000, 3), done(4_000, 4)],
    ] as const;
    expect(compareOnSame(pairs)).toEqual({
      cases: 2,
      medianMs: { text: '+50%', direction: 'more' },
      pricedCases: 2,
      cost: { text: '+50%', direction: 'more' },
    });
  });

  test('compares the cost where it is known of both, and says of how many cases', () => {
    const comparison = compareOnSame([
      [done(1_000, 1), done(1_000, 1)],
      [done(1_000, 8), done(1_000)],
    ]);
    expect(comparison.cost?.text).toBe('0%');
    expect(describeComparison(comparison)).toBe('Compared on 2 cases, cost on 1');
    expect(describeComparison(compareOnSame([[done(1), done(1)]]))).toBe('Compared on 1 case');
  });

  test('has no differences without a common case', () => {
    expect(compareOnSame([[done(1, 1), failed]])).toEqual({
      cases: 0,
      medianMs: undefined,
      pricedCases: 0,
      cost: undefined,
    });
  });
});

describe('the summary of a column', () => {
  test('has the cost of all and the median time of successful results', () => {
    expect(summarize([done(100, 0.5), failed, done(300, 0.25), done(200)])).toEqual({
      count: 4,
      errors: 1,
      cost: 0.75,
      medianMs: 200,
    });
    expect(summarize([done(100), done(200)]).medianMs).toBe(150);
  });

  test('is empty without results', () => {
    expect(summarize([running])).toEqual({ count: 0, errors: 0, cost: undefined, medianMs: undefined });
  });
});
