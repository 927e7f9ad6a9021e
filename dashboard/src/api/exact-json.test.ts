import { describe, expect, it } from 'vitest';
import { parseExactJson } from './exact-json.ts';

describe('parseExactJson', () => {
  it.each([
    '12345678901234567890',
    '0.1000000000000000055511151231257827',
    '-9007199254740993',
    '1e400',
    '{"seed":12345678901234567890,"list":[1.00000000000000000001]}',
  ])('serializes %s with the same digits', (text) => {
    expect(JSON.stringify(parseExactJson(text))).toBe(text);
  });

  it.each([
    ['1', 1],
    ['1.0', 1],
    ['1.50', 1.5],
    ['-0.25', -0.25],
    ['1e3', 1000],
    ['12E-1', 1.2],
    ['0', 0],
    ['0.0', 0],
    ['1e21', 1e21],
    ['100000000000000000000000', 1e23],
    ['5e-324', 5e-324],
  ])('parses %s as an ordinary number', (text, value) => {
    expect(parseExactJson(text)).toBe(value);
  });

  it('parses strings, null, booleans and lists unchanged', () => {
    const value = { text: '12345678901234567890', none: null, yes: true, list: ['a', {}] };
    expect(parseExactJson(JSON.stringify(value))).toEqual(value);
  });
});
