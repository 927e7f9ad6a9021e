import { describe, expect, it } from 'vitest';
import { lineAndColumn } from './line-and-column.ts';

describe('lineAndColumn', () => {
  it.each<[text: string, offset: number, line: number, column: number]>([
    ['', 0, 1, 1],
    ['abc', 2, 1, 3],
    ['a\nb', 1, 1, 2],
    ['a\nb', 2, 2, 1],
    ['a\r\nb\rc\nd', 7, 4, 1],
    ['\n\n', 2, 3, 1],
  ])('in %j, offset %i is line %i, column %i', (text, offset, line, column) => {
    expect(lineAndColumn(text, offset)).toEqual({ line, column });
  });
});
