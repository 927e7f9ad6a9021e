import { describe, expect, it } from 'vitest';
import { nameProblem } from './name.ts';

describe('nameProblem', () => {
  it.each([
    ['nothing', ''],
    ['spaces', ' \u00a0\u3000\u2009'],
    ['zero-width spaces', '\u200b\u2060\ufeff'],
    ['direction marks', '\u202e\u2066\u200f'],
    ['fillers', '\u3164\uffa0\u115f\u2800'],
    ['variation selectors and tags', '\ufe0f\u{e0041}\u{e0100}'],
  ])('rejects a name of nothing but %s', (_, name) => {
    expect(nameProblem(name)).toBe('must contain a visible character');
    expect(nameProblem(`${name}a${name}`)).toBeUndefined();
  });

  it.each(['a', 'Größe', '日本語', 'می\u200cخواهم', '👩\u200d💻', '.'])('accepts the name %s', (name) =>
    expect(nameProblem(name)).toBeUndefined(),
  );

  it.each(['a\nb', 'a\r\nX-Evil: 1', '\u001b[31mred', 'a\u0085b', 'a\u007f'])(
    'rejects control characters in the name %j',
    (name) => expect(nameProblem(name)).toBe('must not contain line breaks or other control characters'),
  );
});
