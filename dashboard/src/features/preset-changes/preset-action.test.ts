import { expect, test } from 'vitest';
import { createClient, type HttpRequest } from '../../../../src/api/client.ts';
import {
  addAlias,
  addTag,
  changedTexts,
  edit,
  moveLabel,
  type PresetAction,
  removeAlias,
  removeLabel,
  removeTag,
  withoutUndo,
} from './preset-action.ts';

/** Returns the requests that a change to the preset `bot` sends. */
async function sentBy(action: PresetAction | undefined) {
  const sent: HttpRequest[] = [];
  const { call } = createClient(async (request: HttpRequest) => {
    sent.push(request);
    return { headers: new Headers({ etag: '"2"' }), text: '', content: { data: ['a', 'c'] } };
  });
  const unused = () => {
    throw new Error('Changes are not streamed, and use the key of the session.');
  };
  await action?.change(
    { call, open: unused, withKey: unused, ended: new AbortController().signal },
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

test('undoing a change of the slug changes it back, and both messages name the alias', async () => {
  const action = edit({ slug: 'new', name: 'New' }, { slug: 'bot', name: 'Old' });
  const path = '/presets/bot?workspace_id=w';
  expect(await sentBy(action)).toEqual([['PATCH', path, '"1"', '{"slug":"new","name":"New"}']]);
  expect(await sentBy(action.undo)).toEqual([['PATCH', path, '"1"', '{"slug":"bot","name":"Old"}']]);
  expect([action.message, action.undo?.message]).toEqual([
    'Changed the slug to new; bot is now an alias',
    'Changed the slug back to bot; new is now an alias',
  ]);
});

test('undoing an added alias removes it, and undoing a removed alias restores it', async () => {
  const path = '/presets/bot/aliases/pmpt_1?workspace_id=w';
  const [put, deleted] = [[['PUT', path, '"1"', undefined]], [['DELETE', path, '"1"', undefined]]];
  expect([await sentBy(addAlias('pmpt_1')), await sentBy(addAlias('pmpt_1').undo)]).toEqual([put, deleted]);
  expect([await sentBy(removeAlias('pmpt_1')), await sentBy(removeAlias('pmpt_1').undo)]).toEqual([
    deleted,
    put,
  ]);
});

test.each([
  ['add', addTag('b'), ['a', 'c', 'b'], ['a', 'c']],
  ['add once more', addTag('a'), ['a', 'c'], ['c']],
  ['remove', removeTag('a'), ['c'], ['a', 'c']],
])('a tag change applies to the current tags of the preset: %s', async (_what, action, tags, undone) => {
  const read = ['GET', '/presets/bot/tags?workspace_id=w', undefined, undefined];
  const path = '/presets/bot?workspace_id=w';
  expect(await sentBy(action)).toEqual([read, ['PATCH', path, '"2"', JSON.stringify({ tags })]]);
  expect(await sentBy(action.undo)).toEqual([read, ['PATCH', path, '"2"', JSON.stringify({ tags: undone })]]);
});

const preset = { name: 'Bot', slug: 'bot', description: 'Old' };

test.each([
  ['nothing', preset, {}, {}],
  ['the name', { ...preset, name: 'New' }, { name: 'New' }, { name: 'Bot' }],
  ['the slug', { ...preset, slug: 'new' }, { slug: 'new' }, { slug: 'bot' }],
  ['the description', { ...preset, description: '' }, { description: null }, { description: 'Old' }],
  ['all', { name: 'N', slug: 's', description: 'D' }, { name: 'N', slug: 's', description: 'D' }, preset],
])('an edit sends only what changed: %s', (_what, typed, changed, before) => {
  expect(changedTexts(preset, typed)).toEqual({ changed, before });
});

test('a missing description equals an empty one', () => {
  for (const description of [null, ''])
    expect(changedTexts({ ...preset, description }, { ...preset, description: '' }).changed).toEqual({});
});
