import { PresetdError } from './errors.ts';

export const slugPattern = '^(?!\\.{1,2}$)[A-Za-z0-9._~-]{1,128}$';

export const slugRule = 'must be 1 to 128 of A-Z a-z 0-9 - . _ ~, and not "." or ".."';

const slugExpression = new RegExp(slugPattern);

/** Refuses what could not stand in a URL path unescaped, and the two names that a path would swallow. */
export function assertSlug(slug: string): void {
  if (isSlug(slug)) return;
  throw new PresetdError(
    'invalid_request',
    'The preset slug must be 1 to 128 of the characters A-Z a-z 0-9 - . _ ~, and not "." or "..".',
    { issues: [{ path: '/slug', message: slugRule }] },
  );
}

export function isSlug(slug: string): boolean {
  return slugExpression.test(slug);
}
