/**
 * Numbers in texts. The pages are in English, so the locale is fixed: the browser's could format
 * numbers differently from the words around them.
 */

/** A number with its noun: "1 person", "12,000 people". */
export function formatCount(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** With digit grouping: "12,000". */
export function formatNumber(number: number): string {
  return number.toLocaleString('en-US');
}

/** Turns a lower-case value of the API, such as a status, into a label in sentence case. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Cuts texts that are too long to render. A cut never splits a surrogate pair. */

/** Browsers take seconds to lay out a longer text that has no spaces. */
export const charactersMax = 200_000;

/** The start of a text, up to the limit. */
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

/** More than anyone reads next to an editor, and still fast to render. */
const previewCharactersMax = 20_000;

/** Cuts a long text and says how much is missing. */
export function truncate(text: string): string {
  const rest = text.length - previewCharactersMax;
  if (rest <= 0) return text;
  return `${text.slice(0, previewCharactersMax).toWellFormed()}… and ${rest.toLocaleString('en-US')} more characters`;
}
