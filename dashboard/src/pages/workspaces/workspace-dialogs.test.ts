import { expect, it } from 'vitest';
import { slugify } from './workspace-dialogs.tsx';

it.each([
  ['Search team', 'search-team'],
  ['  Search & Ads!  ', 'search-ads'],
  ['Büro Köln', 'buro-koln'],
  ['--a--', 'a'],
  ['日本', ''],
  ['', ''],
  [`${'a'.repeat(49)} b`, 'a'.repeat(49)],
])('the workspace name %j becomes the slug %j', (name, slug) => {
  expect(slugify(name)).toBe(slug);
});
