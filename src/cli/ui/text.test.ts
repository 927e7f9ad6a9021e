import { describe, expect, it } from 'vitest';
import { formatEventChange } from './text.ts';

describe('formatEventChange', () => {
  it.each([
    [
      { version: 1, label: 'production' },
      { version: 2, label: 'production' },
      'version 1 → 2, label production',
    ],
    [null, { role: 'org:admin' }, 'role org:admin'],
    [{ expires_at: null }, { expires_at: '2027-01-31T00:00:00.000Z' }, 'expires at none → 2027-01-31 00:00Z'],
    [{ name: 'a\u001b[31m' }, null, 'name a\\u001b[31m'],
    [null, null, ''],
  ])('the change from %j to %j is shown as: %s', (before, after, text) => {
    expect(formatEventChange(before, after)).toBe(text);
  });
});
