/**
 * The known name that a misspelled one was most likely meant to be; undefined when none is close. Names that differ only
 * in spelling (`plainName`) are closest.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name);
  // At most a third of the letters: allows typos, but does not turn one short name into another.
  const distanceMax = Math.min(3, Math.floor(plain.length / 3));
  const [nearest] = known
    .map((candidate) => ({ candidate, plainCandidate: plainName(candidate) }))
    // Names may be as long as a request; only those of similar length are worth comparing.
    .filter(({ plainCandidate }) => Math.abs(plainCandidate.length - plain.length) <= distanceMax)
    .map(({ candidate, plainCandidate }) => ({ candidate, distance: editDistance(plain, plainCandidate) }))
    .filter(({ distance }) => distance <= distanceMax)
    .sort((one, other) => one.distance - other.distance);
  return nearest?.candidate;
}

/** `maxTokens`, `max-tokens`, `MAX_TOKENS` and `max_tokens[]` are all spellings of one name. */
export function plainName(name: string): string {
  return name
    .replace(/\[.*$/s, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

/** Letters to insert, delete, replace or swap with a neighbor to turn one text into the other. */
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
