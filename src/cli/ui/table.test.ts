import { describe, expect, it } from 'vitest';
import { describePage, formatTable, terminalWidth, textColumn } from './table.ts';

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

describe('formatTable on a terminal', () => {
  const header = ['SLUG', textColumn('TAGS'), textColumn('NAME')];
  const [slug, tags, name] = [
    'a-slug-that-people-copy',
    'chat, and more',
    'A name as long as people like them',
  ];

  it.each([
    ['a table that fits stays as it is', 75, tags, name],
    ['the widest text is shortened first', 61, tags, 'A name as long as p…'],
    ['texts are shortened to the same width', 52, 'chat, and m…', 'A name as l…'],
    ['identifiers are whole, even if the lines wrap', 20, 'chat, and m…', 'A name as l…'],
  ])('%s', (_, width, shownTags, shownName) => {
    const lines = formatTable(header, [[slug, tags, name]], width).split('\n');
    expect(lines[1]).toBe(`${slug}  ${shownTags.padEnd(width >= 60 ? 14 : 12)}  ${shownName}`);
  });

  it('wide letters are cut as a whole', () => {
    const table = formatTable(
      ['ID', textColumn('NAME')],
      [
        ['1', '日本語日本語日本語'],
        ['2', 'x'],
      ],
      16,
    );
    expect(table).toBe('ID  NAME\n1   日本語日本…\n2   x');
  });

  it('a terminal that reports no width shows whole texts', () => {
    expect(terminalWidth({ isTTY: true, columns: 80 })).toBe(80);
    expect(terminalWidth({ isTTY: true, columns: 0 })).toBe(Number.POSITIVE_INFINITY);
  });

  it('output that is no terminal is never shortened', () => {
    expect(formatTable(header, [[slug, tags, 'x'.repeat(500)]])).toContain('x'.repeat(500));
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
