import { describe, expect, it } from 'vitest';
import { lineAndColumn } from './line-and-column.ts';
import { unknownFieldWarnings, warningsMax } from './unknown-field-warnings.ts';

const warningsIn = (text: string) => unknownFieldWarnings(text, JSON.parse(text), 'chat-completions');

describe('unknownFieldWarnings', () => {
  it('marks the name of each unknown field at its line, with the nearest known one', () => {
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
  ])('finds none in %s, where every top-level field is known', (text) => {
    expect(warningsIn(text)).toEqual([]);
  });

  it('takes the names that an object inherits for unknown ones', () => {
    expect(warningsIn('{"constructor": 1, "__proto__": 2}').map(({ path }) => path)).toEqual([
      '/constructor',
      '/__proto__',
    ]);
  });

  it('stops at a hundred', () => {
    const body = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`unknown_${index}`, 1]));
    expect(warningsIn(JSON.stringify(body))).toHaveLength(warningsMax);
  });
});
