import { expect, test } from 'vitest';
import { fuzzyMatch } from './fuzzy-match.ts';

test.each([
  ['new', 'New preset', '[New] preset'],
  ['np', 'New preset', '[N]ew [p]reset'],
  ['N P', 'New preset', '[N]ew [p]reset'],
  ['aud lo', 'Audit log', '[Aud]it [lo]g'],
  ['vs', 'Save votes', undefined],
  ['sv', 'Save vote', '[S]ave [v]ote'],
  ['log', 'Long audit log', 'Long audit [log]'],
  ['tt', 'test-two', '[t]est-[t]wo'],
  ['v12', 'Vote 12', '[V]ote [12]'],
  ['pre', 'Compare', undefined],
  ['are', 'Compare', 'Comp[are]'],
  ['', 'Anything', 'Anything'],
  ['x', '', undefined],
  ['i', 'İ', undefined],
])('the query "%s" in "%s" highlights %s', (query, text, highlighted) => {
  const match = fuzzyMatch(query, text);
  expect(match && highlight(text, match.positions)).toBe(highlighted);
});

test.each([
  ['pre', ['Presets', 'New preset', 'Import request']],
  ['key', ['Keys', 'API keys', 'Make every example yours']],
])('the best match for "%s" comes first', (query, expected) => {
  const scoreOf = (text: string) => fuzzyMatch(query, text)?.score ?? Number.NEGATIVE_INFINITY;
  expect([...expected].reverse().sort((one, other) => scoreOf(other) - scoreOf(one))).toEqual(expected);
});

test('a long text costs little: only its first 100 characters count', () => {
  const match = fuzzyMatch('a'.repeat(10_000), 'a'.repeat(10_000));
  expect(match?.positions).toHaveLength(100);
  expect(fuzzyMatch('z', `${'a'.repeat(98)} z`)).toBeDefined();
  expect(fuzzyMatch('z', `${'a'.repeat(99)} z`)).toBeUndefined();
});

function highlight(text: string, positions: readonly number[]): string {
  return text
    .split('')
    .map((letter, index) => (positions.includes(index) ? `[${letter}]` : letter))
    .join('')
    .replaceAll('][', '');
}
