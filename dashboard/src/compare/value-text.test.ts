import { expect, test } from 'vitest';
import { valueText, valueTexts } from './value-text.ts';

const long = 'A text that goes on for so long that nobody would want to read it in quotes.';

test.each([
  ['a short text', 'low', '"low"'],
  ['a number', 0.2, '0.2'],
  ['a short list', ['a', 'b'], '["a", "b"]'],
  ['a short object', { type: 'string' }, '{"type":"string"}'],
  ['a long text', long, long],
  ['a text of two lines', 'a\nb', 'a\nb'],
  ['a long object', { text: long }, `{\n  "text": "${long}"\n}`],
  ['nothing', undefined, ''],
])('formats %s for reading', (_title, value, expected) => {
  expect(valueText(value)).toBe(expected);
});

test('quotes neither of two strings if one is long', () => {
  expect(valueTexts('short', long)).toEqual(['short', long]);
  expect(valueTexts('short', 'other')).toEqual(['"short"', '"other"']);
  expect(valueTexts(null, long)).toEqual(['null', long]);
});
