import { expect, test } from 'vitest';
import { newPasswordProblem } from './new-password-field.tsx';

test.each([
  ['', 'The password needs at least 12 characters. It has 0.'],
  ['grüße', 'The password needs at least 12 characters. It has 5.'],
  ['abcabcabcabc', expect.stringMatching(/^The password must not repeat .*\.$/)],
  ['grace.hopper 1', expect.stringContaining('The password must not contain grace.hopper, which is')],
  ['purple mountain forklift', undefined],
])('the new password "%s" has the problem %s', (password, problem) => {
  expect(newPasswordProblem(password, 'grace.hopper@example.com')).toEqual(problem);
});
