import { expect, test } from 'vitest';
import { signInError } from './sign-in-error.ts';

test.each([
  ['not_invited', 'You have no account here yet'],
  ['deactivated', 'Your account is deactivated'],
  ['something_new', 'Not signed in'],
  ['toString', 'Not signed in'],
])('the code %s is explained as "%s"', (code, title) => {
  expect(signInError(code)?.title).toBe(title);
});

test('without a code, there is no error', () => {
  expect(signInError(null)).toBeUndefined();
});
