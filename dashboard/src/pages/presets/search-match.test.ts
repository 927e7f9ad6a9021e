import { expect, test } from 'vitest';
import { findSnippet, hiddenMatches } from './search-match.ts';

const preset = {
  name: 'Support bot',
  slug: 'support-bot',
  description: 'For Acme',
  tags: ['eu'],
  aliases: ['helper'],
  model: 'openai/gpt-5',
};

test.each([
  ['', []],
  ['sup EU open', []],
  ['helper acme', []],
  ['deliver bot', ['deliver']],
  ['port', ['port']],
])('the search %j needs the prompt for %j', (q, words) => {
  expect(hiddenMatches(q, preset)).toEqual(words);
});

test.each([
  ['Never promise a date.', ['prom'], { before: 'Never ', match: 'prom', after: 'ise a date.' }],
  ['Over\n\nNEVER  promise', ['never'], { before: 'Over ', match: 'NEVER', after: ' promise' }],
  ['Zürich 24h', ['24h'], { before: 'Zürich ', match: '24h', after: '' }],
  [
    `${'word '.repeat(20)}promise${' more'.repeat(40)}`,
    ['promise'],
    { before: '…word word word word ', match: 'promise', after: `${' more'.repeat(16)}…` },
  ],
])('the snippet of %j for %j shows where it matches', (text, words, snippet) => {
  expect(findSnippet(text, words)).toEqual(snippet);
});

test('there is no snippet without a word that begins like one of the search', () => {
  expect(findSnippet('Compromise.', ['promise'])).toBeUndefined();
  expect(findSnippet('Anything', [])).toBeUndefined();
});
