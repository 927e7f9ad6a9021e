import { describe, expect, it } from 'vitest';
import { parseCount, parseDuration, parsePageLimit, parseTime } from './options.ts';

describe('parseCount', () => {
  it.each(['0', '007', '999999999'])('the count %s is accepted', (text) => {
    expect(parseCount(text)).toBe(Number(text));
  });

  it.each(['', '-1', '1.5', 'x1', '1x', '1000000000'])('the count "%s" is rejected', (text) => {
    expect(() => parseCount(text)).toThrow('Must be a whole number.');
  });
});

describe('parsePageLimit', () => {
  it.each(['1', '100'])('the limit %s is accepted', (text) => {
    expect(parsePageLimit(text)).toBe(Number(text));
  });

  it.each(['0', '101'])('the limit %s is rejected', (text) => {
    expect(() => parsePageLimit(text)).toThrow('Must be from 1 to 100.');
  });
});

describe('parseTime', () => {
  it.each([
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T09:30Z', '2027-01-31T09:30:00.000Z'],
    ['2027-01-31T09:30:15.5+02:00', '2027-01-31T07:30:15.500Z'],
  ])('the time %s is %s in UTC', (text, time) => {
    expect(parseTime(text)).toBe(time);
  });

  it.each([
    '',
    'soon',
    '2027',
    '2027-01-31 09:30',
    '2027-02-31',
    '2027-13-01',
    '2027-01-31T25:00Z',
    '+2027-01-31',
    '2027-01-31 Z',
  ])('the time "%s" is rejected', (text) => {
    expect(() => parseTime(text)).toThrow('Must be a time such as 2027-01-31');
  });
});

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
