import { expect, test } from 'vitest';
import { type CallCosts, costPerCall } from './call-costs.ts';

const costs: readonly CallCosts[] = [
  { version: 1, model: 'small', calls: 10, dollars: 1 },
  { version: 2, model: 'small', calls: 30, dollars: 9 },
  { version: 2, model: 'large', calls: 4, dollars: 8 },
  { version: undefined, model: 'large', calls: 4, dollars: 16 },
  { version: 3, model: 'unpriced', calls: 0, dollars: 0 },
];

test.each([
  ['a version and its model', 1, 'small', 0.1],
  ['a version with a model that it was never called with', 1, 'large', 3],
  ['a draft, which has no version', undefined, 'small', 0.25],
  ['a model that was never called', 1, 'other', undefined],
  ['calls of unknown cost', 3, 'unpriced', undefined],
  ['a draft without a model', undefined, undefined, undefined],
])('the cost per call of %s', (_, version, model, cost) => {
  expect(costPerCall(costs, version, model)).toBe(cost);
});
