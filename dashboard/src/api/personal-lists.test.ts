import { expect, test } from 'vitest';
import {
  filtersMax,
  parseLists,
  withFavoriteToggled,
  withFilter,
  withOpened,
  withoutFilter,
} from './personal-lists.ts';

const empty = parseLists(null);
const preset = (id: string, name = id) => ({ id, slug: id, name });

test.each([null, '', 'no JSON', 'null', '[]', '{"favorites": 3}', '{"recent": [null, {"id": 1}]}'])(
  '%j is read as empty lists',
  (text) => {
    expect(parseLists(text)).toEqual({ favorites: [], recent: [], filters: [] });
  },
);

test('an opened preset comes first, once, and pushes out the oldest', () => {
  let lists = empty;
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'c']) lists = withOpened(lists, preset(id));
  expect(lists.recent.map(({ id }) => id)).toEqual(['c', 'i', 'h', 'g', 'f', 'e', 'd', 'b']);
});

test('a favorite gets the new name of its preset when that is opened', () => {
  const lists = withOpened(withFavoriteToggled(empty, preset('a', 'Old')), preset('a', 'New'));
  expect(lists.favorites).toEqual([preset('a', 'New')]);
});

test('a favorite is added and removed', () => {
  const added = withFavoriteToggled(withFavoriteToggled(empty, preset('a')), preset('b'));
  expect(added.favorites.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(withFavoriteToggled(added, preset('a')).favorites).toEqual([preset('b')]);
});

test('a favorite keeps nothing but what a link needs', () => {
  const summary = { ...preset('a'), description: 'Secret' };
  expect(withFavoriteToggled(empty, summary).favorites).toEqual([preset('a')]);
});

test('filters are sorted, replaced by name and removed', () => {
  let lists = withFilter(empty, { name: 'live', search: 'status=active' });
  lists = withFilter(lists, { name: 'Drafts', search: 'label=draft' });
  lists = withFilter(lists, { name: 'live', search: 'label=production' });
  expect(lists.filters).toEqual([
    { name: 'Drafts', search: 'label=draft' },
    { name: 'live', search: 'label=production' },
  ]);
  expect(withoutFilter(lists, 'live').filters.map(({ name }) => name)).toEqual(['Drafts']);
});

test('a filter beyond the maximum is not saved unless it replaces one of the same name', () => {
  let lists = empty;
  for (let index = 0; index < filtersMax; index += 1)
    lists = withFilter(lists, { name: `b${index}`, search: 'q=b' });
  expect(withFilter(lists, { name: 'a', search: 'q=a' })).toBe(lists);
  expect(withFilter(lists, { name: 'b0', search: 'q=a' }).filters).toContainEqual({
    name: 'b0',
    search: 'q=a',
  });
});
