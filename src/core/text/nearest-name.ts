/**
 * Finds the known name that a misspelled one most likely stands for, for "did you mean" hints;
 * undefined if none is close. Names that differ only in case and punctuation are closest.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name);
  // At most a third of the letters: this allows typos but does not confuse short names.
  const distanceMax = Math.min(3, Math.floor(plain.length / 3));
  const [nearest] = known
    .map((candidate) => ({ candidate, plainCandidate: plainName(candidate) }))
    // A name can be as long as a request body. Skip candidates that differ too much in length.
    .filter(({ plainCandidate }) => Math.abs(plainCandidate.length - plain.length) <= distanceMax)
    .map(({ candidate, plainCandidate }) => ({ candidate, distance: editDistance(plain, plainCandidate) }))
    .filter(({ distance }) => distance <= distanceMax)
    .sort((one, other) => one.distance - other.distance);
  return nearest?.candidate;
}

/** Reduces `maxTokens`, `max-tokens`, `MAX_TOKENS` and `max_tokens[]` to the same text. */
export function plainName(name: string): string {
  return name
    .replace(/\[.*$/s, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

/** Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbors. */
function editDistance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(one.length, other.length);
}
