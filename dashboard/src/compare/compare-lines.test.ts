import { describe, expect, test } from 'vitest';
import { compareLines, type LinePair } from './compare-lines.ts';

/** One line for each pair, as the two sides of a table. */
function sides(pairs: readonly LinePair[]): readonly string[] {
  return pairs.map(({ from, to, isSame }) => `${from?.text ?? '·'} ${isSame ? '=' : '|'} ${to?.text ?? '·'}`);
}

describe('two texts by lines', () => {
  test.each([
    ['equal lines stand beside each other', 'a\nb', 'a\nb', ['a = a', 'b = b']],
    ['a line that was added has nothing beside it', 'a\nc', 'a\nb\nc', ['a = a', '· | b', 'c = c']],
    ['a line that was removed has nothing beside it', 'a\nb\nc', 'a\nc', ['a = a', 'b | ·', 'c = c']],
    ['a text that was empty has no lines', '', 'a\nb', ['· | a', '· | b']],
    ['an end of line at the end counts', 'a', 'a\n', ['a = a', '· | ']],
    [
      'a changed line stands beside what it was, also after one that is new',
      'start\nBe brief and kind to all.\nend',
      'start\nSay hello.\nBe brief and very kind to all.\nend',
      [
        'start = start',
        '· | Say hello.',
        'Be brief and kind to all. | Be brief and very kind to all.',
        'end = end',
      ],
    ],
    [
      'lines that have nothing in common stand beside each other',
      'one\ntwo',
      'three',
      ['one | three', 'two | ·'],
    ],
    ['how a line ends is part of it', 'a\r\nb', 'a\nb', ['a\r | a', 'b = b']],
  ])('%s', (_title, from, to, expected) => {
    expect(sides(compareLines(from, to).pairs)).toEqual(expected);
  });

  test('every line has the number that it has in its own text', () => {
    const { pairs } = compareLines('a\nb\nc', 'x\na\nc');
    expect(pairs.map(({ from, to }) => [from?.number, to?.number])).toEqual([
      [undefined, 1],
      [1, 2],
      [2, undefined],
      [3, 3],
    ]);
  });

  test('both texts can be read from any comparison', () => {
    for (let seed = 1; seed < 200; seed += 1) {
      const [from, to] = [randomText(seed), randomText(seed * 7 + 3)];
      const { pairs } = compareLines(from, to);
      expect(read(pairs, 'from')).toBe(from);
      expect(read(pairs, 'to')).toBe(to);
      for (const { from: one, to: other, isSame } of pairs) expect(isSame).toBe(one?.text === other?.text);
    }
  });

  test('texts of a mebibyte that share no line are compared in detail', () => {
    const one = Array.from({ length: 60_000 }, (_, index) => `line ${index} of one`).join('\n');
    const other = Array.from({ length: 60_000 }, (_, index) => `row ${index} of other`).join('\n');
    const { pairs, isCoarse } = compareLines(`same\n${one}\nend`, `same\n${other}\nend`);
    expect(isCoarse).toBe(false);
    expect([pairs[0]?.isSame, pairs[1]?.isSame, pairs.at(-1)?.isSame]).toEqual([true, false, true]);
  });

  test('texts whose comparison takes too much work are changed between their equal ends', () => {
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

/** A few lines out of a few, the same for the same seed. */
function randomText(seed: number): string {
  const lines = ['a', 'b', 'c', 'Be kind to all', 'Be kind to most', ''];
  let state = seed;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state;
  };
  return Array.from({ length: 1 + (next() % 12) }, () => lines[next() % lines.length]).join('\n');
}
