import { describe, expect, it } from 'vitest';
import type { VariableSchema } from '../../../../../src/dialects/presets/extension/variable-schema.ts';
import { compileVariables } from '../../../../../src/dialects/presets/extension/variables.ts';
import { variablesOf } from '../../../features/version-content/describe-variable.ts';
import { exampleValues } from './example-values.ts';

const examplesFor = (variables: Record<string, VariableSchema>) => exampleValues(variablesOf({ variables }));

describe('exampleValues', () => {
  it('the example has a value for each required variable', () => {
    const variables = {
      tone: { type: 'string', default: 'casual' },
      customer: { type: 'string' },
      count: { type: 'integer' },
    } as const;
    expect(examplesFor(variables)).toEqual({ customer: '<customer>', count: 1 });
  });

  it('the example has the first variable if none is required', () => {
    const variables = { a: { type: 'string', default: 'x' }, b: { type: 'string', default: 'y' } } as const;
    expect(examplesFor(variables)).toEqual({ a: 'x' });
    expect(examplesFor({})).toBeUndefined();
  });

  it.each<VariableSchema>([
    { type: 'string' },
    { type: 'string', maxLength: 3 },
    { type: 'string', minLength: 40 },
    { type: 'string', enum: ['a', 'b'] },
    { type: 'string', const: 'c' },
    { type: 'string', pattern: '^A[0-9]$', examples: ['A7'] },
    ...['date', 'date-time', 'email', 'uri', 'uuid'].map((format) => ({ type: 'string' as const, format })),
    { type: 'number' },
    { type: 'number', minimum: 2.5 },
    { type: 'number', exclusiveMinimum: 0 },
    { type: 'number', exclusiveMaximum: 0 },
    { type: 'integer', maximum: -3 },
    { type: 'integer', minimum: 4, multipleOf: 5 },
    { type: 'boolean' },
    { type: 'array' },
    { type: 'array', minItems: 2, items: { type: 'object', properties: { id: { type: 'string' } } } },
    { type: 'object' },
    { type: 'object', properties: { a: { type: 'string' }, b: { type: 'boolean' } }, required: ['b'] },
  ])('is accepted by the server for %j', (schema) => {
    const check = compileVariables({ x: schema });
    expect(check(examplesFor({ x: schema })).issues).toBeUndefined();
  });
});
