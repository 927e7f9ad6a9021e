import { expect, test } from 'vitest';
import { compareLines } from './compare-lines.ts';
import { foldLines } from './fold-lines.ts';

function lines(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, index) => String(from + index)).join('\n');
}

function folded(from: string, to: string): readonly string[] {
  return foldLines(compareLines(from, to).pairs).map(
    ({ isFolded, pairs }) =>
      `${isFolded ? 'folded' : 'shown'} ${pairs.map(({ from, to }) => to?.text ?? from?.text).join(' ')}`,
  );
}

test('folds unchanged lines except three around each change', () => {
  expect(folded(`${lines(1, 10)}\nold\n${lines(11, 20)}`, `${lines(1, 10)}\nnew\n${lines(11, 20)}`)).toEqual([
    'folded 1 2 3 4 5 6 7',
    'shown 8 9 10 new 11 12 13',
    'folded 14 15 16 17 18 19 20',
  ]);
});

test('shows two nearby changes as one section', () => {
  expect(folded(`x\n${lines(1, 8)}\ny`, `a\n${lines(1, 8)}\nb`)).toEqual(['shown a 1 2 3 4 5 6 7 8 b']);
  expect(folded(`x\n${lines(1, 9)}\ny`, `a\n${lines(1, 9)}\nb`)).toEqual([
    'shown a 1 2 3',
    'folded 4 5 6',
    'shown 7 8 9 b',
  ]);
});

test('folds nothing if every line changed', () => {
  expect(folded('a\nb', 'c\nd')).toEqual(['shown c d']);
});
