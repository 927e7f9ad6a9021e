import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePoint } from '../../../test/support/arbitrary-text.ts';
import { nameKey, nameProblem } from './name.ts';

describe('nameProblem', () => {
  it.each([
    ['nothing', ''],
    ['spaces', ' \u00a0\u3000\u2009'],
    ['zero-width spaces', '\u200b\u2060\ufeff'],
    ['direction marks', '\u202e\u2066\u200f'],
    ['fillers', '\u3164\uffa0\u115f\u2800'],
    ['variation selectors and tags', '\ufe0f\u{e0041}\u{e0100}'],
  ])('a name of nothing but %s is rejected', (_, name) => {
    expect(nameProblem(name)).toBe('must contain a visible character');
    expect(nameProblem(`${name}a${name}`)).toBeUndefined();
  });

  it.each(['a', 'Größe', '日本語', 'می\u200cخواهم', '👩\u200d💻', '.'])('the name %s is accepted', (name) =>
    expect(nameProblem(name)).toBeUndefined(),
  );

  it.each(['a\nb', 'a\r\nX-Evil: 1', '\u001b[31mred', 'a\u0085b', 'a\u007f'])(
    'rejects control characters in the name %j',
    (name) => expect(nameProblem(name)).toBe('must not contain line breaks or other control characters'),
  );
});

describe('nameKey', () => {
  it.each([
    ['Zoë', 'zoe\u0308'],
    ['ÅNGSTRÖM', 'a\u030angstro\u0308m'],
    // Lower case comes before the normal form: Ά has a lower case that is not normalized.
    ['\u1fbb', '\u03ac'],
    ['\u212a', 'k'],
    // İ becomes an i with a dot above, which comes after a mark below.
    ['\u0130\u0316', 'i\u0316\u0307'],
  ])('%s and %s have the same key', (one, other) => expect(nameKey(one)).toBe(nameKey(other)));

  it.each([
    ['a', 'á'],
    ['fi', '\ufb01'],
    ['a', '\uff41'],
    ['a', 'a '],
  ])('%j and %j have different keys', (one, other) => expect(nameKey(one)).not.toBe(nameKey(other)));

  it('the key of a name does not depend on case and normal form', () => {
    const text = fc.string({ unit: fc.oneof(fc.constantFrom(...'aÅéΣ\u0301\u0345\u0307'), codePoint) });
    fc.assert(
      fc.property(text, (name) => {
        const key = nameKey(name);
        const variants = [name.normalize('NFC'), name.normalize('NFD'), name.toLowerCase(), key];
        for (const variant of variants) expect(nameKey(variant)).toBe(key);
      }),
    );
  });
});
