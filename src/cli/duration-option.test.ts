import { describe, expect, it } from 'vitest';
import { parseDuration } from './duration-option.ts';

describe('parseDuration', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['90s', 90],
    ['30m', 1_800],
    ['12h', 43_200],
    ['7d', 604_800],
    ['30d', 2_592_000],
    ['2592000s', 2_592_000],
  ])('the duration %s is %i seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each(['', '1', '1.5h', '-1h', '1w', '1h30m', '31d', '2592001s', '99999999999s', ' 1h'])(
    'the duration "%s" is rejected',
    (text) => {
      expect(() => parseDuration(text)).toThrow('such as 90s, 30m, 12h or 7d');
    },
  );
});
