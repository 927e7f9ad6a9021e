import { expect, it, test } from 'vitest';
import { callQueryOf, conditionsOf, parseFilter, type UsageFilter, usagePath } from './usage-filter.ts';

const parse = (search: string, isOrganization = false) => {
  const params = new URLSearchParams(search);
  return parseFilter((name) => params.get(name) ?? '', { isOrganization });
};

it.each<[string, UsageFilter]>([
  ['', {}],
  ['preset=bot&version=7', { preset: 'bot', version: '7' }],
  ['version=7', {}],
  ['preset=bot&version=seven', { preset: 'bot' }],
  ['status=error', { status: 'error' }],
  ['status=999', {}],
  ['status=404&purpose=work', { status: '404' }],
  ['selection=live&label=prod', { selection: 'live', label: 'prod' }],
  ['workspace=w', {}],
  ['session=s&unknown=x', {}],
])('the parameters "%s" filter by %o', (search, filter) => {
  expect(parse(search)).toEqual(filter);
});

test('a workspace is a filter in the whole organization', () => {
  expect(parse('workspace=w', true)).toEqual({ workspace: 'w' });
});

test('filters are conditions of a query, with numbers as numbers', () => {
  expect(
    conditionsOf({ preset: 'bot', version: '7', key: 'k', person: 'p', status: '404', purpose: 'call' }),
  ).toEqual([
    { field: 'preset', operator: 'eq', value: 'bot' },
    { field: 'preset_version', operator: 'eq', value: 7 },
    { field: 'api_key_id', operator: 'eq', value: 'k' },
    { field: 'user', operator: 'eq', value: 'p' },
    { field: 'status', operator: 'eq', value: 404 },
    { field: 'purpose', operator: 'eq', value: 'call' },
  ]);
  expect(conditionsOf({ status: 'error' })).toEqual([{ field: 'status', operator: 'gte', value: 400 }]);
  expect(conditionsOf({ status: 'success' })).toEqual([{ field: 'status', operator: 'lt', value: 400 }]);
});

test('filters are parameters of the list of calls', () => {
  const filter = { preset: 'bot', version: '7', key: 'k', person: 'p', session: 's', end_user: 'e' };
  expect(callQueryOf(filter, 'w')).toEqual({
    workspace_id: 'w',
    preset: 'bot',
    preset_version: 7,
    api_key_id: 'k',
    user: 'p',
    session_id: 's',
    external_user: 'e',
  });
  expect(callQueryOf({ workspace: 'other' }, undefined)).toEqual({ workspace_id: 'other' });
});

test('a filter is part of an address', () => {
  expect(usagePath('calls', { preset: 'bot', version: '7' })).toBe('/calls?preset=bot&version=7');
});
