import { expect, test } from 'vitest';
import { changedTexts, edit, moveLabel, removeLabel, withoutUndo } from './preset-action.ts';

test('undoing a moved label moves it back', () => {
  const { request, undo, message } = moveLabel('qa', 2, 4);
  expect(request).toEqual({ method: 'PUT', parts: ['labels', 'qa'], body: { version: 4 } });
  expect(undo?.request).toEqual({ method: 'PUT', parts: ['labels', 'qa'], body: { version: 2 } });
  expect([message, undo?.message]).toEqual([
    'Moved label qa from version 2 to version 4',
    'Moved label qa back to version 2',
  ]);
});

test('undoing an added label removes it, and undoing a removed label restores it', () => {
  expect(moveLabel('qa', undefined, 4).undo?.request).toEqual({ method: 'DELETE', parts: ['labels', 'qa'] });
  expect(removeLabel('qa', 4).undo?.request).toMatchObject({ method: 'PUT', body: { version: 4 } });
});

test('undoing an edit restores the old values', () => {
  const action = edit({ name: 'New' }, { name: 'Old' });
  expect([action.request.body, action.undo?.request.body]).toEqual([{ name: 'New' }, { name: 'Old' }]);
  expect(withoutUndo(action)).toEqual({ ...action, undo: undefined });
});

const preset = { name: 'Bot', description: 'Old' };

test.each([
  ['nothing', { name: 'Bot', description: 'Old' }, {}, {}],
  ['the name', { name: 'New', description: 'Old' }, { name: 'New' }, { name: 'Bot' }],
  ['the description', { name: 'Bot', description: '' }, { description: null }, { description: 'Old' }],
  ['both', { name: 'N', description: 'D' }, { name: 'N', description: 'D' }, preset],
])('sends only what changed: %s', (_what, typed, changed, before) => {
  expect(changedTexts(preset, typed)).toEqual({ changed, before });
});

test('treats no description and an empty one as equal', () => {
  for (const description of [null, ''])
    expect(changedTexts({ name: 'Bot', description }, { name: 'Bot', description: '' }).changed).toEqual({});
});
