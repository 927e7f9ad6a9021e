/** Browsers take seconds to break a longer text into lines where it has no spaces. */
export const charactersMax = 200_000;

export function beginningOf(text: string): string {
  if (text.length <= charactersMax) return text;
  return text.slice(0, charactersMax - (isPairAt(text, charactersMax - 1) ? 1 : 0));
}

/** The end of a text, and how much stands before it. */
export function endOf(text: string): { readonly shown: string; readonly hidden: number } {
  const start = Math.max(0, text.length - charactersMax);
  const hidden = start > 0 && isPairAt(text, start - 1) ? start + 1 : start;
  return { shown: text.slice(hidden), hidden };
}

/** A letter of two code units, of which half a one would be shown as a question mark. */
function isPairAt(text: string, index: number): boolean {
  return (text.codePointAt(index) ?? 0) > 0xffff;
}
