import { describe, expect, it } from 'vitest';
import {
  type CellValue,
  type Column,
  compareValues,
  formatSort,
  matchesText,
  nextSort,
  parseSort,
  sortRows,
} from './column.ts';

describe('parseSort', () => {
  it.each([
    ['', undefined],
    ['-', undefined],
    ['name', { id: 'name', isDescending: false }],
    ['-created', { id: 'created', isDescending: true }],
  ])('reads %j from a URL and writes it back', (text, sort) => {
    expect(parseSort(text)).toEqual(sort);
    if (sort !== undefined) expect(formatSort(sort)).toBe(text);
  });
});

describe('nextSort', () => {
  const column = (isDescendingFirst: boolean): Column<object> => ({
    id: 'a',
    title: 'A',
    cell: () => null,
    isDescendingFirst,
  });
  it.each([
    ['text', false, ['a', '-a', '', 'a']],
    ['times', true, ['-a', 'a', '', '-a']],
  ])('sorts %s in both directions and then not at all', (_, isDescendingFirst, expected) => {
    let sort = parseSort('b');
    const seen = expected.map(() => {
      sort = nextSort(sort, column(isDescendingFirst));
      return formatSort(sort);
    });
    expect(seen).toEqual(expected);
  });
});

describe('compareValues', () => {
  it.each([
    ['numbers by size', [10, 9, 100], [9, 10, 100]],
    ['numbers inside texts by size', ['key 10', 'key 9'], ['key 9', 'key 10']],
    ['texts without regard to case and accents', ['b', 'Á', 'C'], ['Á', 'b', 'C']],
    [
      'times by age',
      ['2026-10-01T00:00:00.000Z', '2026-09-30T23:59:59.999Z'],
      ['2026-09-30T23:59:59.999Z', '2026-10-01T00:00:00.000Z'],
    ],
  ])('sorts %s', (_, values, sorted) => {
    expect([...values].sort(compareValues)).toEqual(sorted);
  });
});

describe('sortRows', () => {
  const columns: readonly Column<{ id: string; value: CellValue }>[] = [
    { id: 'value', title: 'Value', cell: () => null, value: ({ value }) => value },
  ];
  const rows = [
    { id: 'none', value: null },
    { id: 'b', value: 2 },
    { id: 'empty', value: '' },
    { id: 'a', value: 1 },
    { id: 'missing', value: undefined },
    { id: 'also b', value: 2 },
  ];
  it.each([
    ['value', ['a', 'b', 'also b', 'none', 'empty', 'missing']],
    ['-value', ['b', 'also b', 'a', 'none', 'empty', 'missing']],
    ['', ['none', 'b', 'empty', 'a', 'missing', 'also b']],
    ['other', ['none', 'b', 'empty', 'a', 'missing', 'also b']],
  ])('sorts by "%s", with rows without a value last and equal ones in their order', (sort, ids) => {
    expect(sortRows(rows, columns, parseSort(sort)).map(({ id }) => id)).toEqual(ids);
  });
});

describe('matchesText', () => {
  const columns: readonly Column<{ name: string; count: number | null }>[] = [
    { id: 'name', title: 'Name', cell: () => null, value: ({ name }) => name },
    { id: 'count', title: 'Count', cell: () => null, value: ({ count }) => count },
    { id: 'button', title: '', cell: () => null },
  ];
  it.each([
    ['', true],
    ['hop', true],
    ['HOPPER grace', true],
    ['grace 12', true],
    ['grace lovelace', false],
    // Values are searched one by one.
    ['hopper\n12', true],
    ['null', false],
  ])('finds every word of %j in some column: %s', (search, isFound) => {
    expect(matchesText({ name: 'Grace Hopper', count: 12 }, columns, search)).toBe(isFound);
  });
});
