import { expect, it } from 'vitest';
import { fromSqlite, isBusy, isDiskFull, isUniqueViolation } from './errors.ts';

const of = (errcode: unknown) => Object.assign(new Error('any'), { errcode });

it.each([
  ['busy', 5, 'not responding'],
  ['busy because of a snapshot', 517, 'not responding'],
  ['locked', 6, 'not responding'],
  ['a failed write', 778, 'not responding'],
  ['a file that cannot be opened', 14, 'not responding'],
  ['read-only', 8, 'read-only'],
  ['read-only because it was moved', 1032, 'read-only'],
  ['a full disk', 13, 'disk is full'],
  ['no room for the index of the log', 4874, 'disk is full'],
])('an error of SQLite that means %s (%i) is the fault of the database', (_, errcode, message) => {
  const error = of(errcode);
  expect(fromSqlite(error)).toMatchObject({ kind: 'unavailable', message: expect.stringContaining(message) });
  expect(isDiskFull(error)).toBe(message === 'disk is full');
});

it.each([of(1), of(19), of('5'), new Error('any'), 'any'])('any other error is passed on: %j', (error) => {
  expect(fromSqlite(error)).toBe(error);
  expect(isBusy(error)).toBe(false);
});

it.each([
  [1555, true],
  [2067, true],
  [787, false],
])('the error %i of SQLite is a unique violation: %s', (errcode, isUnique) => {
  expect(isUniqueViolation(of(errcode))).toBe(isUnique);
});

it('a database is busy, however the lock is called', () => {
  expect([5, 261, 517, 6].map((errcode) => isBusy(of(errcode)))).toEqual([true, true, true, false]);
});
