import { expect, it } from 'vitest';
import { findOperation, groupOperations, matchesSearch, operationHash } from './api-document.ts';

const responses = {};
const document = {
  info: { version: '1' },
  tags: [{ name: 'Presets', description: 'All about presets.' }, { name: 'Empty' }, { name: 'Keys' }],
  components: { schemas: {} },
  paths: {
    '/keys': { get: { operationId: 'listKeys', summary: 'List keys', tags: ['Keys'], responses } },
    '/presets/{slug}': {
      get: {
        operationId: 'getPreset',
        summary: 'Get a preset',
        tags: ['Presets'],
        responses,
        parameters: [
          { name: 'if-match', in: 'header', schema: {} },
          { name: 'workspace_id', in: 'query', schema: {} },
          { name: 'slug', in: 'path', schema: {} },
        ],
      },
      patch: {
        operationId: 'updatePreset',
        tags: ['Presets'],
        responses,
        requestBody: { content: { 'text/csv': {}, 'application/json': { schema: { type: 'object' } } } },
      },
    },
  },
} as const;
const groups = groupOperations(document);
const [get, update] = groups[0]?.operations ?? [];

it('operations are grouped by tag in the order of the document', () => {
  expect(groups.map(({ tag, operations }) => [tag, operations.map(({ id }) => id)])).toEqual([
    ['Presets', ['getPreset', 'updatePreset']],
    ['Keys', ['listKeys']],
  ]);
});

it('parameters are listed by place, and a JSON body before others', () => {
  expect(get?.parameters.map(({ name }) => name)).toEqual(['slug', 'workspace_id', 'if-match']);
  expect(update?.body).toEqual({ type: 'application/json', isRequired: false, schema: { type: 'object' } });
  expect(update?.summary).toBe('/presets/{slug}');
});

it('an operation is found by its address', () => {
  if (get === undefined) throw new Error('no operation');
  expect(operationHash(get)).toBe('#/Presets/getPreset');
  expect(findOperation(groups, '#/Presets/getPreset')).toBe(get);
  for (const hash of ['', '#', '#/Keys/getPreset', '#/Presets'])
    expect(findOperation(groups, hash)).toBeUndefined();
});

it.each([
  ['', true],
  ['preset', true],
  ['GET slug', true],
  ['getPreset', true],
  [' a  get ', true],
  ['patch', false],
  ['preset keys', false],
])('the search "%s" finds "Get a preset": %s', (search, isFound) => {
  expect(get && matchesSearch(get, search)).toBe(isFound);
});
