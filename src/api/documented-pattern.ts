/**
 * A pattern that appears in the OpenAPI document but is not validated. The core checks the same
 * rule and explains it better than "must match pattern", so the route's validator must not reject
 * first.
 */
export function documentedPattern(pattern: string): { readonly 'x-pattern': string } {
  return { 'x-pattern': pattern };
}

/** A copy of the OpenAPI document with these patterns as ordinary `pattern` keywords. */
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
