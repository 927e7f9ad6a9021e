import { describe, expect, test } from 'vitest';
import { variablesOf } from '../../../../features/version-content/describe-variable.ts';
import { caseVariables, nameOfCopy } from './case-inputs.ts';

describe('the variables of a case to save', () => {
  const declared = variablesOf({ variables: { customer: { type: 'string' }, days: { type: 'integer' } } });
  test.each([
    ['has what is typed', undefined, { customer: 'Ada', days: '3' }, { customer: 'Ada', days: 3 }],
    [
      'loses a variable that is cleared',
      { customer: 'Ada', days: 3 },
      { customer: '', days: '3' },
      { days: 3 },
    ],
    [
      'keeps those of other versions',
      { city: 'Oslo' },
      { customer: 'Ada' },
      { city: 'Oslo', customer: 'Ada' },
    ],
  ])('%s', (_, saved, texts, expected) => {
    expect(caseVariables(saved, declared, new Map(Object.entries(texts)))).toEqual(expected);
  });
});

test('a copy of a case gets a name of its own', () => {
  expect(nameOfCopy('Late', ['Late'])).toBe('Late (copy)');
  expect(nameOfCopy('Late', ['Late', 'Late (copy)', 'Late (copy 2)'])).toBe('Late (copy 3)');
});
