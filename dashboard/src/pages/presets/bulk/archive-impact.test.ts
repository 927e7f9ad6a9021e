import { expect, test } from 'vitest';
import type { PresetSummary } from '../../../../../src/api/presets.ts';
import { archiveImpact, listSome } from './archive-impact.ts';

const preset = (slug: string, fields: Partial<PresetSummary> = {}) =>
  ({ slug, status: 'active', labels: {}, aliases: [], ...fields }) as unknown as PresetSummary;

test('the impact names labels and aliases only of presets that will be archived', () => {
  const impact = archiveImpact([
    preset('a', { labels: { canary: 1, production: 1 }, aliases: ['old-a'] }),
    preset('b', { labels: { production: 2 } }),
    preset('c', { status: 'disabled', labels: { hidden: 1 }, aliases: ['old-c'] }),
    preset('d', { status: 'archived' }),
    preset('e'),
  ]);
  const slugs = (presets: readonly PresetSummary[]) => presets.map(({ slug }) => slug);
  expect(slugs(impact.archived)).toEqual(['a', 'b', 'e']);
  expect(slugs(impact.disabled)).toEqual(['c']);
  expect(slugs(impact.labeled)).toEqual(['a', 'b']);
  expect(impact.labels).toEqual(['production', 'canary']);
  expect(impact.aliases).toEqual(['old-a']);
});

test.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a and b'],
  [['a', 'b', 'c'], 'a, b and c'],
  [['a', 'b', 'c', 'd', 'e'], 'a, b, c and 2 more'],
])('the list %j reads "%s"', (texts, expected) => {
  expect(listSome(texts)).toBe(expected);
});
