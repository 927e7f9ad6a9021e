import { expect, test } from 'vitest';
import type { Source } from '../../../features/runs/run-state.ts';
import { columnsWith } from './column-in-url.ts';

const columns = (...sources: readonly Source[]) =>
  sources.map((source, index) => ({ id: index + 1, source, model: '' }));

test.each([
  ['replaces a column that has not run', columns('draft'), false, [3]],
  ['is added to one that has', columns('draft'), true, ['draft', 3]],
  ['is added to several', columns('draft', 'live'), false, ['draft', 'live', 3]],
  ['is there already', columns('draft', 3), false, ['draft', 3]],
  ['is added to one with another model', [{ id: 1, source: 3, model: 'a' } as const], true, [3, 3]],
  ['has no room', columns('draft', 'live', 1, 2), true, undefined],
] as const)('a version from the URL %s', (_, before, hasResults, expected) => {
  const after = columnsWith(3, before, hasResults);
  expect(after?.map(({ source }) => source)).toEqual(expected);
  expect(new Set(after?.map(({ id }) => id)).size).toBe(after?.length ?? 0);
});
