import { describe, expect, it } from 'vitest';
import { describePage, formatTable } from './table.ts';

describe('formatTable', () => {
  it('a table escapes line breaks in its cells', () => {
    expect(formatTable(['SLUG', 'NAME'], [['a\nb', 'c\u202e\r']])).toBe('SLUG  NAME\na\\nb  c\\u202e\\r');
  });

  it('a table aligns columns by their width on a terminal', () => {
    const table = formatTable(
      ['NAME', 'X'],
      [
        ['plain', '1'],
        ['日本語', '2'],
        ['e\u0301 🙂', '3'],
        ['👩‍💻 🇯🇵', '4'],
      ],
    );
    expect(table).toBe('NAME    X\nplain   1\n日本語  2\ne\u0301 🙂    3\n👩‍💻 🇯🇵   4');
  });
});

describe('describePage', () => {
  it.each([
    [0, 2, 2, 'Showing 1-2 of 2'],
    [50, 10, 60, 'Showing 51-60 of 60'],
    [50, 10, 61, 'Showing 51-60 of 61; use --offset 60 for more'],
    [60, 0, 60, 'No results after 60'],
    [0, 0, 0, 'No results'],
  ])('a page at offset %i with %i of %i results ends with: %s', (offset, count, total, text) => {
    expect(describePage(offset, count, total)).toBe(text);
  });

  it('a page says "more than" if the total is not exact', () => {
    expect(describePage(50, 50, 101, false)).toBe(
      'Showing 51-100 of more than 100; use --offset 100 for more',
    );
  });
});
