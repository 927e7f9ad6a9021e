import { afterEach, expect, test, vi } from 'vitest';
import { markWords, type Piece } from './mark-words.ts';

/** What is changed in brackets. */
function marked(pieces: readonly Piece[]): string {
  return pieces.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('');
}

test.each([
  ['a word that was put in', 'Be kind.', 'Be very kind.', 'Be kind.', 'Be [very ]kind.'],
  [
    'a word that became another',
    'Answer in German.',
    'Answer in Dutch.',
    'Answer in [German].',
    'Answer in [Dutch].',
  ],
  [
    'several words, with the spaces between them',
    'Please say nothing at all about prices',
    'Please say something nice to everybody about prices',
    'Please say [nothing at all] about prices',
    'Please say [something nice to everybody] about prices',
  ],
  ['a space alone', 'a b c', 'a  b c', 'a[ ]b c', 'a[  ]b c'],
  [
    'letters of any alphabet as words',
    'скажи привет всем',
    'скажи пока всем',
    'скажи [привет] всем',
    'скажи [пока] всем',
  ],
  [
    'signs one by one where there are no spaces',
    '今日は雨です',
    '今日は晴です',
    '今日は[雨]です',
    '今日は[晴]です',
  ],
  ['lines that share little as a whole', 'one two three', 'four five a', '[one two three]', '[four five a]'],
])('marks %s', (_title, from, to, expectedFrom, expectedTo) => {
  const words = markWords(from, to);
  expect([marked(words.from), marked(words.to)]).toEqual([expectedFrom, expectedTo]);
});

afterEach(() => vi.restoreAllMocks());

test('the words of a line are marked however slow the machine is', () => {
  let now = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => {
    now += 60_000;
    return now;
  });
  expect(marked(markWords('Be brief and kind.', 'Be brief and very kind.').to)).toBe(
    'Be brief and [very ]kind.',
  );
});

test('a long line with a word changed is marked at that word', () => {
  const before = 'All work and no play. '.repeat(40_000);
  const { from, to } = markWords(`${before}End.`, `${before}Stop.`);
  expect([from.at(-2)?.text, to.at(-2)?.text]).toEqual(['End', 'Stop']);
});

test('a long line in which too much changed is changed as a whole', () => {
  const line = (word: string) => Array.from({ length: 5_000 }, (_, index) => `${word}${index} and`).join(' ');
  expect(markWords(line('a'), line('b')).from).toHaveLength(1);
});

test('hundreds of long lines that were rewritten are told as that in time', () => {
  const line = (word: string, at: number) =>
    Array.from({ length: 300 }, (_, index) => `${word}${at * index}`).join(' ');
  const start = performance.now();
  for (let at = 1; at <= 400; at += 1) expect(markWords(line('a', at), line('b', at)).to).toHaveLength(1);
  expect(performance.now() - start).toBeLessThan(4_000);
});
