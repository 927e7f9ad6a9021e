import { expect, test } from 'vitest';
import { signInError } from './sign-in-error.ts';

test.each([
  ['denied', 'Not signed in'],
  ['not_invited', 'You have no account here yet'],
  ['not_linked', 'Your account uses another sign-in method'],
  ['unverified', 'Your email address is not verified'],
  ['deactivated', 'Your account is deactivated'],
  ['expired', 'The sign-in took too long'],
  ['provider_unavailable', 'Sign-in with the provider failed'],
  ['something_new', 'Not signed in'],
  ['toString', 'Not signed in'],
])('the code %s is explained as "%s"', (code, title) => {
  expect(signInError(code)?.title).toBe(title);
});

test('no error is shown without a code', () => {
  expect(signInError(null)).toBeUndefined();
});
