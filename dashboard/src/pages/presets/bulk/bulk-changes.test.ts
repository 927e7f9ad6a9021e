import { expect, test } from 'vitest';
import type { PresetSummary } from '../../../../../src/api/presets.ts';
import { tagsAfter, undoOf } from './bulk-changes.ts';

test.each([
  [['eu'], { add: ['us', 'eu'], remove: [] }, ['eu', 'us']],
  [['us', 'eu'], { add: ['a'], remove: ['us'] }, ['a', 'eu']],
  [['eu'], { add: [], remove: ['nobody'] }, ['eu']],
])('the tags %j with the change %j become %j, and the undo restores them', (tags, change, expected) => {
  const after = tagsAfter(tags, change);
  expect(after).toEqual(expected);
  expect(tagsAfter(after, undoOf({ tags } as unknown as PresetSummary, change))).toEqual(tags.toSorted());
});
