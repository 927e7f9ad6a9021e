import { describe, expect, it } from 'vitest';
import { lineAndColumn } from './line-and-column.ts';
import { unknownFieldWarnings, warningsMax } from './unknown-field-warnings.ts';

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
