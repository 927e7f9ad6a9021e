import { expect, it } from 'vitest';
import {
  databaseFull,
  databaseMoved,
  databaseReadOnly,
  databaseUnavailable,
  type ErrorKind,
  overloaded,
  PresetdError,
} from '../../core/errors.ts';
import { renderError } from './error-response.ts';

const context = { requestId: 'id', userId: undefined, dialect: undefined, log: { error: () => undefined } };
const of = (kind: ErrorKind) => new PresetdError(kind, 'Any');

it.each([
  ['an invalid request', of('invalid_request'), 400],
  ['an invalid key', of('unauthenticated'), 401],
  ['a key without permission', of('forbidden'), 403],
  ['something that does not exist', of('not_found'), 404],
  ['a conflict, which clients retry by default', of('conflict'), 409],
  ['a failed precondition', of('precondition_failed'), 412],
  ['a body that is too large', of('too_large'), 413],
  ['an unsupported media type', of('unsupported_media_type'), 415],
  ['a misconfigured upstream', of('upstream_misconfigured'), 424],
  ['a full disk', databaseFull(undefined), 503],
  ['a database file that was moved', databaseMoved(), 503],
])('x-should-retry is false after %s', (_title, error, status) => {
  const response = renderError(error, context);
  expect([response.status, response.headers['x-should-retry']]).toEqual([status, 'false']);
});

it.each([
  ['a rate limit', of('rate_limited'), 429],
  ['an unexpected error', new Error('unexpected'), 500],
  ['an unreachable upstream', of('bad_gateway'), 502],
  ['a slow upstream', of('gateway_timeout'), 504],
  ['an overloaded server', overloaded(), 503],
  ['an unavailable database', databaseUnavailable(undefined), 503],
  ['a read-only database', databaseReadOnly(undefined), 503],
])('clients may retry after %s', (_title, error, status) => {
  const response = renderError(error, context);
  expect([response.status, response.headers['x-should-retry']]).toEqual([status, undefined]);
});
