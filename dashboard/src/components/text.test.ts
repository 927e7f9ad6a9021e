import { describe, expect, test } from 'vitest';
import { charactersMax, formatDollars, headOf, tailOf } from './text.ts';

const full = 'a'.repeat(charactersMax);

describe('headOf and tailOf', () => {
  test('return a text up to the limit unchanged', () => {
    expect(headOf(full)).toBe(full);
    expect(tailOf(full)).toEqual({ shown: full, hidden: 0 });
    expect(tailOf('')).toEqual({ shown: '', hidden: 0 });
  });

  test('cut a longer text at its end or start', () => {
    expect(headOf(`${full}bc`)).toBe(full);
    expect(tailOf(`bc${full}`)).toEqual({ shown: full, hidden: 2 });
  });

  test('drop a surrogate pair that crosses the limit', () => {
    expect(headOf(`${full.slice(1)}🙂b`)).toBe(full.slice(1));
    expect(tailOf(`b🙂${full.slice(1)}`)).toEqual({ shown: full.slice(1), hidden: 3 });
  });

  test('keep a surrogate pair that ends at the limit', () => {
    expect(headOf(`${full.slice(2)}🙂b`)).toBe(`${full.slice(2)}🙂`);
    expect(tailOf(`b🙂${full.slice(2)}`)).toEqual({ shown: `🙂${full.slice(2)}`, hidden: 1 });
  });
});

test.each([
  [0, '$0.00'],
  [0.3, '$0.30'],
  [0.075, '$0.075'],
  [0.00012345, '$0.000123'],
  [0.000_000_4, '$0.0000004'],
  [2.5, '$2.50'],
  [15, '$15.00'],
  [1234.567, '$1,234.57'],
])('%d dollars are shown as %s', (dollars, expected) => {
  expect(formatDollars(dollars)).toBe(expected);
});
