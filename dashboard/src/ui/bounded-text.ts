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
