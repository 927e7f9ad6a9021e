import { expect, it } from 'vitest';
import { unroutedPath } from './request-log.ts';

it.each([
  ['the path', '/v1/models', '/v1/models'],
  ['no query', '/v1/models?key=secret', '/v1/models'],
  ['no key', '/sk-pst-v1-0123456789abcdef/x', '/…/x'],
  ['no key of another form', `/x/${'4e'.repeat(20)}`, '/x/…'],
  ['no control characters', '/\u001b[31m\n\r\u0085\u2028x', '/?[31m????x'],
  ['200 characters', '/abc'.repeat(1_000), `${'/abc'.repeat(50)}…`],
  ['nothing of no URL', undefined, ''],
])('an unknown path is logged with %s', (_, url, path) => {
  for (const status of [404, 405]) expect(unroutedPath(undefined, status, url)).toBe(path);
});

it.each([200, 304, 400, 401, 403, 500])('no path is logged with a %i', (status) => {
  expect(unroutedPath(undefined, status, '/v1/models')).toBeUndefined();
});

it('no path is logged where a route is', () => {
  expect(unroutedPath('/api/v1/keys/:hash', 404, '/api/v1/keys/x')).toBeUndefined();
});
