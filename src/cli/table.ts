import { oneLine } from '../client/printable.ts';

/** Columns as wide as their longest cell, two spaces apart. Line breaks in a cell are escaped. */
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

/**
 * The number of terminal columns: two for East Asian characters and emoji, none for combining
 * marks. Good enough to align a table; ambiguous-width characters count as one.
 */
function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return [...text].reduce((width, character) => {
    if (/^[\p{Mn}\p{Me}\p{Cf}\p{Emoji_Modifier}]$/u.test(character)) return width;
    return width + (wide.test(character) ? 2 : 1);
  }, 0);
}

const wide =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60]$/u;
