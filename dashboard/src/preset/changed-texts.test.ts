import { expect, test } from 'vitest';
import { changedTexts } from './changed-texts.ts';

const preset = { name: 'Bot', description: 'Old' };

test.each([
  ['nothing', { name: 'Bot', description: 'Old' }, {}, {}],
  ['the name', { name: 'New', description: 'Old' }, { name: 'New' }, { name: 'Bot' }],
  ['the description', { name: 'Bot', description: '' }, { description: null }, { description: 'Old' }],
  ['both', { name: 'N', description: 'D' }, { name: 'N', description: 'D' }, preset],
])('sends only what changed: %s', (_what, typed, changed, before) => {
  expect(changedTexts(preset, typed)).toEqual({ changed, before });
});

test('treats no description and an empty one as equal', () => {
  for (const description of [null, ''])
    expect(changedTexts({ name: 'Bot', description }, { name: 'Bot', description: '' }).changed).toEqual({});
});
