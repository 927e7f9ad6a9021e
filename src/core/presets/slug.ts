import { PresetdError } from '../errors.ts';

/** Slugs appear in URL paths unescaped. A path normalizer would remove "." and "..". */
export const slugPattern = '^(?!\\.{1,2}$)[A-Za-z0-9._~-]{1,128}$';

export const slugRule = 'must be 1 to 128 characters from A-Z a-z 0-9 - . _ ~, and not "." or ".."';

const slugExpression = new RegExp(slugPattern);

export function assertSlug(slug: string): void {
  if (isSlug(slug)) return;
  throw new PresetdError(
    'invalid_request',
    'The preset slug must be 1 to 128 characters from A-Z a-z 0-9 - . _ ~, and not "." or "..".',
    { issues: [{ path: '/slug', message: slugRule }] },
  );
}

export function isSlug(slug: string): boolean {
  return slugExpression.test(slug);
}
