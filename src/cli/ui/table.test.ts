import { describe, expect, it } from 'vitest';
import { describePage, formatTable, optionalColumn, terminalWidth, textColumn } from './table.ts';

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

  it('identifiers are shortened only when texts cannot be shortened further', () => {
    const lines = formatTable(header, [[slug, tags, name]], 47).split('\n');
    expect(lines[1]).toBe('a-slug-that-people…  chat, and m…  A name as l…');
  });

  describe('a table with columns that can be left out', () => {
    const columns = ['EMAIL', optionalColumn('ROLE', 1), textColumn('NAME', 2), optionalColumn('ID')];
    const member = ['ada@example.com', 'admin', 'Augusta Ada King, Countess of Lovelace', '0123456789abcdef'];
    it.each([
      [80, 'ada@example.com  admin  Augusta Ada King, Countess of Lovelace', '0123456789abcdef'],
      [62, 'ada@example.com  admin  Augusta Ada King, C…', '0123456789abcdef'],
      [54, 'ada@example.com  admin  Augusta Ada King, Countess of…', ''],
      [37, 'ada@example.com  Augusta Ada King, C…', ''],
      [36, 'ada@example.com', ''],
      [14, 'ada@example.c…', ''],
    ])('shows what fits into a line of %i characters', (width, shown, id) => {
      const lines = formatTable(columns, [member], width).split('\n');
      expect(lines[1]).toBe([shown, id].filter((part) => part !== '').join('  '));
    });

    it('output that is not a terminal has all columns', () => {
      expect(formatTable(columns, [member])).toBe(
        ['EMAIL            ROLE   NAME                                    ID', member.join('  ')].join('\n'),
      );
    });
  });

  it('output that is not a terminal is never shortened', () => {
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
