import { describe, expect, it } from 'vitest';
import { indentJson } from './api-command.ts';

describe('indentJson', () => {
  it.each([
    { a: 1, b: [1, 2, { c: null }], d: {}, e: [], f: [[]], g: true },
    { 'with "quotes" and \\ and, a: comma{': 'x\\"]}', '': [''] },
    [],
    'text',
    12,
  ])('indentJson lays out %j like JSON.stringify', (value) => {
    expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    expect(indentJson(JSON.stringify(value, null, 4))).toBe(JSON.stringify(value, null, 2));
  });

  it('indentJson keeps all digits of numbers and the order of keys', () => {
    expect(indentJson('{"b":18446744073709551615,"2":1.50,"1":1E400}')).toBe(
      '{\n  "b": 18446744073709551615,\n  "2": 1.50,\n  "1": 1E400\n}',
    );
  });
});
