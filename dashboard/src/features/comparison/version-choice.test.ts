import { expect, test } from 'vitest';
import { versionOptions } from './version-choice.ts';

const production = { label: 'production', version: 2, updated_at: '2026-11-15T02:04:17.974Z' };

test('versions are listed newest first, with their labels', () => {
  expect(versionOptions({ latest: 3, live: 2, labels: [production] })).toEqual([
    ['3', 'Version 3'],
    ['2', 'Version 2 · live · production'],
    ['1', 'Version 1'],
  ]);
});

test('the choice has the newest versions, those with a label, and selected ones', () => {
  const options = versionOptions({ latest: 5_000, live: 7, labels: [production] }, [1_234, 9_999]);
  expect(options).toHaveLength(103);
  expect(options.slice(99).map(([version]) => version)).toEqual(['4901', '1234', '7', '2']);
});
