import { expect, test } from 'vitest';
import { searchGuides } from './search-guides.ts';

const section = (id: string, heading: string, text: string, title = 'Operate') => ({
  name: 'operations',
  id,
  title,
  heading,
  text,
});
const sections = [
  section('', '', 'Monkeys type keys.'),
  section('keys', 'Keys', 'Rotate a key of a client often.'),
  section('upstreams', 'Upstreams', 'To call OpenAI, set OPENAI_API_KEY before the start.'),
  section('openai', 'Move prompts', 'OpenAI stops them. A client needs another key then.'),
];
const idsOf = (query: string) => searchGuides(sections, query).map(({ section: { id } }) => id);

test('words are found in the text, headings first, and only at the start of a word', () => {
  expect(idsOf('key')).toEqual(['keys', '', 'upstreams', 'openai']);
  expect(idsOf('monkey')).toEqual(['']);
  expect(idsOf('eys')).toEqual([]);
});

test('words next to each other count more than the same words apart', () => {
  expect(idsOf('openai key')).toEqual(['upstreams', 'openai']);
  expect(idsOf('openai nothing')).toEqual([]);
});

test('a section that begins with a word is more about it than one that repeats it later', () => {
  const later = section('later', 'Later', `${'other '.repeat(90)} limit limit limit`);
  const first = section('first', 'First', 'The limit of a call is in seconds.');
  expect(searchGuides([later, first], 'limit').map(({ section: { id } }) => id)).toEqual(['first', 'later']);
});

test('characters of regular expressions are text', () => {
  expect(idsOf('(key')).toEqual([]);
  expect(idsOf('*')).toEqual([]);
});

test('a snippet shows where the first word is', () => {
  const long = section('long', 'Long', `${'word '.repeat(40)}needle ${'word '.repeat(60)}`);
  const [found] = searchGuides([long], 'needle');
  expect(found?.snippet).toMatch(/^…word .*needle .*word …$/);
  expect(searchGuides([section('a', 'Needle', 'other')], 'needle')[0]?.snippet).toBe('');
});
