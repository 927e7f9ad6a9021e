/** Words, spaces between them, and signs one by one; also what stands for a word in scripts without spaces. */
export function wordsOf(text: string): string[] {
  return text.match(words) ?? [];
}

const words =
  /[[\p{L}\p{M}\p{N}_]--[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}]]+|\s+|[\s\S]/gv;

/** How often each word is in a text, in whatever order. */
export interface Bag {
  readonly size: number;
  readonly counts: ReadonlyMap<string, number>;
}

export function bagOf(text: string): Bag {
  const found = wordsOf(text).filter((word) => word.trim() !== '');
  const counts = new Map<string, number>();
  for (const word of found) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { size: found.length, counts };
}

/** From 0, nothing in common, to 1, the same words. */
export function likenessOf(one: Bag | undefined, other: Bag | undefined): number {
  if (one === undefined || other === undefined || one.size + other.size === 0) return 0;
  let common = 0;
  for (const [word, count] of one.counts) common += Math.min(count, other.counts.get(word) ?? 0);
  return (2 * common) / (one.size + other.size);
}
