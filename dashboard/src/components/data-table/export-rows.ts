import type { CellValue, Column } from './column.ts';

/** A column of the file for each column with a value, whether it is shown or not. */
export function toCsv<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const exported = columns.filter(({ value }) => value !== undefined);
  const lines = [
    exported.map(({ title }) => csvCell(title)),
    ...rows.map((row) => exported.map(({ value, exportValue = value }) => csvCell(exportValue?.(row)))),
  ];
  // Excel reads a file without a byte order mark as Windows-1252.
  return `\uFEFF${lines.map((cells) => `${cells.join(',')}\r\n`).join('')}`;
}

/** The rows as the API returns them. */
export function toJson(rows: readonly unknown[]): string {
  return `${JSON.stringify(rows, null, 2)}\n`;
}

/**
 * Spreadsheets run a text that starts with one of these as a formula, which could send the rest of
 * the sheet elsewhere. Names and notes come from other people, so such a text gets an apostrophe,
 * which spreadsheets hide.
 */
const formulaStart = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

function csvCell(value: CellValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = formulaStart.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export type ExportFormat = 'CSV' | 'JSON';

/** "presetd-members-2026-11-17.csv", by the day in the user's time zone. */
export function exportFileName(name: string, format: ExportFormat, now: Date): string {
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
  return `presetd-${name}-${day}.${format.toLowerCase()}`;
}

/** Saves a text as a file. */
export function download(fileName: string, format: ExportFormat, text: string): void {
  const type = format === 'CSV' ? 'text/csv;charset=utf-8' : 'application/json';
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The browser has started to read it once the click returns, but not on every platform.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
