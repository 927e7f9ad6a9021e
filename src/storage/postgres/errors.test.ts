import { expect, it } from 'vitest';
import { PresetdError } from '../../core/errors.ts';
import {
  fromPostgres,
  isAborted,
  isLockTimeout,
  isNameTaken,
  isRetryable,
  isUnavailable,
  isUniqueViolation,
  isUnresponsive,
} from './errors.ts';

const of = (code: unknown, more: object = {}) => Object.assign(new Error('any'), { code, ...more });

it.each([
  ['08006', 'not responding'],
  ['28P01', 'not responding'],
  ['53300', 'not responding'],
  ['57P01', 'not responding'],
  ['57014', 'not responding'],
  ['58030', 'not responding'],
  ['25P03', 'not responding'],
  ['3D000', 'not responding'],
  ['55000', 'not responding'],
  ['ECONNREFUSED', 'not responding'],
  ['EAI_AGAIN', 'not responding'],
  ['53100', 'disk is full'],
  ['25006', 'read-only'],
])('the error %s of PostgreSQL is the fault of the database', (code, message) => {
  const error = of(code);
  expect(fromPostgres(error)).toMatchObject({
    kind: 'unavailable',
    message: expect.stringContaining(message),
    cause: error,
  });
});

it.each(['23505', '42P01', '40001', '25P02', '250061', '55P03'])('the error %s is passed on', (code) => {
  const error = of(code);
  expect(fromPostgres(error)).toBe(error);
});

it.each([
  'Connection terminated unexpectedly',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error and is not queryable',
  'SASL: server refused',
  'Query read timeout',
])('an error of the driver is recognized by its message: %s', (message) => {
  expect(isUnavailable(new Error(message))).toBe(true);
  // The message of a rule may contain any words.
  expect(isUnavailable(new PresetdError('not_found', message))).toBe(false);
  expect(isUnresponsive(new Error(message))).toBe(message === 'Query read timeout');
});

it('anything else is a defect', () => {
  const defect = new TypeError('undefined is not a function');
  expect(fromPostgres(defect)).toBe(defect);
  expect(fromPostgres('connection')).toBe('connection');
});

it.each([
  ['40001', isRetryable],
  ['40P01', isRetryable],
  ['55P03', isLockTimeout],
  ['25P02', isAborted],
  ['23505', isUniqueViolation],
] as const)('the code %s is recognized', (code, isOne) => {
  expect([of(code), of('00000'), new Error(code), code].map(isOne)).toEqual([true, false, false, false]);
});

it.each([
  ['23505', 'preset_names', true],
  ['23505', 'presets_workspace_id_slug_key', true],
  ['23505', 'preset_aliases_pkey', true],
  ['23505', 'api_keys_hash_key', false],
  ['23505', undefined, false],
  ['23503', 'preset_names', false],
])('%s of the constraint %s means that the name of a preset is taken: %s', (code, constraint, isTaken) => {
  expect(isNameTaken(of(code, constraint === undefined ? {} : { constraint }))).toBe(isTaken);
});
