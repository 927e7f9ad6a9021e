import { expect, it } from 'vitest';
import { isEmail, normalizeEmail } from './organization.ts';

it.each([
  ['grace@example.com', true],
  ['grâce+1@例え.jp', true],
  ['grace.example.com', false],
  ['grace@example@com', false],
  ['grace @example.com', false],
  ['grace\u001b@example.com', false],
  ['grace\u202e@example.com', false],
  ['grace@exam\u200bple.com', false],
  ['grace@exam\u00adple.com', false],
  [`${'g'.repeat(250)}@a.b`, true],
  [`${'g'.repeat(251)}@a.b`, false],
])('isEmail(%j) is %s', (text, expected) => {
  expect(isEmail(text)).toBe(expected);
});

it('addresses that differ in case or surrounding whitespace belong to the same user', () => {
  const address = ' Zoë@Example.com ';
  for (const same of [address.toUpperCase(), address.trim()])
    expect(normalizeEmail(same)).toBe('zoë@example.com');
  // Stored keys of earlier versions have any normal form.
  expect(normalizeEmail(address.normalize('NFD'))).toBe('zoë@example.com'.normalize('NFD'));
});
