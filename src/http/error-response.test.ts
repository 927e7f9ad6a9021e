import { expect, it } from 'vitest';
import {
  databaseFull,
  databaseMoved,
  databaseReadOnly,
  databaseUnavailable,
  type ErrorKind,
  overloaded,
  PresetdError,
} from '../core/errors.ts';
import { renderError } from './error-response.ts';

const context = { requestId: 'id', userId: undefined, dialect: undefined, log: { error: () => undefined } };
const of = (kind: ErrorKind) => new PresetdError(kind, 'Any');

it.each([
  ['a wrong request', of('invalid_request'), 400],
  ['a wrong key', of('unauthenticated'), 401],
  ['a key without permission', of('forbidden'), 403],
  ['something unknown', of('not_found'), 404],
  ['a conflict, which clients retry by default', of('conflict'), 409],
  ['a failed precondition', of('precondition_failed'), 412],
  ['a body that is too large', of('too_large'), 413],
  ['a wrong media type', of('unsupported_media_type'), 415],
  ['an upstream with wrong settings', of('upstream_misconfigured'), 424],
  ['a full disk', databaseFull(undefined), 503],
  ['a database file that was moved', databaseMoved(), 503],
])('clients are told not to retry after %s', (_title, error, status) => {
  const answer = renderError(error, context);
  expect([answer.status, answer.headers['x-should-retry']]).toEqual([status, 'false']);
});

it.each([
  ['a rate limit', of('rate_limited'), 429],
  ['a defect', new Error('unexpected'), 500],
  ['an unreachable upstream', of('bad_gateway'), 502],
  ['a slow upstream', of('gateway_timeout'), 504],
  ['an overloaded server', overloaded(), 503],
  ['a database that is away', databaseUnavailable(undefined), 503],
  ['a database that takes no writes', databaseReadOnly(undefined), 503],
])('clients may retry after %s', (_title, error, status) => {
  const answer = renderError(error, context);
  expect([answer.status, answer.headers['x-should-retry']]).toEqual([status, undefined]);
});
