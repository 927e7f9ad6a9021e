import { expect, it } from 'vitest';
import { definedFields } from './defined-fields.ts';

it('undefined fields are omitted, but empty ones are not', () => {
  const changes = definedFields({ name: '', description: null, status: undefined });
  expect(Object.entries(changes)).toEqual([
    ['name', ''],
    ['description', null],
  ]);
});
