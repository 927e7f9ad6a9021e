import { createRequire } from 'node:module';
import type { WriteStream } from 'node:tty';
import { oneLine } from '../../core/text/printable.ts';
import type { Paint } from './output.ts';

/**
 * A column of a table. Wide tables must fit on a narrow terminal, so each column says what it gives
 * up there; output that is not for a terminal has all columns and whole cells.
 */
export interface Column {
  readonly title: string;
  /** Names and notes, which are shortened before what people copy, such as slugs and ids. */
  readonly isText?: boolean;
  /** Without a rank the column always stays. The others are left out from the lowest rank on. */
  readonly rank?: number;
}

/** A string is the title of a column that stays, and that is shortened only as a last resort. */
export type Title = string | Column;

export function textColumn(title: string, rank?: number): Column {
  return { title, isText: true, ...(rank !== undefined && { rank }) };
}

/** Among columns of the same rank, the rightmost is left out first. */
export function optionalColumn(title: string, rank = 0): Column {
  return { title, rank };
}

/**
 * Columns as wide on a terminal as their longest cell, two spaces apart. Line breaks in a cell are
 * escaped. On a terminal, lines are made to fit: columns are left out, then texts are shortened.
 */
export function formatTable(
  header: readonly Title[],
  rows: readonly (readonly string[])[],
  lineWidth = terminalWidth(process.stdout),
): string {
  const columns = header.map((title) => (typeof title === 'string' ? { title } : title));
  const lines = [columns.map(({ title }) => title), ...rows].map((line) => line.map(oneLine));
  const measured = columns.map((column, index) => ({
    ...column,
    index,
    width: Math.max(...lines.map((line) => displayWidth(line[index] ?? ''))),
  }));
  const shown = fitColumns(measured, lineWidth);
  return lines
    .map((line) =>
      shown
        .map(({ index, width }) => {
          const cell = shorten(line[index] ?? '', width);
          return cell + ' '.repeat(width - displayWidth(cell));
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Unlimited if the output is no terminal, or one that does not know its width. */
export function terminalWidth({ isTTY, columns }: Pick<WriteStream, 'isTTY' | 'columns'>): number {
  return isTTY && columns > 0 ? columns : Number.POSITIVE_INFINITY;
}

interface MeasuredColumn extends Column {
  readonly index: number;
  readonly width: number;
}

/** A shorter text says nothing. */
const shortenedWidthMin = 12;
/** Rather than shortening texts further, columns are left out. */
const comfortableTextWidth = 20;

/** Leaves out columns until the others fit shortened, then shortens no more than needed. */
function fitColumns(columns: readonly MeasuredColumn[], lineWidth: number): readonly MeasuredColumn[] {
  let shown = columns;
  const isTooWide = () => lengthOf(shortenTo(shown, comfortableTextWidth, isText)) > lineWidth;
  for (let next = nextToLeaveOut(shown); next !== undefined && isTooWide(); next = nextToLeaveOut(shown))
    shown = shown.filter((column) => column !== next);
  return shortenToFit(shortenToFit(shown, lineWidth, isText), lineWidth, () => true);
}

const isText = (column: Column) => column.isText === true;

function nextToLeaveOut(columns: readonly MeasuredColumn[]): MeasuredColumn | undefined {
  const lowestRank = Math.min(...columns.map(({ rank = Number.POSITIVE_INFINITY }) => rank));
  return columns.findLast(({ rank }) => rank === lowestRank);
}

type ColumnTest = (column: Column) => boolean;

/** All columns that exceed a common width are shortened to it: the widest that fits. */
function shortenToFit(
  columns: readonly MeasuredColumn[],
  lineWidth: number,
  mayShorten: ColumnTest,
): readonly MeasuredColumn[] {
  let limit = Math.max(0, ...columns.filter(mayShorten).map(({ width }) => width));
  while (limit > shortenedWidthMin && lengthOf(shortenTo(columns, limit, mayShorten)) > lineWidth) limit -= 1;
  return shortenTo(columns, limit, mayShorten);
}

function shortenTo(
  columns: readonly MeasuredColumn[],
  limit: number,
  mayShorten: ColumnTest,
): readonly MeasuredColumn[] {
  return columns.map((column) =>
    mayShorten(column) ? { ...column, width: Math.min(column.width, limit) } : column,
  );
}

function lengthOf(columns: readonly MeasuredColumn[]): number {
  return columns.reduce((sum, { width }) => sum + width, 2 * (columns.length - 1));
}

/** Ends with an ellipsis if the text is wider. Letters of several characters stay whole. */
function shorten(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let start = '';
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    if (displayWidth(start + segment) >= width) break;
    start += segment;
  }
  return `${start.trimEnd()}…`;
}

/**
 * The number of terminal columns. string-width is loaded for the first text that needs it: its
 * tables of characters add a quarter to the start of a command. ASCII does not need it, nor do the
 * ellipsis in key labels, the arrow in events and the dash of numbers that do not exist.
 */
function displayWidth(text: string): number {
  if (/^[\x20-\x7e–…→]*$/.test(text)) return text.length;
  const { default: stringWidth }: typeof import('string-width') = require('string-width');
  return stringWidth(text);
}

const require = createRequire(import.meta.url);

/** Pads the cells of a column to the same width, with the digits below each other. */
export function alignRight(cells: readonly string[]): readonly string[] {
  const width = Math.max(0, ...cells.map((cell) => cell.length));
  return cells.map((cell) => cell.padStart(width));
}

/** A page of a list: the table, then a line that says which part of the list it is. */
export function formatPage(
  header: readonly Title[],
  rows: readonly (readonly string[])[],
  offset: number,
  total: number,
  isTotalExact = true,
): string {
  return `${formatTable(header, rows)}\n${describePage(offset, rows.length, total, isTotalExact)}`;
}

/**
 * The last line of a list: "Showing 51-60 of 99; use --offset 60 for more". If `isTotalExact` is
 * false, the server stopped counting after the first item of the next page, so at least `total`
 * exist.
 */
export function describePage(offset: number, count: number, total: number, isTotalExact = true): string {
  if (count === 0) return offset === 0 ? 'No results' : `No results after ${total}`;
  const end = offset + count;
  const all = isTotalExact ? total : `more than ${total - 1}`;
  return `Showing ${offset + 1}-${end} of ${all}${end < total ? `; use --offset ${end} for more` : ''}`;
}

export type KeyValue = readonly [name: string, value: string];

/**
 * Renders one resource for the `show` commands: a title, then its properties in two aligned
 * columns. Properties with an empty value are omitted.
 */
export function renderKeyValueList(title: string, entries: readonly KeyValue[], paint: Paint): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return [
    paint('bold', oneLine(title)),
    ...entries
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${paint('dim', name.padEnd(width))}  ${oneLine(value)}`),
  ].join('\n');
}
