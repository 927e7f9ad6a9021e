import { expect, test } from 'vitest';
import { createClient, type HttpRequest } from '../../../../src/api/client.ts';
import {
  changedTexts,
  edit,
  moveLabel,
  type PresetAction,
  removeLabel,
  withoutUndo,
} from './preset-action.ts';

/** What a change to the preset `bot` sends. */
async function sentBy(action: PresetAction | undefined) {
  const sent: HttpRequest[] = [];
  const { call } = createClient(async (request: HttpRequest) => {
    sent.push(request);
    return { headers: new Headers(), text: '{}', content: {} };
  });
  const open = () => Promise.reject(new Error('Changes are not streamed.'));
  await action?.change(
    { call, open },
    { params: { slug: 'bot' }, query: { workspace_id: 'w' }, headers: { 'if-match': '"1"' } },
  );
  return sent.map(({ method, path, headers, body }) => [method, path, headers['if-match'], body]);
}

test('undoing a moved label moves it back', async () => {
  const action = moveLabel('qa', 2, 4);
  const path = '/presets/bot/labels/qa?workspace_id=w';
  expect(await sentBy(action)).toEqual([['PUT', path, '"1"', '{"version":4}']]);
  expect(await sentBy(action.undo)).toEqual([['PUT', path, '"1"', '{"version":2}']]);
  expect([action.message, action.undo?.message]).toEqual([
    'Moved label qa from version 2 to version 4',
    'Moved label qa back to version 2',
  ]);
});

test('undoing an added label removes it, and undoing a removed label restores it', async () => {
  const path = '/presets/bot/labels/qa?workspace_id=w';
  expect(await sentBy(moveLabel('qa', undefined, 4).undo)).toEqual([['DELETE', path, '"1"', undefined]]);
  expect(await sentBy(removeLabel('qa', 4).undo)).toEqual([['PUT', path, '"1"', '{"version":4}']]);
});

test('undoing an edit restores the old values', async () => {
  const action = edit({ name: 'New' }, { name: 'Old' });
  const path = '/presets/bot?workspace_id=w';
  expect(await sentBy(action)).toEqual([['PATCH', path, '"1"', '{"name":"New"}']]);
  expect(await sentBy(action.undo)).toEqual([['PATCH', path, '"1"', '{"name":"Old"}']]);
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
