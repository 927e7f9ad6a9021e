import { expect, it } from 'vitest';
import { slugOf } from './slug-of.ts';

it.each([
  ['Search team', 'search-team'],
  ['  Search & Ads!  ', 'search-ads'],
  ['Büro Köln', 'buro-koln'],
  ['--a--', 'a'],
  ['日本', ''],
  ['', ''],
  [`${'a'.repeat(49)} b`, 'a'.repeat(49)],
])('%j becomes %j', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});
