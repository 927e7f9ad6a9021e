import { describe, expect, it } from 'vitest';
import type { Operation } from './api-document.ts';
import { findProblems, toCurl, toHttpMessage } from './try-request.ts';

const operation: Operation = {
  id: 'updatePreset',
  tag: 'Presets',
  method: 'patch',
  path: '/api/v1/presets/{slug}',
  summary: '',
  description: '',
  responses: {},
  body: { type: 'application/json', isRequired: true, schema: {} },
  parameters: [
    { in: 'path', name: 'slug', required: true, schema: {} },
    { in: 'query', name: 'workspace_id', schema: {} },
    { in: 'header', name: 'if-match', schema: {} },
  ],
};
const values = { 'path slug': 'a b/c', 'query workspace_id': 'x&y', 'header if-match': '"1"' };

describe('toHttpMessage', () => {
  it('puts each value in its place', () => {
    expect(toHttpMessage(operation, { values, body: '{"name": "N"}' })).toEqual({
      method: 'PATCH',
      path: '/api/v1/presets/a%20b%2Fc?workspace_id=x%26y',
      headers: { 'if-match': '"1"', 'content-type': 'application/json' },
      body: '{"name": "N"}',
    });
  });

  it('omits empty values', () => {
    expect(
      toHttpMessage(operation, { values: { 'path slug': 'a', 'query workspace_id': '' }, body: ' ' }),
    ).toEqual({
      method: 'PATCH',
      path: '/api/v1/presets/a',
      headers: {},
      body: undefined,
    });
  });

  it('keeps dollar signs of values', () => {
    const { path } = toHttpMessage(operation, { values: { 'path slug': "$&'" }, body: '' });
    expect(path).toBe("/api/v1/presets/%24%26'");
  });
});

it.each([
  [{}, { 'path slug': 'Enter a value for slug.' }],
  [{ 'path slug': '..' }, { 'path slug': 'slug cannot be "..".' }],
  [{ 'path slug': '.' }, { 'path slug': 'slug cannot be ".".' }],
  [{ 'path slug': '...', 'query workspace_id': '..' }, {}],
  [values, {}],
])('the values %j have the problems %j', (tried, problems) => {
  expect(findProblems(operation, { values: tried, body: '' })).toEqual(problems);
});

it('the command quotes everything for a shell', () => {
  const message = toHttpMessage(operation, { values, body: `{"name": "it's"}` });
  expect(
    toCurl(message, 'http://localhost'),
  ).toBe(String.raw`curl -X PATCH 'http://localhost/api/v1/presets/a%20b%2Fc?workspace_id=x%26y' \
  -H "Authorization: Bearer $PRESETD_API_KEY" \
  -H 'if-match: "1"' \
  -H 'content-type: application/json' \
  --data-raw '{"name": "it'\''s"}'`);
});
