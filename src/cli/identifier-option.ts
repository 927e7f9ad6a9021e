import { InvalidArgumentError } from 'commander';

/**
 * Parses an ID, slug, label or e-mail address that becomes a segment of a URL path. "." and ".."
 * are rejected because URL normalization would remove them, together with the segment before them.
 */
export function parseIdentifier(text: string): string {
  const identifier = text.trim();
  if (!/^\.{0,2}$/.test(identifier)) return identifier;
  throw new InvalidArgumentError('Must not be empty, "." or "..".');
}
