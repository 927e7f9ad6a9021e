import { describe, expect, it } from 'vitest';
import { nameProblem } from './preset-name.ts';

describe('a name', () => {
  it.each([
    ['nothing', ''],
    ['blanks', ' \u00a0\u3000\u2009'],
    ['blanks of no width', '\u200b\u2060\ufeff'],
    ['marks of direction', '\u202e\u2066\u200f'],
    ['fillers', '\u3164\uffa0\u115f\u2800'],
    ['selectors and tags', '\ufe0f\u{e0041}\u{e0100}'],
  ])('must have a visible character, and has none of %s', (_, name) => {
    expect(nameProblem(name)).toBe('must have a visible character');
    expect(nameProblem(`${name}a${name}`)).toBeUndefined();
  });

  it.each(['a', 'Größe', '日本語', 'می\u200cخواهم', '👩\u200d💻', '.'])('may be %s', (name) =>
    expect(nameProblem(name)).toBeUndefined(),
  );

  it.each(['a\nb', 'a\r\nX-Evil: 1', '\u001b[31mred', 'a\u0085b', 'a\u007f'])(
    'stands in one line: %j',
    (name) => expect(nameProblem(name)).toBe('must not have line breaks or other control characters'),
  );
});
