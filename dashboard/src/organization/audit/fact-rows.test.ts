import { expect, it } from 'vitest';
import { factRows } from './fact-rows.ts';

it('puts what was before beside what is after', () => {
  const before = { version: null, label: 'production' };
  const after = { version: 2, label: 'production', read_only: false, name: '' };
  expect(factRows({ before, after })).toEqual([
    { name: 'version', before: 'none', after: '2' },
    { name: 'label', before: 'production', after: 'production' },
    { name: 'read only', before: undefined, after: 'false' },
    { name: 'name', before: undefined, after: 'none' },
  ]);
  expect(factRows({ before: null, after: null })).toEqual([]);
});
