/** The width that a column needs, in pixels. */
export interface ColumnNeed {
  /** So that nothing in it is cut off. */
  readonly natural: number;
  /** It is never shortened below this. */
  readonly min: number;
  /** It takes its part of the room that is left, such as a text, but not a time. */
  readonly grows: boolean;
  /** Where texts have to be shortened, it stays twice as wide as the others. */
  readonly isName?: boolean;
}

/**
 * The widths of the columns of a table. Columns leave what they do not need to the others:
 * the widest texts are shortened first, and in a table with room to spare, texts get what is left.
 * The sum exceeds `available` only if there is too little for every column at its narrowest.
 */
export function columnWidths(needs: readonly ColumnNeed[], available: number): readonly number[] {
  const room = available - sum(needs.map(({ natural }) => natural));
  return room >= 0 ? widened(needs, room) : shortened(needs, available);
}

/** In proportion to the widths, so that long texts get most. */
function widened(needs: readonly ColumnNeed[], room: number): readonly number[] {
  const texts = needs.filter(({ grows }) => grows);
  const growing = texts.length > 0 ? texts : needs;
  const total = sum(growing.map(({ natural }) => natural));
  return needs.map((need) => need.natural + (growing.includes(need) ? (room * need.natural) / total : 0));
}

/** Shortens wide values to a common width, but not below their minimum; names to twice that. */
function shortened(needs: readonly ColumnNeed[], available: number): readonly number[] {
  const widthsUpTo = (limit: number) =>
    needs.map(({ natural, min, isName }) => Math.min(natural, Math.max(min, isName ? 2 * limit : limit)));
  // The widest that fits, to a pixel.
  let [low, high] = [0, Math.ceil(available)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (sum(widthsUpTo(middle)) <= available) low = middle;
    else high = middle;
  }
  return widthsUpTo(low);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
