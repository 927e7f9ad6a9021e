import { describe, expect, it } from 'vitest';
import { parseTime } from './time-option.ts';

describe('parseTime', () => {
  it.each([
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T09:30Z', '2027-01-31T09:30:00.000Z'],
    ['2027-01-31T09:30:15.5+02:00', '2027-01-31T07:30:15.500Z'],
  ])('the time %s is %s in UTC', (text, time) => {
    expect(parseTime(text)).toBe(time);
  });

  it.each(['', 'soon', '2027', '2027-01-31 09:30', '2027-02-31', '2027-13-01', '2027-01-31T25:00Z'])(
    'the time "%s" is rejected',
    (text) => {
      expect(() => parseTime(text)).toThrow('Must be a time such as 2027-01-31');
    },
  );
});
