import { expect, it } from 'vitest';
import { versionsChangedBy } from './changed-versions.ts';

it.each([
  [
    'preset.version_added',
    { designated_version: 1 },
    { version: 3, designated_version: 3 },
    { from: 1, to: 3 },
  ],
  [
    'preset.version_added',
    { designated_version: 1 },
    { version: 3, designated_version: 1 },
    { from: 1, to: 3 },
  ],
  ['preset.designated', { designated_version: 3 }, { designated_version: 1 }, { from: 3, to: 1 }],
  ['preset.label_moved', { label: 'a', version: 2 }, { label: 'a', version: 4 }, { from: 2, to: 4 }],
  ['preset.label_moved', { label: 'a', version: null }, { label: 'a', version: 4 }, undefined],
  ['preset.label_removed', { label: 'a', version: 4 }, { label: 'a', version: null }, undefined],
  ['preset.created', null, { version: 1, designated_version: 1 }, undefined],
  ['preset.imported', { designated_version: 2 }, { designated_version: 2 }, undefined],
  ['preset.designated', { designated_version: '3' }, { designated_version: 1 }, undefined],
])('the event %s from %j to %j compares %j', (kind, before, after, pair) => {
  expect(versionsChangedBy({ kind, before, after })).toEqual(pair);
});
