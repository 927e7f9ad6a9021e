import { describe, expect, it } from 'vitest';
import { describePage, formatTable } from './table.ts';

describe('formatTable', () => {
  it('keeps a cell on its line', () => {
    expect(formatTable(['SLUG', 'NAME'], [['a\nb', 'c\u202e\r']])).toBe('SLUG  NAME\na\\nb  c\\u202e\\r');
  });

  it('aligns columns as a terminal shows them', () => {
    const table = formatTable(
      ['NAME', 'X'],
      [
        ['plain', '1'],
        ['日本語', '2'],
        ['e\u0301 🙂', '3'],
      ],
    );
    expect(table).toBe('NAME    X\nplain   1\n日本語  2\ne\u0301 🙂    3');
  });
});

describe('describePage', () => {
  it.each([
    [0, 2, 2, '1 to 2 of 2'],
    [50, 10, 60, '51 to 60 of 60'],
    [50, 10, 61, '51 to 60 of 61; --offset 60 shows more'],
    [60, 0, 60, 'none of 60'],
  ])('offset %i, %i of %i: %s', (offset, count, total, text) => {
    expect(describePage(offset, count, total)).toBe(text);
  });

  it('says that there are more where they were not counted', () => {
    expect(describePage(50, 50, 101, false)).toBe('51 to 100 of more than 100; --offset 100 shows more');
  });
});
