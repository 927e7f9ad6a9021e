import { describe, expect, it } from 'vitest';
import { endOfDay, startOfDay } from './days.ts';

describe('startOfDay and endOfDay', () => {
  it('return midnight in local time', () => {
    expect(startOfDay('2027-12-31')).toEqual(new Date(2027, 11, 31));
    expect(endOfDay('2027-12-31')).toEqual(new Date(2028, 0, 1));
  });

  it.each(['', 'yesterday', '2027-13-01', '2027-1-1', '0001-01-01', '12027-01-01'])(
    'return undefined for "%s"',
    (date) => {
      expect(startOfDay(date)).toBeUndefined();
      expect(endOfDay(date)).toBeUndefined();
    },
  );
});
