import { oneLine } from '../../core/printable.ts';

/** How the numbers of usage read in a table. What is not known says so: it must not read as zero. */

/** "$12.34"; amounts below a dollar keep what makes them different from nothing. */
export function formatDollars(dollars: unknown): string {
  if (dollars === null) return 'unknown';
  if (typeof dollars !== 'number') return formatOther(dollars);
  const size = Math.abs(dollars);
  if (size === 0 || size >= 1) return withSign(dollars, (amount) => formatCount(amount, 2));
  return withSign(dollars, (amount) => (size >= 0.01 ? amount.toFixed(4) : smallAmount(amount)));
}

function withSign(dollars: number, format: (amount: number) => string): string {
  return `${dollars < 0 ? '-' : ''}$${format(Math.abs(dollars))}`;
}

/** Two digits that matter, but no more than the nine decimals in which costs are stored. */
function smallAmount(dollars: number): string {
  const decimals = Math.min(9, 1 - Math.floor(Math.log10(dollars)));
  return dollars.toFixed(decimals);
}

/** "1,234". A number that does not exist is a dash. */
export function formatCount(count: unknown, decimals = 0): string {
  if (count === null) return '-';
  if (typeof count !== 'number') return formatOther(count);
  return count.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** "850 ms", "1.2 s" */
export function formatDuration(ms: unknown): string {
  if (ms === null) return '-';
  if (typeof ms !== 'number') return formatOther(ms);
  return ms < 999.5 ? `${ms.toFixed(0)} ms` : `${formatCount(ms / 1_000, 1)} s`;
}

/** "2.5%" */
export function formatShare(share: unknown): string {
  if (share === null) return '-';
  return typeof share === 'number' ? `${(share * 100).toFixed(1)}%` : formatOther(share);
}

/** A number that a server sends as text, or not at all. */
function formatOther(value: unknown): string {
  return value === undefined ? '-' : oneLine(String(value));
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of block characters, to an eighth of a column. Anything above zero is visible. */
export function formatBar(value: number, largest: number, width: number): string {
  if (!(value > 0) || !(largest > 0)) return '';
  const parts = Math.max(1, Math.round((Math.min(value, largest) / largest) * width * 8));
  return '█'.repeat(Math.floor(parts / 8)) + eighths[parts % 8];
}

/** Pads the cells of a column to the same width, with the digits below each other. */
export function alignRight(cells: readonly string[]): readonly string[] {
  const width = Math.max(0, ...cells.map((cell) => cell.length));
  return cells.map((cell) => cell.padStart(width));
}
