/** About what fits in half a row. */
const shortMax = 64;

/**
 * Formats two values for side-by-side display: long strings as plain text, everything else as JSON.
 */
export function valueTexts(from: unknown, to: unknown): readonly [from: string, to: string] {
  const isReadable = typeof from === 'string' && typeof to === 'string' && (isLong(from) || isLong(to));
  return isReadable ? [from, to] : [valueText(from), valueText(to)];
}

/** On one line if it is short; empty for undefined. */
export function valueText(value: unknown): string {
  if (typeof value === 'string' && isLong(value)) return value;
  const text = Array.isArray(value)
    ? // JSON.stringify puts no spaces after commas.
      `[${value.map((item) => JSON.stringify(item)).join(', ')}]`
    : (JSON.stringify(value) ?? '');
  return isLong(text) ? JSON.stringify(value, undefined, 2) : text;
}

/** Whether the text needs more than one line. */
export function isLong(text: string): boolean {
  return text.length > shortMax || text.includes('\n');
}
