import { createRequire } from 'node:module';
import { oneLine } from '../../core/printable.ts';
import type { Paint } from './output.ts';

/**
 * Columns as wide on a terminal as their longest cell, two spaces apart. Line breaks in a cell are
 * escaped.
 */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((line) => line.map(oneLine));
  const widths = header.map((_, column) =>
    lines.reduce((width, line) => Math.max(width, displayWidth(line[column] ?? '')), 0),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - displayWidth(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
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
  header: readonly string[],
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
