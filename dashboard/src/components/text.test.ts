import { describe, expect, test } from 'vitest';
import { charactersMax, headOf, tailOf } from './text.ts';

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
