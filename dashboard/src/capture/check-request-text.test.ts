import { describe, expect, it } from 'vitest';
import { checkRequestText } from './check-request-text.ts';
import { lineAndColumn } from './line-and-column.ts';

describe('checkRequestText', () => {
  it.each(['', ' ', '\n\t\n'])('finds nothing in %j', (text) => {
    expect(checkRequestText(text)).toEqual({ kind: 'empty' });
  });

  it('gives what a correct text says', () => {
    expect(checkRequestText('{"a": [1, {"b": null}]}')).toEqual({
      kind: 'fine',
      body: { a: [1, { b: null }] },
    });
  });

  it.each<[text: string, line: number, column: number, message: RegExp]>([
    ['curl http://x -d \'{"a": 1}\'', 1, 1, /Paste the body alone/],
    ['{model: "x"}', 1, 2, /double quotes/],
    ["{\n  'model': 1\n}", 2, 3, /straight double quotes/],
    ['{“a”: 1}', 1, 2, /straight double quotes/],
    ['{\n  "a": 1,\n}', 3, 1, /comma before this is one too many/],
    ['[1,]', 1, 4, /comma before this is one too many/],
    ['{"a" 1}', 1, 6, /colon is missing/],
    ['{"a": 1\n "b": 2}', 2, 2, /comma is missing/],
    ['{"a": 01}', 1, 8, /does not begin with a zero/],
    ['{"a": "x', 1, 7, /double quote at the end .* missing/],
    ['{"a": "x\ny"}', 1, 7, /line break in a text is written \\n/],
    ['{"a": "\t"}', 1, 7, /control character/],
    ['{"a": NaN}', 1, 7, /not JSON/],
    ['{"a": True}', 1, 7, /small letters/],
    ['{"a": .5}', 1, 7, /not a number/],
    ['{"a": 1.}', 1, 7, /digit is missing/],
    ['{"a": }', 1, 7, /value is missing/],
    ['{"a":\u00a01}', 1, 6, /looks like a space/],
    ['\ufeff{}', 1, 1, /looks like a space/],
    ['// a note\n{}', 1, 1, /no comments/],
    ['{"a": 1', 1, 8, /ends before a closing brace/],
    ['{"a": [1', 1, 9, /ends before a closing bracket/],
    ['{"a": "\\x"}', 1, 7, /After a backslash/],
    ['{"a": "\\u12"}', 1, 7, /four digits/],
    ['{}\n{}', 2, 1, /has ended before this/],
  ])('says of %j where it is wrong', (text, line, column, message) => {
    const checked = checkRequestText(text);
    if (checked.kind !== 'wrong') throw new Error(`it was found ${checked.kind}`);
    expect(lineAndColumn(text, checked.problem.from)).toEqual({ line, column });
    expect(checked.problem.message).toMatch(message);
    expect(checked.problem.to).toBeGreaterThanOrEqual(checked.problem.from);
  });

  it('finds the second of two equal names in one object, however it is written', () => {
    const text = '{"a": {"b": 1}, "b": [{"b": 1}],\n "\\u0061": 2}';
    expect(checkRequestText(text)).toEqual({
      kind: 'wrong',
      problem: { from: 34, to: 42, message: '"a" stands twice in the same object. Remove one of the two.' },
    });
  });

  it.each(['[]', ' 1', '"x"', 'null'])('wants an object, not %s', (text) => {
    expect(checkRequestText(text)).toMatchObject({
      kind: 'wrong',
      problem: { message: expect.stringContaining('object') },
    });
  });

  it.each([
    ['closed', '['.repeat(300) + ']'.repeat(300)],
    ['open', '['.repeat(200_000)],
  ])('refuses nesting without bound, %s', (_title, value) => {
    expect(checkRequestText(`{"a": ${value}`).kind).toBe('wrong');
    expect(checkRequestText(`{"a": ${value}}`).kind).toBe('wrong');
  });
});
