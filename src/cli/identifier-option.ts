import { InvalidArgumentError } from 'commander';

/** An id, slug, label or e-mail address that the server is asked for. A URL would swallow ".." and what stands before it. */
export function parseIdentifier(text: string): string {
  const reference = text.trim();
  if (!/^\.{0,2}$/.test(reference)) return reference;
  throw new InvalidArgumentError('It must not be empty, "." or "..".');
}
