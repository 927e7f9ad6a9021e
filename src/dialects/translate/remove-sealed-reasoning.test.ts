import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { sealReasoning } from '../model/sealed-reasoning.ts';
import { removeSealedReasoning } from './remove-sealed-reasoning.ts';

const chat = 'chat-completions';
const sealed = sealReasoning({ dialect: chat, part: { reasoning_content: 'Hmm.' } });
const sealedThinking = { type: 'thinking', thinking: 'Hmm.', signature: sealed };
const ownThinking = { type: 'thinking', thinking: 'Hmm.', signature: 'EqQBCgIYAhIM' };
const text = { type: 'text', text: 'Hi' };
const user = { role: 'user', content: 'Hi' };
const assistant = (content: unknown, more: JsonObject = {}) => ({ role: 'assistant', content, ...more });
const sealedDetail = { type: 'reasoning.encrypted', data: sealed };
const ownDetail = { type: 'reasoning.encrypted', data: 'gAAA' };

type Row = readonly [title: string, dialect: Dialect, given: readonly unknown[], kept: readonly unknown[]];

const rows: readonly Row[] = [
  ['next to a text', 'messages', [user, assistant([sealedThinking, text])], [user, assistant([text])]],
  [
    'next to reasoning of the provider',
    'messages',
    [assistant([ownThinking, sealedThinking, text])],
    [assistant([ownThinking, text])],
  ],
  ['that is all of a message', 'messages', [user, assistant([sealedThinking]), user], [user, user]],
  [
    'that is all of a message, twice',
    'messages',
    [user, assistant([sealedThinking, sealedThinking]), user],
    [user, user],
  ],
  [
    'next to an empty message, which stays for the provider to reject',
    'messages',
    [assistant([]), assistant([sealedThinking, text])],
    [assistant([]), assistant([text])],
  ],
  [
    'next to what is not a message',
    'messages',
    [null, 'Hi', assistant('Hi'), assistant([null, sealedThinking])],
    [null, 'Hi', assistant('Hi'), assistant([null])],
  ],
  [
    'in the details of a message',
    chat,
    [user, assistant('Hi', { reasoning_details: [ownDetail, sealedDetail] })],
    [user, assistant('Hi', { reasoning_details: [ownDetail] })],
  ],
  [
    'that is all of the details',
    chat,
    [assistant('Hi', { reasoning_details: [sealedDetail] })],
    [assistant('Hi', { reasoning_details: [] })],
  ],
  [
    'that is an item',
    'responses',
    [user, { type: 'reasoning', summary: [], encrypted_content: sealed }, assistant('Hi')],
    [user, assistant('Hi')],
  ],
];

describe('sealed reasoning in a request that is not translated', () => {
  it.each(rows)('is removed %s, in %s', (_, dialect, given, kept) => {
    const [list, path] = lists[dialect];
    expect(removeSealedReasoning({ model: 'm', [list]: given }, dialect)).toEqual({
      body: { model: 'm', [list]: kept },
      droppedFields: [path],
    });
  });

  it.each(rows)('leaves a request without it unchanged: %s, in %s', (_, dialect, __, kept) => {
    const body = { model: 'm', [lists[dialect][0]]: kept };
    const removed = removeSealedReasoning(body, dialect);
    expect([removed.body === body, removed.droppedFields]).toEqual([true, []]);
  });

  it.each([undefined, null, 'Hi', {}])('is not looked for in a conversation that is no list: %j', (list) => {
    for (const dialect of [chat, 'messages', 'responses'] as const) {
      const body = { messages: list, input: list };
      expect(removeSealedReasoning(body, dialect)).toEqual({ body, droppedFields: [] });
    }
  });
});

const lists: Readonly<Record<Dialect, readonly [list: string, path: string]>> = {
  [chat]: ['messages', 'messages.*.reasoning_details'],
  messages: ['messages', 'messages.*.content.*.thinking'],
  responses: ['input', 'input.*.reasoning'],
};
