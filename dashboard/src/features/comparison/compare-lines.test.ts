import { describe, expect, test } from 'vitest';
import { compareLines, foldLines, type LinePair } from './compare-lines.ts';

/** One line per pair, like a two-column diff. */
function sides(pairs: readonly LinePair[]): readonly string[] {
  return pairs.map(({ from, to, isSame }) => `${from?.text ?? '·'} ${isSame ? '=' : '|'} ${to?.text ?? '·'}`);
}

describe('compareLines', () => {
  test.each([
    ['pairs equal lines', 'a\nb', 'a\nb', ['a = a', 'b = b']],
    ['leaves the other side of an added line empty', 'a\nc', 'a\nb\nc', ['a = a', '· | b', 'c = c']],
    ['leaves the other side of a removed line empty', 'a\nb\nc', 'a\nc', ['a = a', 'b | ·', 'c = c']],
    ['treats an empty text as no lines', '', 'a\nb', ['· | a', '· | b']],
    ['treats a final newline as a change', 'a', 'a\n', ['a = a', '· | ']],
    [
      'pairs a changed line with its old version, even after an added line',
      'start\nBe brief and kind to all.\nend',
      'start\nSay hello.\nBe brief and very kind to all.\nend',
      [
        'start = start',
        '· | Say hello.',
        'Be brief and kind to all. | Be brief and very kind to all.',
        'end = end',
      ],
    ],
    ['pairs unrelated lines in order', 'one\ntwo', 'three', ['one | three', 'two | ·']],
    ['treats different line endings as a change', 'a\r\nb', 'a\nb', ['a\r | a', 'b = b']],
  ])('%s', (_title, from, to, expected) => {
    expect(sides(compareLines(from, to).pairs)).toEqual(expected);
  });

  test('numbers each line within its own text', () => {
    const { pairs } = compareLines('a\nb\nc', 'x\na\nc');
    expect(pairs.map(({ from, to }) => [from?.number, to?.number])).toEqual([
      [undefined, 1],
      [1, 2],
      [2, undefined],
      [3, 3],
    ]);
  });

  test('every comparison contains both texts completely', () => {
    for (let seed = 1; seed < 200; seed += 1) {
      const [from, to] = [randomText(seed), randomText(seed * 7 + 3)];
      const { pairs } = compareLines(from, to);
      expect(read(pairs, 'from')).toBe(from);
      expect(read(pairs, 'to')).toBe(to);
      for (const { from: one, to: other, isSame } of pairs) expect(isSame).toBe(one?.text === other?.text);
    }
  });

  test('compares two texts of a mebibyte without common lines in detail', () => {
    const one = Array.from({ length: 60_000 }, (_, index) => `line ${index} of one`).join('\n');
    const other = Array.from({ length: 60_000 }, (_, index) => `row ${index} of other`).join('\n');
    const { pairs, isCoarse } = compareLines(`same\n${one}\nend`, `same\n${other}\nend`);
    expect(isCoarse).toBe(false);
    expect([pairs[0]?.isSame, pairs[1]?.isSame, pairs.at(-1)?.isSame]).toEqual([true, false, true]);
  });

  test('marks everything between the common start and end as changed if comparing takes too much work', () => {
    const text = (seed: number) => Array.from({ length: 200 }, (_, at) => randomText(seed + at)).join('\n');
    const many = (seed: number) => Array.from({ length: 100 }, (_, at) => text(seed + 200 * at)).join('\n');
    const [from, to] = [`same\n${many(1)}\nend`, `same\n${many(90_000)}\nend`];
    const { pairs, isCoarse } = compareLines(from, to);
    expect(isCoarse).toBe(true);
    expect([pairs[0]?.isSame, pairs.at(-1)?.isSame]).toEqual([true, true]);
    expect([read(pairs, 'from') === from, read(pairs, 'to') === to]).toEqual([true, true]);
  });
});

function read(pairs: readonly LinePair[], side: 'from' | 'to'): string {
  return pairs.flatMap((pair) => pair[side]?.text ?? []).join('\n');
}

/** A few lines from a small set, deterministic for a seed. */
function randomText(seed: number): string {
  const lines = ['a', 'b', 'c', 'Be kind to all', 'Be kind to most', ''];
  let state = seed;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state;
  };
  return Array.from({ length: 1 + (next() % 12) }, () => lines[next() % lines.length]).join('\n');
}

function lines(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, index) => String(from + index)).join('\n');
}

function folded(from: string, to: string): readonly string[] {
  return foldLines(compareLines(from, to).pairs).map(
    ({ isFolded, pairs }) =>
      `${isFolded ? 'folded' : 'shown'} ${pairs.map(({ from, to }) => to?.text ?? from?.text).join(' ')}`,
  );
}

test('unchanged lines are folded except three around each change', () => {
  expect(folded(`${lines(1, 10)}\nold\n${lines(11, 20)}`, `${lines(1, 10)}\nnew\n${lines(11, 20)}`)).toEqual([
    'folded 1 2 3 4 5 6 7',
    'shown 8 9 10 new 11 12 13',
    'folded 14 15 16 17 18 19 20',
  ]);
});

test('two nearby changes are shown as one section', () => {
  expect(folded(`x\n${lines(1, 8)}\ny`, `a\n${lines(1, 8)}\nb`)).toEqual(['shown a 1 2 3 4 5 6 7 8 b']);
  expect(folded(`x\n${lines(1, 9)}\ny`, `a\n${lines(1, 9)}\nb`)).toEqual([
    'shown a 1 2 3',
    'folded 4 5 6',
    'shown 7 8 9 b',
  ]);
});

test('nothing is folded if every line changed', () => {
  expect(folded('a\nb', 'c\nd')).toEqual(['shown c d']);
});
