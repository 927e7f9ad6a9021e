import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it, vi } from 'vitest';
import {
  databaseFull,
  databaseMoved,
  databaseReadOnly,
  databaseUnavailable,
  type ErrorKind,
  overloaded,
  PresetdError,
} from '../../core/errors.ts';
import { errorDialectForUrl, renderError, sendRawError } from './error-response.ts';

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

it.each([
  ['an unexpected error', new Error('broken'), { type: 'Error', message: 'broken' }],
  ['a value that is not an error', 'broken', { message: 'broken' }],
  [
    'an unavailable database',
    databaseUnavailable(Object.assign(new Error('gone'), { code: '57P01', detail: 'a prompt' })),
    { type: 'Error', message: 'gone', code: '57P01' },
  ],
])('the cause of %s is logged, without the rows that it quotes', (_, thrown, err) => {
  const error = vi.fn();
  const { body } = renderError(thrown, { ...context, log: { error } });
  expect(error.mock.calls[0]?.[0]).toMatchObject({ reqId: 'id', err });
  expect(JSON.stringify(error.mock.calls)).not.toContain('a prompt');
  expect(body).not.toMatch(/broken|gone/);
});

it.each([
  ['an overloaded server', overloaded()],
  ['a database file that was moved, which is logged where it is noticed', databaseMoved()],
  ['an unreachable upstream', of('bad_gateway')],
  ['an invalid request', of('invalid_request')],
])('nothing is logged because of %s', (_, thrown) => {
  const error = vi.fn();
  renderError(thrown, { ...context, log: { error } });
  expect(error).not.toHaveBeenCalled();
});

it('headers say when to retry, how to sign in and what is allowed', () => {
  const headersOf = (kind: ErrorKind, details: object) =>
    renderError(new PresetdError(kind, 'Any', details), context).headers;
  expect(headersOf('rate_limited', { retryAfterSeconds: 7, limit: 60 })).toEqual({
    'retry-after': 7,
    'x-ratelimit-limit': 60,
    'x-ratelimit-remaining': 0,
    'x-ratelimit-reset': 7,
  });
  expect(headersOf('unauthenticated', {})).toMatchObject({ 'www-authenticate': 'Bearer' });
  expect(headersOf('method_not_allowed', { allow: ['GET', 'PUT'] })).toMatchObject({ allow: 'GET, PUT' });
  expect(headersOf('upgrade_required', {})).toMatchObject({ upgrade: 'websocket', connection: 'upgrade' });
});

it('a body has the issues of the request and the user who sent it', () => {
  const issues = [{ path: '/model', message: 'is required' }];
  const error = new PresetdError('invalid_request', 'Any', { issues });
  expect(JSON.parse(renderError(error, { ...context, userId: 'u' }).body)).toMatchObject({
    error: { code: 400, message: 'Any', metadata: { issues } },
    user_id: 'u',
  });
});

it.each([
  ['/api/v1/messages', 'messages'],
  ['/v1/messages/count_tokens?beta=true', 'messages'],
  ['/messages?x', 'messages'],
  ['/api/v1/messages-x', undefined],
  ['/other/messages', undefined],
  ['/scim/v2/Users', 'scim'],
  ['/scim', 'scim'],
  ['/scim-x', undefined],
  [undefined, undefined],
])('an error at the URL %s has the format %s', (url, dialect) => {
  expect(errorDialectForUrl(url)).toBe(dialect);
});

it('an error outside the framework has the media type of its format, and its length in bytes', () => {
  const writeHead = vi.fn();
  const end = vi.fn();
  const request = { url: '/scim/v2/Users', headers: {} } as IncomingMessage;
  const error = new PresetdError('rate_limited', 'Zürich', { retryAfterSeconds: 3 });
  const sent = sendRawError(request, { writeHead, end } as unknown as ServerResponse, error, context.log);
  const body = String(end.mock.calls[0]?.[0]);
  expect(writeHead.mock.calls).toEqual([
    [
      429,
      expect.objectContaining({
        'content-type': 'application/scim+json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'retry-after': 3,
        'x-request-id': sent.requestId,
      }),
    ],
  ]);
  expect(JSON.parse(body)).toMatchObject({ status: '429' });
  expect(sent.status).toBe(429);
});
