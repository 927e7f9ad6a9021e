import { expect, test } from 'vitest';
import { initialsOf } from './avatar.tsx';

test.each([
  ['Ada', 'Lovelace', 'AL'],
  ['ada', '', 'A'],
  ['', '', 'O'],
  ['😀', 'x', '😀X'],
])('the initials of "%s %s" are %s', (first_name, last_name, initials) => {
  expect(initialsOf({ first_name, last_name, email: 'owner@example.com' })).toBe(initials);
});
