import { invalidRequest } from './errors.ts';

/** Slugs appear in URL paths unescaped. A path normalizer would remove "." and "..". */
export const slugPattern = '^(?!\\.{1,2}$)[A-Za-z0-9._~-]{1,128}$';

export const slugRule = 'must be 1 to 128 characters from A-Z a-z 0-9 - . _ ~, and not "." or ".."';

const slugExpression = new RegExp(slugPattern);

/** `field` is the parameter that has the name. */
export function assertSlug(slug: string, field: 'slug' | 'alias' = 'slug'): void {
  if (!isSlug(slug)) throw invalidRequest(`The preset ${field} ${slugRule}.`, `/${field}`, slugRule);
}

export function isSlug(slug: string): boolean {
  return slugExpression.test(slug);
}
