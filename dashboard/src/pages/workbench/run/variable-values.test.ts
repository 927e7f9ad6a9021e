import { describe, expect, it, test } from 'vitest';
import type { VariableSchema } from '../../../../../src/dialects/presets/extension/variable-schema.ts';
import { ApiError } from '../../../api/api-error.ts';
import type { JsonObject } from '../../../features/version-content/config-values.ts';
import { variablesOf } from '../../../features/version-content/describe-variable.ts';
import {
  areVariableIssues,
  choicesOf,
  problemsOf,
  readVariables,
  rejectedValues,
} from './variable-values.ts';

const read = (schema: VariableSchema, text: string | undefined) =>
  readVariables(variablesOf({ variables: { x: schema } }), new Map(text === undefined ? [] : [['x', text]]));

describe('readVariables', () => {
  it.each<[schema: VariableSchema, text: string, json: string]>([
    [{ type: 'string' }, ' {{a}}\n"b" ', '" {{a}}\\n\\"b\\" "'],
    [{ type: 'string', enum: ['', 'b'] }, '', '""'],
    [{ type: 'number' }, ' 0.50 ', '0.5'],
    [{ type: 'number' }, '0.1234567890123456789', '0.1234567890123456789'],
    [{ type: 'integer' }, '12345678901234567890', '12345678901234567890'],
    [{ type: 'integer', enum: [1, 2] }, '2', '2'],
    [{ type: 'boolean' }, 'false', 'false'],
    [{ type: 'array' }, '[1, {"a": 2}]', '[1,{"a":2}]'],
    [{ type: 'object', const: { a: 1 } }, '{"a":1}', '{"a":1}'],
  ])('reads %j from %j', (schema, text, json) => {
    const { values, problems } = read(schema, text);
    expect(problems).toEqual(new Map());
    expect(JSON.stringify(values)).toBe(`{"x":${json}}`);
  });

  it.each<[schema: VariableSchema, text: string | undefined, problem: string]>([
    [{ type: 'string' }, undefined, 'Enter a value.'],
    [{ type: 'string' }, '', 'Enter a value.'],
    [{ type: 'string', enum: ['a'] }, 'b', 'Choose a value.'],
    [{ type: 'boolean' }, 'yes', 'Choose a value.'],
    [{ type: 'boolean', enum: [1] as unknown as boolean[] }, '1', 'Choose a value.'],
    [{ type: 'number' }, '1,5', 'Enter a number, such as 0.5.'],
    [{ type: 'number' }, '"1"', 'Enter a number, such as 0.5.'],
    [{ type: 'integer' }, '1.5', 'Enter a whole number, such as 3.'],
    [{ type: 'array' }, '{}', 'Enter a list in JSON, such as ["a", "b"].'],
    [{ type: 'array' }, '[1', 'Enter a list in JSON, such as ["a", "b"].'],
    [{ type: 'object' }, '12345678901234567890', 'Enter an object in JSON, such as {"name": "Ada"}.'],
  ])('reports what is wrong for %j with %j', (schema, text, problem) => {
    expect(read(schema, text)).toEqual({ values: {}, problems: new Map([['x', problem]]) });
  });

  it.each<[schema: VariableSchema, text: string | undefined]>([
    [{ type: 'string', default: 'a' }, undefined],
    [{ type: 'string', default: 'a' }, ''],
    [{ type: 'string', enum: ['a', 'b'], default: 'a' }, 'of another version'],
    [{ type: 'boolean', default: false }, ''],
    [{ type: 'array', default: [] }, ''],
  ])('leaves the default of %j to the server for %j', (schema, text) => {
    expect(read(schema, text)).toEqual({ values: {}, problems: new Map() });
  });
});

test('a boolean, an enum and a constant offer their values', () => {
  expect(choicesOf({ type: 'boolean' })).toEqual(['true', 'false']);
  expect(choicesOf({ type: 'integer', enum: [1, 2] })).toEqual(['1', '2']);
  expect(choicesOf({ type: 'string', const: 'x' })).toEqual(['x']);
  expect(choicesOf({ type: 'string' })).toBeUndefined();
});

describe('the issues of a call', () => {
  const issues = [
    { path: '/prompt/variables/customer', message: 'is required' },
    { path: '/prompt/variables/orders/0/id', message: 'must be a string, not a number' },
    { path: '/prompt/variables/orders', message: 'must have at most 20 items' },
  ];
  const variables = variablesOf({ variables: { customer: {}, orders: {} } });

  it('become one text per variable', () => {
    const others = ['/model', '/prompt/variables', '/prompt/other/customer', '/model/variables/customer'];
    const all = [...issues, ...others.map((path) => ({ path, message: 'is wrong' }))];
    expect([...problemsOf(all)]).toEqual([
      ['customer', 'Is required.'],
      ['orders', '0.id must be a string, not a number. Must have at most 20 items.'],
    ]);
  });

  it('are about the values that were sent, as long as the form has them', () => {
    const error = new ApiError(400, 'The request body is not valid.', { issues });
    const sent = { customer: 'Ada', orders: [{ id: 7 }] };
    const rejected = (values: JsonObject) => [...rejectedValues(error, sent, values).keys()];
    expect(rejected({ customer: 'Ada', orders: [{ id: 7 }] })).toEqual(['customer', 'orders']);
    expect(rejected({ customer: 'Grace', orders: [{ id: 7 }] })).toEqual(['orders']);
    expect(rejected({})).toEqual([]);
    expect(rejectedValues(new Error('Lost'), sent, sent).size).toBe(0);
    expect([...rejectedValues(error, undefined, { customer: 'Ada' }).keys()]).toEqual(['orders']);
  });

  it('are all shown at fields only if each variable has one', () => {
    expect(areVariableIssues(issues, variables)).toBe(true);
    expect(areVariableIssues([], variables)).toBe(false);
    for (const path of ['/model', '/prompt/variables', '/prompt/variables/other'])
      expect(areVariableIssues([...issues, { path, message: 'is wrong' }], variables)).toBe(false);
  });
});
