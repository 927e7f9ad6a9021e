import { expect, it } from 'vitest';
import { named, nullable, timestampInput, unsupportedField } from '../api/schema-parts.ts';
import { Type } from '../core/type.ts';
import { fromWireBy, toWireBy } from './wire-fields.ts';

const Thing = named(
  'ThingOfWireFields',
  Type.Object({
    id: Type.String(),
    long_name: Type.String(),
    tags: Type.Array(Type.String()),
    budget: unsupportedField(null, 'budgets'),
    ends_at: Type.Optional(nullable(timestampInput('When it ends.'))),
  }),
);

it('a response has the fields of its schema in their order, and no other of the value', () => {
  const value = { longName: 'Long', secret: 'hidden', id: 'a', endsAt: null };
  const wire = toWireBy(Thing)(value, { tags: ['x'], budget: null });
  expect(JSON.stringify(wire)).toBe(
    '{"id":"a","long_name":"Long","tags":["x"],"budget":null,"ends_at":null}',
  );
});

it.each([
  ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
  [null, null],
])('the time %s of a body becomes %s, and other texts stay', (time, utc) => {
  const text = '2026-01-31T12:00:00+02:00';
  const body = { id: text, long_name: 'Long', tags: [], ends_at: time };
  expect(fromWireBy(Thing)(body)).toEqual({ id: text, longName: 'Long', tags: [], endsAt: utc });
});

it('a field that is not supported is left out of a body', () => {
  expect(fromWireBy(Thing)({ id: 'a', long_name: 'b', tags: [], budget: null })).not.toHaveProperty('budget');
});

it('a field that a body lacks stays absent', () => {
  expect(fromWireBy(Thing)({ id: 'a', long_name: 'b', tags: [] })).not.toHaveProperty('endsAt');
});
