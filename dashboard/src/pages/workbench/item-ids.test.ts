import { expect, test } from 'vitest';
import { identify } from './item-ids.ts';

const before = ['a', 'b', 'c'].map((value, id) => ({ id, value }));

test.each([
  ['stay without a change', ['a', 'b', 'c'], [0, 1, 2]],
  ['stay when an item is edited', ['a', 'b!', 'c'], [0, 1, 2]],
  ['stay when all items are edited', ['a!', 'b!', 'c!'], [0, 1, 2]],
  ['follow items behind a removed one', ['b', 'c'], [1, 2]],
  ['follow an item that moves up', ['a', 'c', 'b'], [0, 2, 1]],
  ['follow an item that moves down', ['b', 'c', 'a'], [1, 2, 0]],
  ['follow items behind an inserted one', ['new', 'a', 'b', 'c'], [3, 0, 1, 2]],
  ['are new for an added item', ['a', 'b', 'c', 'new'], [0, 1, 2, 3]],
  ['are new for an item that equals another one', ['a', 'a', 'b', 'c'], [0, 3, 1, 2]],
  ['are new for other items in a shorter list', ['x', 'y'], [3, 4]],
  ['end with the items', [], []],
])('ids of items %s', (_, texts, ids) => {
  const items = identify(before, texts);
  expect(items.map(({ id }) => id)).toEqual(ids);
  expect(items.map(({ value }) => value)).toEqual(texts);
  expect(identify(items, texts)).toEqual(items);
});

test('ids of objects follow the same object, also past an equal one', () => {
  const [one, other] = [{ role: 'user' }, { role: 'user' }];
  const items = identify([], [one, other]);
  expect(identify(items, [other]).map(({ id }) => id)).toEqual([1]);
  expect(identify(items, [one, { role: 'assistant' }]).map(({ id }) => id)).toEqual([0, 1]);
});
