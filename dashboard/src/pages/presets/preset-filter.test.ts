import { describe, expect, test } from 'vitest';
import type { PresetSummary } from '../../../../src/api/presets.ts';
import { applyFilter, canonicalSearch, collectFacets, isFiltered, parseFilter } from './preset-filter.ts';

const preset = (slug: string, fields: Partial<PresetSummary> = {}) =>
  ({
    slug,
    name: slug,
    labels: {},
    tags: [],
    model: 'openai/gpt-5',
    updated_by: 'user_1',
    updated_by_email: 'ada@example.com',
    updated_by_name: 'Ada Lovelace',
    updated_at: '2026-11-01T00:00:00.000Z',
    created_at: '2026-10-01T00:00:00.000Z',
    ...fields,
  }) as PresetSummary;

const presets = [
  preset('refunds', { name: 'Réfunds', labels: { production: 2 }, tags: ['eu'] }),
  preset('Zebra', { model: null, created_at: '2026-10-03T00:00:00.000Z' }),
  preset('apples', { model: 'anthropic/claude', labels: { canary: 1, production: 1 }, tags: ['eu', 'us'] }),
  preset('robot', {
    updated_by: 'user_2',
    updated_by_email: null,
    updated_by_name: null,
    created_at: '2026-10-02T00:00:00.000Z',
  }),
];

const slugs = (search: string) =>
  applyFilter(presets, parseFilter(new URLSearchParams(search))).map(({ slug }) => slug);

test.each([
  ['', ['refunds', 'Zebra', 'apples', 'robot']],
  ['label=production', ['refunds', 'apples']],
  ['label=constructor', []],
  ['model=anthropic/claude', ['apples']],
  ['owner=ada@example.com&label=canary', ['apples']],
  ['owner=user_2', ['robot']],
  ['sort=name', ['apples', 'refunds', 'robot', 'Zebra']],
  ['sort=-name', ['Zebra', 'robot', 'refunds', 'apples']],
  ['sort=model', ['apples', 'refunds', 'robot', 'Zebra']],
  ['sort=-model', ['refunds', 'robot', 'apples', 'Zebra']],
  ['sort=-created', ['Zebra', 'robot', 'refunds', 'apples']],
  ['sort=-updated', ['refunds', 'Zebra', 'apples', 'robot']],
  ['sort=nonsense', ['refunds', 'Zebra', 'apples', 'robot']],
])('the query ?%s shows %j', (search, expected) => {
  expect(slugs(search)).toEqual(expected);
});

test('sort=-calls shows the most called first, and presets without calls last', () => {
  const withIds = presets.map((each) => ({ ...each, id: each.slug }));
  const calls = new Map([
    ['Zebra', { total: 9, days: undefined }],
    ['apples', { total: 1_200, days: undefined }],
  ]);
  const filter = parseFilter(new URLSearchParams('sort=-calls'));
  expect(applyFilter(withIds, filter, calls).map(({ slug }) => slug)).toEqual([
    'apples',
    'Zebra',
    'refunds',
    'robot',
  ]);
});

describe('the URL', () => {
  test('has one parameter for several tags, each once', () => {
    expect(parseFilter(new URLSearchParams('tag=eu,us,,eu')).tags).toEqual(['eu', 'us']);
  });

  test.each([
    ['offset=50&label=x&q=a%20b', 'q=a+b&label=x'],
    ['status=&sort=name', 'sort=name'],
  ])('%s is saved as %s', (search, expected) => {
    expect(canonicalSearch(new URLSearchParams(search))).toBe(expected);
  });

  test.each([
    ['', false],
    ['sort=name', false],
    ['label=x', true],
    ['tag=eu', true],
  ])('?%s filters: %s', (search, expected) => {
    expect(isFiltered(parseFilter(new URLSearchParams(search)))).toBe(expected);
  });
});

test('facets count the presets of each value', () => {
  expect(collectFacets(presets)).toEqual({
    tags: [
      ['eu', 2],
      ['us', 1],
    ],
    labels: [
      ['canary', 1],
      ['production', 2],
    ],
    models: [
      ['anthropic/claude', 1],
      ['openai/gpt-5', 2],
    ],
    owners: [
      ['ada@example.com', 3],
      ['user_2', 1],
    ],
    ownerNames: new Map([
      ['ada@example.com', 'Ada Lovelace'],
      ['user_2', 'user_2'],
    ]),
  });
});

test('people who share a name are told apart by their address', () => {
  const other = preset('other', { updated_by: 'user_3', updated_by_email: 'ada@other.com' });
  expect([...collectFacets([...presets, other]).ownerNames.values()]).toEqual([
    'Ada Lovelace, ada@example.com',
    'user_2',
    'Ada Lovelace, ada@other.com',
  ]);
});
