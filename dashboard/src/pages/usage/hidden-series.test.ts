import { expect, test } from 'vitest';
import { formatHidden, isolateSeries, nothingHidden, parseHidden, toggleSeries } from './hidden-series.ts';

const names = ['a', 'b', 'c'];

test.each([
  ['hides a series that is shown', [], 'b', ['b']],
  ['shows a series that is hidden', ['a', 'b'], 'b', ['a']],
  ['shows all when the last one would be hidden', ['a', 'b'], 'c', []],
  ['forgets names that are not on the page', ['gone'], 'a', ['a']],
])('toggling %s', (_, hidden, name, expected) => {
  expect([...toggleSeries(new Set(hidden), name, names)]).toEqual(expected);
});

test.each([
  ['hides all others', [], 'b', ['a', 'c']],
  ['shows a hidden series alone', ['b'], 'b', ['a', 'c']],
  ['shows all again if it is alone', ['a', 'c'], 'b', []],
])('isolating a series %s', (_, hidden, name, expected) => {
  expect([...isolateSeries(new Set(hidden), name, names)]).toEqual(expected);
});

test('a series that is the only one cannot be hidden', () => {
  expect(toggleSeries(nothingHidden, 'a', ['a'])).toBe(nothingHidden);
});

test.each([[[]], [['a']], [['Shop, staging', '100%', 'b']]])('%j survives in a URL', (names) => {
  expect([...parseHidden(formatHidden(new Set(names)))]).toEqual(names);
});

test('text in a URL that is not a name hides nothing', () => {
  expect([...parseHidden('%,,b')]).toEqual(['b']);
});
