import { describe, expect, it } from 'vitest';
import { createClient, type HttpRequest, httpRequestOf, JsonText } from './client.ts';

describe('a request', () => {
  it.each([
    [
      'has its parameters escaped in the path',
      httpRequestOf('GET /presets/:slug/versions/:version', { params: { slug: 'a/b?', version: 3 } }),
      { method: 'GET', path: '/presets/a%2Fb%3F/versions/3', headers: {} },
    ],
    [
      'has only the query parameters that are defined',
      httpRequestOf('GET /presets', { query: { q: 'a b', offset: 0, status: undefined } }),
      { method: 'GET', path: '/presets?q=a+b&offset=0', headers: {} },
    ],
    [
      'has its body as JSON',
      httpRequestOf('PATCH /presets/:slug', { params: { slug: 'a' }, body: { name: 'A' } }),
      {
        method: 'PATCH',
        path: '/presets/a',
        headers: { 'content-type': 'application/json' },
        body: '{"name":"A"}',
      },
    ],
    [
      'has JSON text unchanged',
      httpRequestOf('POST /presets/:slug/messages', {
        params: { slug: 'a' },
        headers: { 'if-match': '"1"' },
        body: new JsonText('{ "top_p": 1.0 }'),
      }),
      {
        method: 'POST',
        path: '/presets/a/messages',
        headers: { 'content-type': 'application/json', 'if-match': '"1"' },
        body: '{ "top_p": 1.0 }',
      },
    ],
    [
      'needs no body where it is optional',
      httpRequestOf('POST /keys/:hash/rotate', { params: { hash: 'k' } }),
      {
        method: 'POST',
        path: '/keys/k/rotate',
        headers: {},
      },
    ],
  ])('a request %s', (_, request, expected) => {
    expect(request).toEqual(expected);
  });
});

it.each(['', '.', '..'])('a parameter cannot be %j, which would address another resource', (slug) => {
  expect(() => httpRequestOf('DELETE /presets/:slug', { params: { slug } })).toThrow(
    `The parameter slug must not be "${slug}".`,
  );
});

it('a call passes its request and options to the transport', async () => {
  const sent: [HttpRequest, { retry: boolean } | undefined][] = [];
  const client = createClient(async (request: HttpRequest, options: { retry: boolean } | undefined) => {
    sent.push([request, options]);
    return { headers: new Headers(), text: '{}', content: { data: { slug: 'a' } } };
  });
  const response = await client.call('GET /presets/:slug', { params: { slug: 'a' } }, { retry: true });
  expect(response.content.data.slug).toBe('a');
  expect(sent).toEqual([[{ method: 'GET', path: '/presets/a', headers: {} }, { retry: true }]]);
});

it('mistakes in a call do not compile', () => {
  // @ts-expect-error: no such operation
  expect(httpRequestOf('GET /preset').path).toBe('/preset');
  // @ts-expect-error: the parameter is called slug
  expect(() => httpRequestOf('GET /presets/:slug', { params: { name: 'a' } })).toThrow('slug');
  // @ts-expect-error: no such query parameter
  expect(httpRequestOf('GET /presets', { query: { workspace: 'a' } }).path).toBe('/presets?workspace=a');
  // @ts-expect-error: a body is required
  expect(httpRequestOf('POST /keys', {}).body).toBeUndefined();
  // @ts-expect-error: no such field
  expect(httpRequestOf('POST /keys', { body: { title: 'a' } }).body).toBe('{"title":"a"}');
});
