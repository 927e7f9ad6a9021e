/**
 * Splits a text into words, whitespace and single punctuation characters. Scripts without spaces
 * are split into characters.
 */
export function splitWords(text: string): string[] {
  return text.match(words) ?? [];
}

/** Letters, marks and digits form words, except in scripts that do not separate words by spaces. */
const words =
  /[[\p{L}\p{M}\p{N}_]--[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}]]+|\s+|[\s\S]/gv;

/** Word counts of a text, regardless of order. */
export interface WordBag {
  readonly size: number;
  readonly counts: ReadonlyMap<string, number>;
}

export function wordBag(text: string): WordBag {
  const found = splitWords(text).filter((word) => word.trim() !== '');
  const counts = new Map<string, number>();
  for (const word of found) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { size: found.length, counts };
}

/** Dice coefficient of the words of two texts: 0 for nothing in common, 1 for the same words. */
export function similarity(one: WordBag | undefined, other: WordBag | undefined): number {
  if (one === undefined || other === undefined || one.size + other.size === 0) return 0;
  let common = 0;
  for (const [word, count] of one.counts) common += Math.min(count, other.counts.get(word) ?? 0);
  return (2 * common) / (one.size + other.size);
}
