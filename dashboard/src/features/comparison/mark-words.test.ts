import { afterEach, expect, test, vi } from 'vitest';
import { markWords, type Segment } from './mark-words.ts';

/** Puts changed segments in brackets. */
function marked(segments: readonly Segment[]): string {
  return segments.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('');
}

test.each([
  ['an inserted word', 'Be kind.', 'Be very kind.', 'Be kind.', 'Be [very ]kind.'],
  ['a replaced word', 'Answer in German.', 'Answer in Dutch.', 'Answer in [German].', 'Answer in [Dutch].'],
  [
    'several words together with the spaces between them',
    'Please say nothing at all about prices',
    'Please say something nice to everybody about prices',
    'Please say [nothing at all] about prices',
    'Please say [something nice to everybody] about prices',
  ],
  ['a changed space', 'a b c', 'a  b c', 'a[ ]b c', 'a[  ]b c'],
  [
    'words in any alphabet',
    'скажи привет всем',
    'скажи пока всем',
    'скажи [привет] всем',
    'скажи [пока] всем',
  ],
  [
    'single characters in scripts without spaces',
    '今日は雨です',
    '今日は晴です',
    '今日は[雨]です',
    '今日は[晴]です',
  ],
  ['dissimilar lines as a whole', 'one two three', 'four five a', '[one two three]', '[four five a]'],
])('a comparison marks %s', (_title, from, to, expectedFrom, expectedTo) => {
  const words = markWords(from, to);
  expect([marked(words.from), marked(words.to)]).toEqual([expectedFrom, expectedTo]);
});

afterEach(() => vi.restoreAllMocks());

test('marked words do not depend on the clock', () => {
  let now = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => {
    now += 60_000;
    return now;
  });
  expect(marked(markWords('Be brief and kind.', 'Be brief and very kind.').to)).toBe(
    'Be brief and [very ]kind.',
  );
});

test('a single changed word in a long line is marked', () => {
  const before = 'All work and no play. '.repeat(40_000);
  const { from, to } = markWords(`${before}End.`, `${before}Stop.`);
  expect([from.at(-2)?.text, to.at(-2)?.text]).toEqual(['End', 'Stop']);
});

test('a long line is marked as a whole if too much of it changed', () => {
  const line = (word: string) => Array.from({ length: 5_000 }, (_, index) => `${word}${index} and`).join(' ');
  expect(markWords(line('a'), line('b')).from).toHaveLength(1);
});

test('hundreds of rewritten long lines are marked within seconds', () => {
  const line = (word: string, at: number) =>
    Array.from({ length: 300 }, (_, index) => `${word}${at * index}`).join(' ');
  const start = performance.now();
  for (let at = 1; at <= 400; at += 1) expect(markWords(line('a', at), line('b', at)).to).toHaveLength(1);
  // A second on an idle machine.
  expect(performance.now() - start).toBeLessThan(20_000);
});
