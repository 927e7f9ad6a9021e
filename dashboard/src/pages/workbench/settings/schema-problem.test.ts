import { expect, test } from 'vitest';
import { nameProblem, schemaProblem } from './schema-problem.ts';

test('a mistake in a schema is a sentence about its place', () => {
  const types = 'string, number, integer, boolean, array, object or null';
  expect(schemaProblem({ type: 'object' })).toBeUndefined();
  expect(schemaProblem('text')).toBe('The schema must be an object.');
  expect(schemaProblem({ anyOf: [{ properties: { id: { type: 'map' } } }] })).toBe(
    `anyOf[0].properties.id.type must be ${types}, not "map".`,
  );
});

test('a mistake in a name is a sentence', () => {
  expect(nameProblem('get_order', 'responses')).toBeUndefined();
  expect(nameProblem(undefined, 'responses')).toBe('The name must not be empty.');
  expect(nameProblem('get order!', 'messages')).toBe(
    'The name must be at most 128 letters, digits, _ and -, not "get order!".',
  );
});
