import { describe, expect, it } from 'vitest';
import { checkRequestText, lineAndColumn } from './check-request.ts';

describe('checkRequestText', () => {
  it.each(['', ' ', '\n\t\n'])('reports %j as empty', (text) => {
    expect(checkRequestText(text)).toEqual({ kind: 'empty' });
  });

  it('returns the parsed body of a valid text', () => {
    expect(checkRequestText('{"a": [1, {"b": null}]}')).toEqual({
      kind: 'valid',
      body: { a: [1, { b: null }] },
    });
  });

  it.each<[text: string, line: number, column: number, message: RegExp]>([
    ['curl http://x -d \'{"a": 1}\'', 1, 1, /Paste only the body/],
    ['{model: "x"}', 1, 2, /double quotes/],
    ["{\n  'model': 1\n}", 2, 3, /straight double quotes/],
    ['{“a”: 1}', 1, 2, /straight double quotes/],
    ['{\n  "a": 1,\n}', 3, 1, /Trailing comma/],
    ['[1,]', 1, 4, /Trailing comma/],
    ['{"a" 1}', 1, 6, /Missing colon/],
    ['{"a": 1\n "b": 2}', 2, 2, /Missing comma/],
    ['{"a": 01}', 1, 8, /cannot start with 0/],
    ['{"a": "x', 1, 7, /Missing closing quote/],
    ['{"a": "x\ny"}', 1, 7, /line breaks inside a string as \\n/],
    ['{"a": "\t"}', 1, 7, /Control character/],
    ['{"a": NaN}', 1, 7, /Unexpected text/],
    ['{"a": True}', 1, 7, /lower case/],
    ['{"a": .5}', 1, 7, /Invalid number/],
    ['{"a": 1.}', 1, 7, /Incomplete number/],
    ['{"a": }', 1, 7, /Missing value/],
    ['{"a":\u00a01}', 1, 6, /Not a regular space/],
    ['\ufeff{}', 1, 1, /Not a regular space/],
    ['// a note\n{}', 1, 1, /does not allow comments/],
    ['{"a": 1', 1, 8, /Missing closing brace/],
    ['{"a": [1', 1, 9, /Missing closing bracket/],
    ['{"a": "\\x"}', 1, 7, /Write a backslash as/],
    ['{"a": "\\u12"}', 1, 7, /four hex digits/],
    ['{}\n{}', 2, 1, /after the end of the request/],
  ])('reports the position of the problem in %j', (text, line, column, message) => {
    const checked = checkRequestText(text);
    if (checked.kind !== 'invalid') throw new Error(`the text is ${checked.kind}`);
    expect(lineAndColumn(text, checked.problem.from)).toEqual({ line, column });
    expect(checked.problem.message).toMatch(message);
    expect(checked.problem.to).toBeGreaterThanOrEqual(checked.problem.from);
  });

  it('reports the second of two duplicate fields, even if it is escaped', () => {
    const text = '{"a": {"b": 1}, "b": [{"b": 1}],\n "\\u0061": 2}';
    expect(checkRequestText(text)).toEqual({
      kind: 'invalid',
      problem: { from: 34, to: 42, message: 'Duplicate field "a". Remove one of the two.' },
    });
  });

  it.each(['[]', ' 1', '"x"', 'null'])('rejects %s, which is not an object', (text) => {
    expect(checkRequestText(text)).toMatchObject({
      kind: 'invalid',
      problem: { message: expect.stringContaining('object') },
    });
  });

  it.each([
    ['closed', '['.repeat(300) + ']'.repeat(300)],
    ['open', '['.repeat(200_000)],
  ])('rejects excessive nesting, %s', (_title, value) => {
    expect(checkRequestText(`{"a": ${value}`).kind).toBe('invalid');
    expect(checkRequestText(`{"a": ${value}}`).kind).toBe('invalid');
  });
});

describe('lineAndColumn', () => {
  it.each<[text: string, offset: number, line: number, column: number]>([
    ['', 0, 1, 1],
    ['abc', 2, 1, 3],
    ['a\nb', 1, 1, 2],
    ['a\nb', 2, 2, 1],
    ['a\r\nb\rc\nd', 7, 4, 1],
    ['\n\n', 2, 3, 1],
  ])('finds in %j that offset %i is line %i, column %i', (text, offset, line, column) => {
    expect(lineAndColumn(text, offset)).toEqual({ line, column });
  });
});
