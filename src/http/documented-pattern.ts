/**
 * A pattern for the API document alone. The core checks the same rule and explains it better than "must match
 * pattern" does, so the validator of the route must not check it first.
 */
export function documentedPattern(pattern: string): { readonly 'x-pattern': string } {
  return { 'x-pattern': pattern };
}

/** A copy of a document in which these patterns are the patterns of their schemas. */
export function withDocumentedPatterns<Part>(part: Part): Part;
export function withDocumentedPatterns(part: unknown): unknown {
  if (Array.isArray(part)) return part.map((item) => withDocumentedPatterns(item));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [
      name === 'x-pattern' ? 'pattern' : name,
      withDocumentedPatterns(value),
    ]),
  );
}
