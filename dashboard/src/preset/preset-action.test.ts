import { expect, test } from 'vitest';
import { edit, moveLabel, removeLabel, withoutUndo } from './preset-action.ts';

test('moving a label is undone by moving it back', () => {
  const { request, undo, told } = moveLabel('qa', 2, 4);
  expect(request).toEqual({ method: 'PUT', parts: ['labels', 'qa'], body: { version: 4 } });
  expect(undo?.request).toEqual({ method: 'PUT', parts: ['labels', 'qa'], body: { version: 2 } });
  expect([told, undo?.told]).toEqual([
    'Label qa moved from version 2 to version 4.',
    'Label qa is on version 2 again.',
  ]);
});

test('adding a label is undone by removing it, and removing it by putting it back', () => {
  expect(moveLabel('qa', undefined, 4).undo?.request).toEqual({ method: 'DELETE', parts: ['labels', 'qa'] });
  expect(removeLabel('qa', 4).undo?.request).toMatchObject({ method: 'PUT', body: { version: 4 } });
});

test('an edit is undone by what was there before', () => {
  const action = edit({ name: 'New' }, { name: 'Old' });
  expect([action.request.body, action.undo?.request.body]).toEqual([{ name: 'New' }, { name: 'Old' }]);
  expect(withoutUndo(action)).toEqual({ ...action, undo: undefined });
});
