import { describe, expect, it } from 'vitest';
import { lineAndColumn } from './line-and-column.ts';
import { placeIssues } from './place-issues.ts';

const text = `{
  "model": 3,
  "messages": [
    { "role": "user", "content": [{ "type": "text", "text": 1 }] },
    "second"
  ],
  "a/b": { "c~d": true },
  "~1": false,
  "": "empty name",
  "twice": 1,
  "twice": 2
}`;

describe('placeIssues', () => {
  it.each<[pointer: string, marked: string, line: number]>([
    ['', '{', 1],
    ['/model', '3', 2],
    ['/messages', '"messages"', 3],
    ['/messages/0', '{', 4],
    ['/messages/0/role', '"user"', 4],
    ['/messages/0/content', '"content"', 4],
    ['/messages/0/content/0/text', '1', 4],
    ['/messages/1', '"second"', 5],
    ['/a~1b/c~0d', 'true', 7],
    ['/~01', 'false', 8],
    ['/', '"empty name"', 9],
    ['/twice', '2', 11],
  ])('%j is the place of %s', (path, marked, line) => {
    const [placed] = placeIssues(text, [{ path, message: 'is wrong' }]);
    expect(placed).toMatchObject({ path, message: 'is wrong' });
    expect(text.slice(placed?.from, placed?.to)).toBe(marked);
    expect(lineAndColumn(text, placed?.from ?? 0).line).toBe(line);
  });

  it.each<[title: string, pointer: string, marked: string]>([
    ['a field of the request', '/max_tokens', '{'],
    ['a field of an item', '/messages/0/name', '{'],
    ['a field of a named object', '/a~1b/missing', '"a/b"'],
    ['an item', '/messages/7', '"messages"'],
    ['a name where there are items', '/messages/first', '"messages"'],
    ['what a value cannot have', '/model/x', '3'],
  ])('%s that is missing is where it would have been', (_title, path, marked) => {
    const [placed] = placeIssues(text, [{ path, message: 'is required' }]);
    expect(text.slice(placed?.from, placed?.to)).toBe(marked);
  });

  it('follows the order of the text', () => {
    const issues = ['/twice', '', '/messages/0'].map((path) => ({ path, message: 'is wrong' }));
    expect(placeIssues(text, issues).map(({ path }) => path)).toEqual(['', '/messages/0', '/twice']);
  });

  it('has a place even where there is no text', () => {
    expect(placeIssues('', [{ path: '/a', message: 'is wrong' }])).toMatchObject([{ from: 0, to: 0 }]);
  });
});
