import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { markPreset } from './response-ids.ts';
import { findNamedIds, findReferences, scopeIds } from './stored-references.ts';

type KeysOf<Union> = Union extends object ? keyof Union : never;
type IdsOf<Union> = Extract<KeysOf<Union>, 'id' | `${string}_id` | `${string}_ids`>;
type Request = OpenAI.Responses.ResponseCreateParams;

/**
 * All ids in OpenAI's requests. tsc fails if its SDK knows another one, which may name something
 * that the provider has stored: then it has to be scoped.
 */
const itemIds: Readonly<Record<IdsOf<OpenAI.Responses.ResponseInputItem>, 'scoped' | 'passed on'>> = {
  id: 'scoped',
  approval_request_id: 'scoped',
  // Of another item of the input.
  call_id: 'passed on',
  // All workspaces share the containers, files and vector stores of the account.
  container_id: 'passed on',
};
const requestIds: Readonly<Record<IdsOf<Request>, 'scoped'>> = { previous_response_id: 'scoped' };
const cacheIds: Readonly<Record<IdsOf<Request['prompt_cache_options']>, 'scoped'>> = {
  comparison_response_id: 'scoped',
};

const stored = new Map([
  ['resp_signed', { upstream: 'one', id: 'resp_own', presets: [] }],
  [
    'msg_signed',
    { upstream: 'one', id: 'msg_own', presets: [markPreset('0197b8a0-0000-7000-8123-4567890abcde')] },
  ],
  ['msg_elsewhere', { upstream: 'two', id: 'msg_two', presets: [] }],
]);
const scope = (body: object, isStoring = true) =>
  scopeIds({ ...body }, { upstream: { name: 'one' }, isStoring, stored, workspaceId: 'w' });

describe('the ids in a request', () => {
  it.each(Object.keys(requestIds))('a request is scoped by %s', (name) => {
    expect(scope({ [name]: 'resp_signed' })).toEqual({
      body: { [name]: 'resp_own' },
      droppedFields: [],
      responses: { resp_own: 'resp_signed' },
      items: {},
    });
    expect(findReferences({ [name]: 'x' })).toMatchObject([{ path: `/${name}`, id: 'x' }]);
    expect(findNamedIds({ [name]: 'x' })).toEqual([{ kind: 'response', id: 'x' }]);
  });

  it.each(Object.keys(cacheIds))('the options of the prompt cache are scoped by %s', (name) => {
    const body = { prompt_cache_options: { ttl: '30m', [name]: 'resp_signed' } };
    expect(scope(body).body).toEqual({ prompt_cache_options: { ttl: '30m', [name]: 'resp_own' } });
    expect(findReferences(body)).toMatchObject([
      { path: `/prompt_cache_options/${name}`, id: 'resp_signed' },
    ]);
    expect(findNamedIds(body)).toEqual([{ kind: 'response', id: 'resp_signed' }]);
  });

  it.each(Object.entries(itemIds))('%s of an item is %s', (name, where) => {
    const item = { type: 'x', content: 'x', [name]: 'msg_signed' };
    const isScoped = where === 'scoped';
    expect(scope({ input: [item] }).body).toEqual({
      input: [isScoped ? { ...item, [name]: 'msg_own' } : item],
    });
    expect(findNamedIds({ input: [item] })).toEqual(isScoped ? [{ kind: 'item', id: 'msg_signed' }] : []);
  });

  it('both ids of an item are scoped', () => {
    const item = { type: 'mcp_call', name: 'n', id: 'msg_signed', approval_request_id: 'approval_1' };
    const { body, items } = scope({ input: [item] });
    expect(body.input).toEqual([
      { ...item, id: 'msg_own', approval_request_id: expect.stringMatching(/^approval_[0-9a-f]{32}$/) },
    ]);
    expect(Object.values(items)).toEqual(['msg_signed', 'approval_1']);
  });

  it.each([
    ['of this upstream', 'msg_signed', 'msg_own', 'msg_own'],
    ['of another upstream', 'msg_elsewhere', /^msg_[0-9a-f]{32}$/, 'msg_two'],
    ['of nobody', 'msg_1', /^msg_[0-9a-f]{32}$/, 'msg_1'],
    ['without a prefix', '7', /^[0-9a-f]{32}$/, '7'],
  ])('an id %s means nothing else at an upstream that stores responses', (_, id, storing, stateless) => {
    const input = [{ type: 'message', id, content: 'x' }];
    const idIn = (isStoring: boolean) => {
      const [item] = scope({ input }, isStoring).body.input as readonly { readonly id: string }[];
      return item?.id;
    };
    expect(idIn(true)).toEqual(typeof storing === 'string' ? storing : expect.stringMatching(storing));
    expect(idIn(false)).toBe(stateless);
  });

  it.each<[item: object, storing: string | RegExp | undefined]>([
    [{ type: 'reasoning', id: 'rs_1' }, undefined],
    [{ type: 'reasoning', id: 'rs_1', content: [] }, undefined],
    [{ type: 'reasoning', id: 'rs_1', encrypted_content: '' }, undefined],
    [{ type: 'reasoning', id: 'rs_1', encrypted_content: 7 }, undefined],
    [{ type: 'reasoning', id: 'rs_1', content: 'x' }, /^rs_[0-9a-f]{32}$/],
    [{ type: 'reasoning', id: 'rs_1', encrypted_content: 'x' }, 'rs_1'],
    [{ type: 'compaction', id: 'cmp_1', encrypted_content: 'x' }, 'cmp_1'],
    [{ type: 'compaction', id: 'cmp_1' }, /^cmp_[0-9a-f]{32}$/],
    [{ type: 'message', id: 'msg_1', encrypted_content: 'x' }, /^msg_[0-9a-f]{32}$/],
    [{ type: 'reasoning', id: 'msg_signed' }, 'msg_own'],
  ])('%j has the id %s at an upstream that stores responses', (item, storing) => {
    const { body, droppedFields } = scope({ input: ['Hi', item] });
    const id = typeof storing === 'string' ? storing : expect.stringMatching(storing ?? '');
    expect(body).toEqual({ input: storing === undefined ? ['Hi'] : ['Hi', { ...item, id }] });
    expect(droppedFields).toEqual(storing === undefined ? ['input.*.reasoning'] : []);
  });

  it.each([
    { type: 'reasoning', id: 'rs_1' },
    { type: 'reasoning', id: 'rs_1', encrypted_content: 'x' },
  ])('%j stays as it is at an upstream that stores nothing', (item) => {
    const body = { input: [item] };
    expect(scope(body, false)).toEqual({ body, droppedFields: [], responses: {}, items: {} });
  });

  it.each([{ type: 'reasoning', id: null }, { type: 'reasoning' }, 'Hi', 7, null])(
    'an item such as %j has no id to replace',
    (item) => {
      const body = { input: [item] };
      expect(scope(body)).toEqual({ body, droppedFields: [], responses: {}, items: {} });
      expect(findNamedIds(body)).toEqual([]);
    },
  );

  it.each<[object, boolean]>([
    [{ type: 'item_reference', id: 'a' }, true],
    [{ type: 'item_reference', id: 'a', content: 'x' }, true],
    [{ type: 'item_reference' }, true],
    [{ id: 'a' }, true],
    [{ id: 'a', type: null, status: 'completed' }, true],
    [{ type: 'image_generation_call', id: 'a', result: null }, true],
    [{ type: 'message', id: 'a', content: [] }, true],
    [{ type: 'message', id: 'a', content: '' }, true],
    [{ type: 'message', id: 'a', content: 'x' }, false],
    [{ type: 'image_generation_call', id: 'a', result: 'x' }, false],
    [{ type: 'reasoning', id: 'a', summary: [] }, false],
    [{ type: 'message' }, false],
    [{}, false],
  ])('%j refers to something that is stored: %s', (item, expected) => {
    expect(findReferences({ input: [item] })).toHaveLength(expected ? 1 : 0);
  });

  it.each([
    {},
    { input: 'Hi' },
    { input: null },
    { previous_response_id: null },
    { previous_response_id: '' },
  ])('%j has none', (body) => {
    expect(findReferences(body)).toEqual([]);
    expect(scope(body)).toEqual({ body, droppedFields: [], responses: {}, items: {} });
  });

  it('leave a request without them the same object', () => {
    const body = {
      input: [{ role: 'user', content: 'Hi' }, 7, null, 'x', { type: 'reasoning', summary: [] }],
    };
    const { body: scoped } = scopeIds(body, {
      upstream: { name: 'one' },
      isStoring: true,
      stored,
      workspaceId: 'w',
    });
    expect(scoped).toBe(body);
  });
});
