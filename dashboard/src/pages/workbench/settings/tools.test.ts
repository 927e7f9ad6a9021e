import { describe, expect, test } from 'vitest';
import { dialects } from '../../../../../src/core/presets/preset.ts';
import {
  functionPaths,
  newFunction,
  parameterNameProblem,
  propertiesOf,
  toolName,
  withProperties,
} from './tools.ts';

describe('the tools of a request', () => {
  test.each(dialects)('start as functions that the form of %s can edit', (dialect) => {
    const tool = newFunction(dialect, 'find_parcel');
    expect(toolName(tool, dialect)).toBe('find_parcel');
    const paths = functionPaths(tool, dialect);
    const parameters = paths?.parameters.reduce<unknown>(
      (value, key) => (value as Record<string, unknown>)[key],
      tool,
    );
    expect(propertiesOf(parameters)).toEqual([]);
  });

  test.each([
    ['messages', { type: 'web_search_20250305', name: 'web_search' }, 'web_search'],
    ['responses', { type: 'web_search' }, 'web_search'],
    ['chat-completions', { type: 'custom', custom: {} }, 'custom'],
    ['chat-completions', null, 'Invalid tool'],
  ] as const)('tools in %s that are not functions have a name but no form: %j', (dialect, tool, name) => {
    expect(functionPaths(tool, dialect)).toBeUndefined();
    expect(toolName(tool, dialect)).toBe(name);
  });

  test('have parameters as rows, and back', () => {
    const schema = {
      type: 'object',
      properties: { number: { type: 'string', description: 'Of the parcel' }, days: { type: 'integer' } },
      required: ['number'],
      additionalProperties: false,
    };
    const rows = propertiesOf(schema) ?? [];
    expect(rows).toEqual([
      { name: 'number', type: 'string', description: 'Of the parcel', isRequired: true },
      { name: 'days', type: 'integer', description: '', isRequired: false },
    ]);
    expect(withProperties(schema, rows)).toEqual(schema);
  });

  test.each([
    [{ type: 'object', properties: { a: { type: 'string', enum: ['x'] } } }],
    [{ type: 'object', properties: { a: { anyOf: [] } } }],
    [{ type: 'object', properties: {}, $defs: {} }],
    [{ type: 'array' }],
    ['text'],
  ])('have no rows if the form cannot show their schema: %j', (schema) => {
    expect(propertiesOf(schema)).toBeUndefined();
  });

  test.each([
    ['', 'Enter a name.'],
    ['user', 'user already exists.'],
    ['user_name', undefined],
  ])('may have parameters with unusual names: %j', (typed, problem) => {
    const rows = [{ name: 'user', type: 'string', description: '', isRequired: true }];
    expect(parameterNameProblem(typed, rows)).toBe(problem);
  });
});
