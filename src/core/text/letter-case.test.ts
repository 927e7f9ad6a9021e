import { expect, it } from 'vitest';
import { camelCase, snakeCase } from './letter-case.ts';

it.each([
  ['name', 'name'],
  ['reviewedAt', 'reviewed_at'],
  ['updatedByEmail', 'updated_by_email'],
])('the field %s is %s in the API', (field, name) => {
  expect([snakeCase(field), camelCase(name)]).toEqual([name, field]);
});
