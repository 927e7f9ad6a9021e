import { expect, test } from 'vitest';
import { linesOf, similarKey } from './lines.ts';

interface Fruit {
  readonly day: string;
  readonly kind: string;
}

const groups = { headingOf: ({ day }: Fruit) => day, similarityOf: ({ kind }: Fruit) => kind };

/** From "1a": the day, then the kind. */
function itemsOf(texts: readonly string[]) {
  return texts.map(([day = '', kind = ''], index) => ({ id: String(index), row: { day, kind } }));
}

/** Rows by their id, with the number of hidden ones. */
function shown(texts: readonly string[], open: readonly string[] = [], isGrouped = true) {
  return linesOf(itemsOf(texts), new Set(open), isGrouped ? groups : undefined).map((line) => {
    if (line.kind === 'heading') return `# ${line.text}`;
    if (line.kind === 'details') return line.key;
    return line.similar === 0 ? line.id : `${line.id} +${line.similar}`;
  });
}

test.each([
  ['a heading precedes the rows of each day', ['1a', '1b', '2b'], [], ['# 1', '0', '1', '# 2', '2']],
  ['three similar rows are shown as one', ['1a', '1b', '1b', '1b', '1a'], [], ['# 1', '0', '1 +2', '4']],
  ['two similar rows are shown', ['1a', '1a', '1b'], [], ['# 1', '0', '1', '2']],
  ['similar rows of two days are not one', ['1a', '1a', '2a'], [], ['# 1', '0', '1', '# 2', '2']],
  ['similar rows can be opened', ['1a', '1a', '1a'], [similarKey('0')], ['# 1', '0 +2', '1', '2']],
  ['the details of a row follow it', ['1a', '1a', '1a'], ['0'], ['# 1', '0 +2', 'details 0']],
])('%s', (_, texts, open, lines) => {
  expect(shown(texts, open)).toEqual(lines);
});

test('rows are not grouped without options', () => {
  expect(shown(['1a', '1a', '1a'], ['1'], false)).toEqual(['0', '1', 'details 1', '2']);
});

test('a run of similar rows ends after a page, so that loading more adds lines', () => {
  expect(shown(Array.from({ length: 250 }, () => '1a'))).toEqual(['# 1', '0 +99', '100 +99', '200 +49']);
});
