import { oneLine } from '../client/printable.ts';

/** Columns wide enough for their longest cell, two spaces apart. A cell stays on its line, whatever is in it. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((line) => line.map(oneLine));
  const widths = header.map((_, column) =>
    lines.reduce((width, line) => Math.max(width, widthOf(line[column] ?? '')), 0),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** "51 to 60 of 99; --offset 60 shows more", or that there is nothing. Where it is not exact, the total is the next one. */
export function describePage(offset: number, count: number, total: number, isTotalExact = true): string {
  if (count === 0) return `none of ${total}`;
  const end = offset + count;
  const all = isTotalExact ? total : `more than ${total - 1}`;
  return `${offset + 1} to ${end} of ${all}${end < total ? `; --offset ${end} shows more` : ''}`;
}

/** Places on a terminal: East Asian letters and pictures take two, marks that sit on another letter none. */
function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return [...text].reduce((width, character) => {
    if (/^[\p{Mn}\p{Me}\p{Cf}\p{Emoji_Modifier}]$/u.test(character)) return width;
    return width + (wide.test(character) ? 2 : 1);
  }, 0);
}

const wide =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60]$/u;
