import { describe, expect, it } from 'vitest';
import { readExpiry } from './expiry-field.tsx';

const noon = new Date(2027, 0, 31, 12).getTime();

describe('readExpiry', () => {
  it.each([
    ['keep', undefined],
    ['never', null],
    ['30', new Date(noon + 30 * 86_400_000).toISOString()],
    ['90', new Date(noon + 90 * 86_400_000).toISOString()],
  ] as const)('reads "%s" as %s', (choice, at) => {
    expect(readExpiry({ choice, date: '' }, noon)).toEqual({ at });
  });

  it('reads a date as the end of that local day, even if it is today', () => {
    expect(readExpiry({ choice: 'date', date: '2027-01-31' }, noon)).toEqual({
      at: new Date(2027, 1, 1).toISOString(),
    });
  });

  it.each([
    ['', 'Choose a date.'],
    ['2027-02-30', 'Choose a date.'],
    ['2027-01-30', 'Choose today or a later date. To stop the key now, disable it.'],
  ])('rejects the date "%s"', (date, problem) => {
    expect(readExpiry({ choice: 'date', date }, noon)).toEqual({ problem });
  });
});
