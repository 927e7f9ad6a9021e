import { createRequire } from 'node:module';
import type { WriteStream } from 'node:tty';
import { oneLine } from '../../core/printable.ts';
import type { Paint } from './output.ts';

/** The title of a column, or of one with texts, which are shortened to fit on the terminal. */
export type Title = string | { readonly text: string };

/** For names and notes, but not for what people copy into other commands, such as slugs and ids. */
export function textColumn(title: string): Title {
  return { text: title };
}

/**
 * Columns as wide on a terminal as their longest cell, two spaces apart. Line breaks in a cell are
 * escaped. On a terminal, texts are shortened so that lines do not wrap.
 */
export function formatTable(
  header: readonly Title[],
  rows: readonly (readonly string[])[],
  lineWidth = terminalWidth(process.stdout),
): string {
  const titles = header.map((title) => (typeof title === 'string' ? title : title.text));
  const lines = [titles, ...rows].map((line) => line.map(oneLine));
  const natural = header.map((_, column) =>
    lines.reduce((width, line) => Math.max(width, displayWidth(line[column] ?? '')), 0),
  );
  const widths = fittingWidths(natural, header, lineWidth);
  return lines
    .map((line) =>
      line
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          const shown = shorten(cell, width);
          return shown + ' '.repeat(width - displayWidth(shown));
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

/** A shorter text says nothing. */
const textWidthMin = 12;

/** All texts that exceed a common width are shortened to it: the widest that fits. */
function fittingWidths(
  natural: readonly number[],
  header: readonly Title[],
  lineWidth: number,
): readonly number[] {
  const widthsUpTo = (limit: number) =>
    natural.map((width, column) => (typeof header[column] === 'string' ? width : Math.min(width, limit)));
  const lengthOf = (widths: readonly number[]) =>
    widths.reduce((sum, width) => sum + width, 2 * (widths.length - 1));
  let limit = Math.max(0, ...natural);
  while (limit > textWidthMin && lengthOf(widthsUpTo(limit)) > lineWidth) limit -= 1;
  return widthsUpTo(limit);
}

/** Ends with an ellipsis if the text is wider. Letters that consist of several characters stay whole. */
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
 * ellipsis in key labels and the arrow in events.
 */
function displayWidth(text: string): number {
  if (/^[\x20-\x7e…→]*$/.test(text)) return text.length;
  const { default: stringWidth }: typeof import('string-width') = require('string-width');
  return stringWidth(text);
}

const require = createRequire(import.meta.url);

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
