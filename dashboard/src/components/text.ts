/**
 * Numbers and long values as text. The pages are in English, so the locale is fixed: the browser's
 * could format numbers differently from the words around them.
 */

/** A number with its noun: "1 person", "12,000 people". */
export function formatCount(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** With digit grouping: "12,000". */
export function formatNumber(number: number): string {
  return number.toLocaleString('en-US');
}

/** With cents, and below a dollar with three significant digits: "$12.50", "$0.30", "$0.00125". */
export function formatDollars(dollars: number): string {
  const rounded = dollars < 1 ? Number(dollars.toPrecision(3)) : dollars;
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: dollars < 1 ? 20 : 2 };
  return `$${rounded.toLocaleString('en-US', digits)}`;
}

/** Turns a lower-case value of the API, such as a status, into a label in sentence case. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Browsers take seconds to lay out a longer text that has no spaces. */
export const charactersMax = 200_000;

/** The start of a text, up to the limit. The cut never splits a surrogate pair. */
export function headOf(text: string): string {
  if (text.length <= charactersMax) return text;
  return text.slice(0, charactersMax - (isPairAt(text, charactersMax - 1) ? 1 : 0));
}

/** The end of a text, and how many characters were cut before it. */
export function tailOf(text: string): { readonly shown: string; readonly hidden: number } {
  const start = Math.max(0, text.length - charactersMax);
  const hidden = start > 0 && isPairAt(text, start - 1) ? start + 1 : start;
  return { shown: text.slice(hidden), hidden };
}

/**
 * Whether the character at this index takes two code units; half of one would render as a
 * replacement character.
 */
function isPairAt(text: string, index: number): boolean {
  return (text.codePointAt(index) ?? 0) > 0xffff;
}
