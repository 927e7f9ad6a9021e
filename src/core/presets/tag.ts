import { invalidRequest } from '../errors.ts';

/**
 * Tags: words of the team's own choice that presets are filtered by, such as `support` or
 * `team:growth`. A preset has a set of them, which is always sorted.
 */
export const tagPattern = '^[a-z0-9]([a-z0-9._:/-]{0,62}[a-z0-9])?$';

/** For the OpenAPI document: several tags in a query parameter. */
export const tagListPattern = `^(${tagPattern.slice(1, -1)}(,${tagPattern.slice(1, -1)}){0,19})?$`;

export const tagRule =
  'must be 1 to 64 characters from a-z 0-9 - _ . : / and begin and end with a letter or digit';

/** Bounds the list of tags, which responses return without paging. */
export const tagsMax = 20;

const tagExpression = new RegExp(tagPattern);

export function assertTag(tag: string): void {
  if (!tagExpression.test(tag)) throw invalidRequest(`A tag ${tagRule}.`, '/tag', tagRule);
}

/**
 * Parses a filter by tags, which are separated by commas. Returns an empty list for a missing or
 * empty filter, which matches every preset.
 */
export function parseTagFilter(text: string | undefined): readonly string[] {
  if (text === undefined || text === '') return [];
  const tags = text.split(',');
  for (const tag of tags) assertTag(tag);
  if (tags.length <= tagsMax) return tags;
  throw invalidRequest(
    `A filter can have at most ${tagsMax} tags.`,
    '/tag',
    `must have at most ${tagsMax} tags`,
  );
}
