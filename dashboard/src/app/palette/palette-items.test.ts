import { expect, test } from 'vitest';
import { commandGroups, matchGroups, type PaletteGroup } from './palette-items.ts';

const run = () => undefined;
const groups: readonly PaletteGroup[] = [
  {
    title: 'Presets',
    kind: 'preset',
    items: [
      { id: 'bot', title: 'Support bot', detail: 'acme-support', run, isFound: true },
      { id: 'summary', title: 'Summary', detail: 'summary', run, isFound: true },
    ],
  },
  {
    title: 'Pages',
    kind: 'page',
    items: [
      { id: 'keys', title: 'Keys', keywords: 'secrets', run },
      { id: 'audit', title: 'Audit log', run },
    ],
  },
];

const idsOf = (query: string) =>
  matchGroups(groups, query).map(({ title, items }) => [title, ...items.map(({ id }) => id)]);

test('guides keep their order, after what can be done and before what has the words elsewhere', () => {
  const guide = (id: string, title: string) => ({ id, title, run, isFound: true });
  const all: readonly PaletteGroup[] = [
    { title: 'Guides', kind: 'guide', items: [guide('b', 'Undo'), guide('a', 'Roll back a version')] },
    { title: 'Presets', kind: 'preset', items: [{ id: 'p', title: 'Bot', run, isFound: true }] },
    { title: 'Preset', kind: 'action', items: [{ id: 'do', title: 'Roll back to version 1', run }] },
  ];
  expect(matchGroups(all, 'roll back').map(({ items }) => items.map(({ id }) => id))).toEqual([
    ['do'],
    ['a', 'b'],
    ['p'],
  ]);
  expect(matchGroups(all, 'version 9').map(({ title }) => title)).toEqual(['Presets', 'Guides']);
});

test('everything is in its usual order without a query', () => {
  expect(idsOf('')).toEqual([
    ['Presets', 'bot', 'summary'],
    ['Pages', 'keys', 'audit'],
  ]);
});

test('the group with the best match comes first, and found presets stay', () => {
  expect(idsOf('audit')).toEqual([
    ['Pages', 'audit'],
    ['Presets', 'bot', 'summary'],
  ]);
});

test('a match in the title comes before one in the slug or in other words', () => {
  expect(idsOf('sum')[0]).toEqual(['Presets', 'summary', 'bot']);
  expect(idsOf('acme')[0]).toEqual(['Presets', 'bot', 'summary']);
  expect(idsOf('secret')[0]).toEqual(['Pages', 'keys']);
});

test('groups with the same title become one', () => {
  const search = {
    title: 'Presets',
    kind: 'action',
    items: [{ id: 'search', title: 'Search', run }],
  } as const;
  const [presets] = matchGroups([search, ...groups], '');
  expect(presets?.items.map(({ id, kind }) => [id, kind])).toEqual([
    ['search', 'action'],
    ['bot', 'preset'],
    ['summary', 'preset'],
  ]);
});

test('only commands that can run are in the palette', () => {
  const commands = [
    { title: 'Run', group: 'Workbench', run },
    { title: 'Save draft', group: 'Workbench', run, isDisabled: true },
    { title: 'Search', group: 'Workbench' },
    { title: 'Keys', group: 'Pages', run },
    { title: 'Discard draft', group: 'Workbench', run },
  ];
  expect(
    commandGroups(commands).map(({ title, items }) => [title, ...items.map((item) => item.title)]),
  ).toEqual([
    ['Workbench', 'Run', 'Discard draft'],
    ['Pages', 'Keys'],
  ]);
});
