import { describe, expect, it } from 'vitest';
import { lineAndColumn } from './line-and-column.ts';
import { locateIssues } from './locate-issues.ts';

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
  ])('%j marks %s', (path, marked, line) => {
    const [located] = locateIssues(text, [{ path, message: 'is wrong' }]);
    expect(located).toMatchObject({ path, message: 'is wrong' });
    expect(text.slice(located?.from, located?.to)).toBe(marked);
    expect(lineAndColumn(text, located?.from ?? 0).line).toBe(line);
  });

  it.each<[title: string, pointer: string, marked: string]>([
    ['a field of the request', '/max_tokens', '{'],
    ['a field of an item', '/messages/0/name', '{'],
    ['a field of a named object', '/a~1b/missing', '"a/b"'],
    ['an item', '/messages/7', '"messages"'],
    ['a name where there are items', '/messages/first', '"messages"'],
    ['a field of a scalar', '/model/x', '3'],
  ])('a missing part marks its nearest parent: %s', (_title, path, marked) => {
    const [located] = locateIssues(text, [{ path, message: 'is required' }]);
    expect(text.slice(located?.from, located?.to)).toBe(marked);
  });

  it('sorts issues by their position in the text', () => {
    const issues = ['/twice', '', '/messages/0'].map((path) => ({ path, message: 'is wrong' }));
    expect(locateIssues(text, issues).map(({ path }) => path)).toEqual(['', '/messages/0', '/twice']);
  });

  it('marks the start of an empty text', () => {
    expect(locateIssues('', [{ path: '/a', message: 'is wrong' }])).toMatchObject([{ from: 0, to: 0 }]);
  });
});
