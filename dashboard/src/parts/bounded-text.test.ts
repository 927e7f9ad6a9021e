import { describe, expect, test } from 'vitest';
import { beginningOf, charactersMax, endOf } from './bounded-text.ts';

const full = 'a'.repeat(charactersMax);

describe('a text that is too long to be shown', () => {
  test('is whole up to the bound', () => {
    expect(beginningOf(full)).toBe(full);
    expect(endOf(full)).toEqual({ shown: full, hidden: 0 });
    expect(endOf('')).toEqual({ shown: '', hidden: 0 });
  });

  test('is cut at either side', () => {
    expect(beginningOf(`${full}bc`)).toBe(full);
    expect(endOf(`bc${full}`)).toEqual({ shown: full, hidden: 2 });
  });

  test('is not cut within a letter', () => {
    expect(beginningOf(`${full.slice(1)}🙂b`)).toBe(full.slice(1));
    expect(endOf(`b🙂${full.slice(1)}`)).toEqual({ shown: full.slice(1), hidden: 3 });
  });

  test('keeps a letter that ends at the bound', () => {
    expect(beginningOf(`${full.slice(2)}🙂b`)).toBe(`${full.slice(2)}🙂`);
    expect(endOf(`b🙂${full.slice(2)}`)).toEqual({ shown: `🙂${full.slice(2)}`, hidden: 1 });
  });
});
