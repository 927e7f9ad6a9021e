import { expect, test } from 'vitest';
import { placeAfter } from './place-after.ts';

test.each([
  ['ArrowUp', [7, 1], [6, 1]],
  ['ArrowDown', [7, 1], [8, 1]],
  ['ArrowLeft', [7, 1], [7, 0]],
  ['ArrowRight', [7, 1], [7, 2]],
  ['PageUp', [7, 1], [2, 1]],
  ['PageUp', [3, 1], [0, 1]],
  ['PageDown', [7, 1], [9, 1]],
  ['Home', [7, 2], [0, 2]],
  ['End', [7, 2], [9, 2]],
] as const)('%s moves the focus from row and control %j to %j', (key, [row, control], [toRow, toControl]) => {
  const size = { rows: 10, controls: 3 };
  expect(placeAfter(key, { row, control }, size)).toEqual({ row: toRow, control: toControl });
});

test.each([
  ['ArrowUp', 0, 0],
  ['ArrowDown', 9, 0],
  ['ArrowLeft', 4, 0],
  ['ArrowRight', 4, 2],
  ['a', 4, 1],
])('%s in row %d, control %d leads nowhere', (key, row, control) => {
  expect(placeAfter(key, { row, control }, { rows: 10, controls: 3 })).toBeUndefined();
});
