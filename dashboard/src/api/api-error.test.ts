import { expect, test } from 'vitest';
import { ApiError, isTemporary } from './api-error.ts';

test.each([
  [0, true],
  [400, false],
  [404, false],
  [429, true],
  [500, true],
  [503, true],
])('status %i is worth another attempt later: %s', (status, expected) => {
  expect(isTemporary(new ApiError(status, 'Failed'))).toBe(expected);
});

test('an error that is not a response is not worth another attempt', () => {
  expect(isTemporary(new TypeError('A bug'))).toBe(false);
  expect(isTemporary(null)).toBe(false);
});
