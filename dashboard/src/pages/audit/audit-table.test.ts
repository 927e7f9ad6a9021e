import { expect, it } from 'vitest';
import { changeRows } from './audit-table.tsx';

it('the values before and after an event are paired', () => {
  const before = { version: null, label: 'production' };
  const after = { version: 2, label: 'production', read_only: false, name: '' };
  expect(changeRows({ before, after })).toEqual([
    { name: 'version', before: 'none', after: '2' },
    { name: 'label', before: 'production', after: 'production' },
    { name: 'read only', before: undefined, after: 'false' },
    { name: 'name', before: undefined, after: 'none' },
  ]);
  expect(changeRows({ before: null, after: null })).toEqual([]);
});
