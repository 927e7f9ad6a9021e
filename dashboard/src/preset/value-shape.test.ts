import { expect, test } from 'vitest';
import { parseExactJson } from '../api/exact-json.ts';
import { fitsOutline, isJsonObject, isScalar } from './value-shape.ts';

test('treats a raw number as a scalar', () => {
  const exact = parseExactJson('12345678901234567890');
  expect([typeof exact, isScalar(exact), isJsonObject(exact)]).toEqual(['object', true, false]);
  expect(fitsOutline({ seed: exact })).toBe(true);
});

test.each([
  [{ effort: 'high', exclude: false }, true],
  [{ a: { b: { c: 1 } } }, true],
  [{ a: { b: { c: { d: 1 } } } }, false],
  [Array.from({ length: 39 }, () => 1), true],
  [Array.from({ length: 40 }, () => 1), false],
  [{ json_schema: { schema: { type: 'object', properties: { a: { b: { c: {} } } } } } }, true],
])('%j fits an outline: %s', (value, expected) => {
  expect(fitsOutline(value)).toBe(expected);
});
