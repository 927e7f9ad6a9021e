/** As much as fits beside another value. */
const shortMax = 64;

/** Two values as they are shown beside each other: texts that are long as they read, anything else as JSON. */
export function valueTexts(from: unknown, to: unknown): readonly [from: string, to: string] {
  const isReadable = typeof from === 'string' && typeof to === 'string' && (isLong(from) || isLong(to));
  return isReadable ? [from, to] : [valueText(from), valueText(to)];
}

/** In one line where it is short; nothing for what is not there. */
export function valueText(value: unknown): string {
  if (typeof value === 'string' && isLong(value)) return value;
  const text = Array.isArray(value)
    ? // A list in one line reads better with spaces after its commas.
      `[${value.map((item) => JSON.stringify(item)).join(', ')}]`
    : (JSON.stringify(value) ?? '');
  return isLong(text) ? JSON.stringify(value, undefined, 2) : text;
}

/** Whether it needs more than a line. */
export function isLong(text: string): boolean {
  return text.length > shortMax || text.includes('\n');
}
