import { expect, it } from 'vitest';
import { requestIdOf } from './headers.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

it.each([
  ['a single letter', 'a'],
  ['a trace id with punctuation', '0af7651916cd43dd8448eb211c80319c-b7ad:71_69.20'],
  ['128 characters', 'x'.repeat(128)],
])('a request id of %s is accepted', (_title, id) => {
  expect(requestIdOf({ 'x-request-id': id })).toBe(id);
});

it.each([
  ['no characters', ''],
  ['129 characters', 'x'.repeat(129)],
  ['12,800 characters', 'x'.repeat(12_800)],
  ['two words', 'two words'],
  ['a quote', 'a"b'],
  ['a trailing line feed', 'a\n'],
  ['a letter outside ASCII', 'ä'],
])('a request id of %s is replaced', (_title, id) => {
  expect(requestIdOf({ 'x-request-id': id })).toMatch(uuid);
});

it('every request without an id gets a new one', () => {
  expect(requestIdOf({})).toMatch(uuid);
  expect(requestIdOf({})).not.toBe(requestIdOf({}));
});
