import { describe, expect, it } from 'vitest';
import { lineAndColumn } from './check-request.ts';
import { locateIssues, unknownFieldWarnings, warningsMax } from './locate-issues.ts';

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

const warningsIn = (text: string) => unknownFieldWarnings(text, JSON.parse(text), 'chat-completions');

describe('unknownFieldWarnings', () => {
  it('marks the name of each unknown field and suggests the nearest known one', () => {
    const text = '{\n  "model": "m",\n  "temprature": 1,\n  "messages": [],\n  "a/~b": { "x": 1 }\n}';
    const warnings = warningsIn(text);
    expect(warnings.map(({ from, to }) => text.slice(from, to))).toEqual(['"temprature"', '"a/~b"']);
    expect(warnings.map(({ from }) => lineAndColumn(text, from))).toEqual([
      { line: 3, column: 3 },
      { line: 5, column: 3 },
    ]);
    expect(warnings.map(({ path, message }) => [path, message])).toEqual([
      ['/temprature', 'Unknown field, ignored. Did you mean temperature?'],
      ['/a~1~0b', 'Unknown field, ignored.'],
    ]);
  });

  it.each([
    '{}',
    '{"model": "m", "messages": [{"role": "user", "content": "", "temprature": 1}]}',
    '{"provider": {"unknown": 1}, "reasoning": {"efort": "high"}}',
  ])('returns no warnings for %s, whose top-level fields are all known', (text) => {
    expect(warningsIn(text)).toEqual([]);
  });

  it('treats inherited property names as unknown fields', () => {
    expect(warningsIn('{"constructor": 1, "__proto__": 2}').map(({ path }) => path)).toEqual([
      '/constructor',
      '/__proto__',
    ]);
  });

  it('returns at most a hundred warnings', () => {
    const body = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`unknown_${index}`, 1]));
    expect(warningsIn(JSON.stringify(body))).toHaveLength(warningsMax);
  });
});
