import { expect, it } from 'vitest';
import { compareHref, movedPath, parseShown, presetHref, versionHref } from './preset-links.ts';

it('links name a workspace only if one is given', () => {
  const location = { slug: 'a~b' };
  expect(presetHref(location)).toBe('/presets/a~b');
  expect(versionHref(location, 2)).toBe('/presets/a~b/history/2');
  const elsewhere = { ...location, workspace: 'search' };
  expect(presetHref(elsewhere)).toBe('/w/search/presets/a~b');
  expect(versionHref(elsewhere, 2)).toBe('/w/search/presets/a~b/history/2');
  expect(compareHref(elsewhere, { from: 3, to: 1 })).toBe('/w/search/presets/a~b/history/3..1');
});

it.each([
  ['7', 7],
  ['5..7', { from: 5, to: 7 }],
  ['7..5', { from: 7, to: 5 }],
  ['0', undefined],
  ['old', undefined],
  ['5..', undefined],
  ['5..7..9', undefined],
])('the address history/%s shows %j', (text, shown) => {
  expect(parseShown(text)).toEqual(shown);
});

it.each([
  [undefined, '', undefined],
  [undefined, 'from=7', undefined],
  [undefined, 'version=2', '/presets/a/history/2'],
  ['overview', 'version=2', '/presets/a/history/2'],
  ['overview', '', '/presets/a'],
  ['workbench', '', '/presets/a'],
  ['new', '', '/presets/a'],
  ['new', 'from=7', '/presets/a?from=7'],
  ['compare', 'from=5&to=7', '/presets/a/history/5..7'],
  ['compare', 'from=5', '/presets/a/history'],
  ['compare', '', '/presets/a/history'],
  ['events', 'offset=25', undefined],
])('the old address %s?%s leads to %s', (tab, search, path) => {
  expect(movedPath('a', tab, search)).toBe(path);
});
