import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/json-object.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import * as chatCompletions from '../chat-completions/turns.ts';
import * as messages from '../messages/turns.ts';
import * as responses from '../responses/turns.ts';

const chat = 'chat-completions';
const formats = { [chat]: chatCompletions, messages, responses };
const pairs = dialects.flatMap((from) => dialects.map((to) => [from, to] as const));

function translate(conversation: JsonObject, from: Dialect, to: Dialect): JsonObject {
  const { fields, dropped } = formats[to].writeTurns(formats[from].parseTurns(conversation));
  return { ...fields, dropped: [...dropped] };
}

type InEach = Readonly<Record<Dialect, JsonObject>>;

const image = 'data:image/png;base64,iVBORw0KGgo=';
const imageBlock = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
};

/** Conversations that translate between all dialects without loss. */
const everywhere: readonly (readonly [string, InEach])[] = [
  [
    'a question',
    {
      [chat]: { messages: [{ role: 'user', content: 'Hi' }] },
      messages: { messages: [{ role: 'user', content: 'Hi' }] },
      responses: { input: [{ type: 'message', role: 'user', content: 'Hi' }] },
    },
  ],
  [
    'a system prompt',
    {
      [chat]: {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
      },
      messages: { system: 'Be brief.', messages: [{ role: 'user', content: 'Hi' }] },
      responses: {
        instructions: 'Be brief.',
        input: [{ type: 'message', role: 'user', content: 'Hi' }],
      },
    },
  ],
  [
    'several turns',
    {
      [chat]: {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Hello' },
          { role: 'user', content: 'Bye' },
        ],
      },
      messages: {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Hello' },
          { role: 'user', content: 'Bye' },
        ],
      },
      responses: {
        input: [
          { type: 'message', role: 'user', content: 'Hi' },
          { type: 'message', role: 'assistant', content: 'Hello' },
          { type: 'message', role: 'user', content: 'Bye' },
        ],
      },
    },
  ],
  [
    'text and an image',
    {
      [chat]: {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is it?' },
              { type: 'image_url', image_url: { url: image } },
            ],
          },
        ],
      },
      messages: {
        messages: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, imageBlock] }],
      },
      responses: {
        input: [
          {
            type: 'message',
            role: 'user',
            content: [
              { type: 'input_text', text: 'What is it?' },
              { type: 'input_image', image_url: image, detail: 'auto' },
            ],
          },
        ],
      },
    },
  ],
  [
    'parallel tool calls, their results and what the user adds',
    {
      [chat]: {
        messages: [
          { role: 'user', content: 'Weather?' },
          {
            role: 'assistant',
            content: 'Let me see.',
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bonn"}' } },
              { id: 'call_2', type: 'function', function: { name: 'clock', arguments: '{}' } },
            ],
          },
          { role: 'tool', tool_call_id: 'call_1', content: '{"sun":true}' },
          { role: 'tool', tool_call_id: 'call_2', content: '12:00' },
          { role: 'user', content: 'Hurry.' },
        ],
      },
      messages: {
        messages: [
          { role: 'user', content: 'Weather?' },
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'Let me see.' },
              { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Bonn' } },
              { type: 'tool_use', id: 'call_2', name: 'clock', input: {} },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'call_1', content: '{"sun":true}' },
              { type: 'tool_result', tool_use_id: 'call_2', content: '12:00' },
              { type: 'text', text: 'Hurry.' },
            ],
          },
        ],
      },
      responses: {
        input: [
          { type: 'message', role: 'user', content: 'Weather?' },
          {
            type: 'message',
            role: 'assistant',
            content: [{ type: 'output_text', text: 'Let me see.', annotations: [] }],
          },
          { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Bonn"}' },
          { type: 'function_call', call_id: 'call_2', name: 'clock', arguments: '{}' },
          { type: 'function_call_output', call_id: 'call_1', output: '{"sun":true}' },
          { type: 'function_call_output', call_id: 'call_2', output: '12:00' },
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hurry.' }] },
        ],
      },
    },
  ],
  [
    'two rounds of tool calls without text',
    {
      [chat]: {
        messages: [
          { role: 'user', content: 'Go' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"n":1}' } }],
          },
          { role: 'tool', tool_call_id: 'a', content: '1' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'b', type: 'function', function: { name: 'f', arguments: '{"n":2}' } }],
          },
          { role: 'tool', tool_call_id: 'b', content: '2' },
        ],
      },
      messages: {
        messages: [
          { role: 'user', content: 'Go' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: { n: 1 } }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '1' }] },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'b', name: 'f', input: { n: 2 } }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'b', content: '2' }] },
        ],
      },
      responses: {
        input: [
          { type: 'message', role: 'user', content: 'Go' },
          { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"n":1}' },
          { type: 'function_call_output', call_id: 'a', output: '1' },
          { type: 'function_call', call_id: 'b', name: 'f', arguments: '{"n":2}' },
          { type: 'function_call_output', call_id: 'b', output: '2' },
        ],
      },
    },
  ],
];

/** One text of several forms: a string is short for one text part. */
function normalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalize);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, isText(each) ? each[0].text : normalize(each)]),
  );
}

function isText(value: unknown): value is [{ text: string }] {
  if (!Array.isArray(value) || value.length !== 1) return false;
  return ['text', 'input_text', 'output_text'].includes(value[0]?.type);
}

describe.each(pairs)('a conversation from %s to %s', (from, to) => {
  it.each(everywhere)('keeps %s', (_, conversation) => {
    const { dropped, ...fields } = translate(conversation[from], from, to);
    expect([normalize(fields), dropped]).toEqual([normalize(conversation[to]), []]);
  });
});

type Loss = readonly [title: string, from: Dialect, source: JsonObject, to: Dialect, target: JsonObject];

const system = (text: string) => ({ role: 'system', content: text });
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown, more: object = {}) => ({ role: 'assistant', content, ...more });
const toolCall = (id: string, input = '{}') => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: input },
});
const toolUse = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'f', input });
const result = (id: string, content?: unknown, more: object = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  ...(content !== undefined && { content }),
  ...more,
});

/** Conversations that another dialect expresses differently, with the result and the losses. */
const directed: readonly Loss[] = [
  [
    'instructions at the start',
    chat,
    { messages: [system('A'), { role: 'developer', content: 'B' }, user('Hi')] },
    'messages',
    {
      system: [
        { type: 'text', text: 'A' },
        { type: 'text', text: 'B' },
      ],
      messages: [user('Hi')],
      dropped: [],
    },
  ],
  [
    'instructions at the start',
    chat,
    { messages: [system('A'), { role: 'developer', content: 'B' }, user('Hi')] },
    'responses',
    {
      instructions: 'A',
      input: [
        { type: 'message', role: 'developer', content: 'B' },
        { type: 'message', role: 'user', content: 'Hi' },
      ],
      dropped: [],
    },
  ],
  [
    'instructions at the start, in several blocks',
    'messages',
    {
      system: [
        { type: 'text', text: 'A' },
        { type: 'text', text: 'B', cache_control: { type: 'ephemeral' } },
      ],
      messages: [],
    },
    'responses',
    {
      input: [
        {
          type: 'message',
          role: 'system',
          content: [
            { type: 'input_text', text: 'A' },
            { type: 'input_text', text: 'B' },
          ],
        },
      ],
      dropped: ['system.*.cache_control'],
    },
  ],
  [
    'instructions within the conversation, as turns of the user',
    chat,
    { messages: [user('Hi'), system('New rules'), user('Bye')] },
    'messages',
    { messages: [user('Hi'), user('New rules'), user('Bye')], dropped: ['messages.*.role'] },
  ],
  [
    'instructions within the conversation',
    'messages',
    { messages: [user('Hi'), system('New rules')] },
    chat,
    { messages: [user('Hi'), system('New rules')], dropped: [] },
  ],
  [
    'the names of participants',
    chat,
    { messages: [{ ...user('Hi'), name: 'Ann' }] },
    'messages',
    { messages: [user('Hi')], dropped: ['messages.*.name'] },
  ],
  [
    'text after tool calls, before them',
    'messages',
    {
      messages: [
        assistant([{ type: 'text', text: 'A' }, toolUse('a'), { type: 'text', text: 'B' }]),
        user([result('a', 'x')]),
      ],
    },
    chat,
    {
      messages: [
        assistant(
          [
            { type: 'text', text: 'A' },
            { type: 'text', text: 'B' },
          ],
          { tool_calls: [toolCall('a')] },
        ),
        { role: 'tool', tool_call_id: 'a', content: 'x' },
      ],
      dropped: [],
    },
  ],
  [
    'texts between a tool call and its result, in one turn',
    'responses',
    {
      input: [
        { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
        { type: 'message', role: 'assistant', content: 'A' },
        { type: 'message', role: 'assistant', content: 'B' },
        { type: 'function_call_output', call_id: 'a', output: 'x' },
      ],
    },
    'messages',
    {
      messages: [
        assistant([toolUse('a'), { type: 'text', text: 'A' }, { type: 'text', text: 'B' }]),
        user([result('a', 'x')]),
      ],
      dropped: [],
    },
  ],
  [
    'texts without a tool call, in turns of their own',
    'responses',
    {
      input: [
        { type: 'message', role: 'assistant', content: 'A' },
        { type: 'message', role: 'assistant', content: 'B' },
        { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'a', output: 'x' },
      ],
    },
    'messages',
    {
      messages: [
        assistant('A'),
        assistant([{ type: 'text', text: 'B' }, toolUse('a')]),
        user([result('a', 'x')]),
      ],
      dropped: [],
    },
  ],
  [
    'text after tool calls, in place',
    'messages',
    { messages: [assistant([toolUse('a'), { type: 'text', text: 'B' }])] },
    'responses',
    {
      input: [
        { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'B', annotations: [] }],
        },
      ],
      dropped: [],
    },
  ],
  [
    'an image in a tool result, in a message after all results',
    'messages',
    {
      messages: [
        assistant([toolUse('a'), toolUse('b')]),
        user([
          result('a', [{ type: 'text', text: 'A chart' }, imageBlock]),
          result('b', 'done'),
          { type: 'text', text: 'Go on' },
        ]),
      ],
    },
    chat,
    {
      messages: [
        assistant(null, { tool_calls: [toolCall('a'), toolCall('b')] }),
        { role: 'tool', tool_call_id: 'a', content: 'A chart' },
        { role: 'tool', tool_call_id: 'b', content: 'done' },
        user([
          { type: 'image_url', image_url: { url: image } },
          { type: 'text', text: 'Go on' },
        ]),
      ],
      dropped: [],
    },
  ],
  [
    'an image in a tool result',
    'messages',
    { messages: [user([result('a', [imageBlock])])] },
    'responses',
    {
      input: [
        {
          type: 'function_call_output',
          call_id: 'a',
          output: [{ type: 'input_image', image_url: image, detail: 'auto' }],
        },
      ],
      dropped: [],
    },
  ],
  [
    'an image in a tool result',
    'responses',
    {
      input: [
        {
          type: 'function_call_output',
          call_id: 'a',
          output: [{ type: 'input_image', image_url: image }],
        },
      ],
    },
    'messages',
    { messages: [user([result('a', [imageBlock])])], dropped: [] },
  ],
  [
    'the error of a tool',
    'messages',
    { messages: [user([result('a', 'failed', { is_error: true })])] },
    chat,
    {
      messages: [{ role: 'tool', tool_call_id: 'a', content: 'failed' }],
      dropped: ['messages.*.content.*.is_error'],
    },
  ],
  [
    'the error of a tool',
    'messages',
    { messages: [user([result('a', 'failed', { is_error: true })])] },
    'responses',
    {
      input: [{ type: 'function_call_output', call_id: 'a', output: 'failed' }],
      dropped: ['messages.*.content.*.is_error'],
    },
  ],
  [
    'an empty tool result',
    'messages',
    { messages: [user([result('a')])] },
    chat,
    { messages: [{ role: 'tool', tool_call_id: 'a', content: '' }], dropped: [] },
  ],
  [
    'results that are not next to their calls, at the start of one message',
    chat,
    {
      messages: [
        assistant(null, { tool_calls: [toolCall('a'), toolCall('b')] }),
        { role: 'tool', tool_call_id: 'a', content: '1' },
        user('Hurry'),
        { role: 'tool', tool_call_id: 'b', content: '2' },
        user('Please'),
      ],
    },
    'messages',
    {
      messages: [
        assistant([toolUse('a'), toolUse('b')]),
        user([result('a', '1'), result('b', '2'), { type: 'text', text: 'Hurry' }]),
        user('Please'),
      ],
      dropped: [],
    },
  ],
  [
    'results that are not next to their calls, right after them',
    'responses',
    {
      input: [
        { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
        { role: 'developer', content: 'Note' },
        { type: 'function_call_output', call_id: 'a', output: '1' },
      ],
    },
    chat,
    {
      messages: [
        assistant(null, { tool_calls: [toolCall('a')] }),
        { role: 'tool', tool_call_id: 'a', content: '1' },
        { role: 'developer', content: 'Note' },
      ],
      dropped: [],
    },
  ],
  [
    'empty texts and turns, which Anthropic rejects',
    chat,
    {
      messages: [
        system(''),
        user(''),
        assistant('', { tool_calls: [toolCall('a')] }),
        { role: 'tool', tool_call_id: 'a', content: '' },
        user([
          { type: 'text', text: ' \n' },
          { type: 'text', text: 'Hi' },
        ]),
      ],
    },
    'messages',
    {
      messages: [assistant([toolUse('a')]), user([result('a'), { type: 'text', text: 'Hi' }])],
      dropped: [],
    },
  ],
  [
    'arguments that are not a JSON object',
    chat,
    { messages: [assistant(null, { tool_calls: [toolCall('a', '{"n":'), toolCall('b', '')] })] },
    'messages',
    {
      messages: [assistant([toolUse('a', { INVALID_JSON: '{"n":' }), toolUse('b')])],
      dropped: ['messages.*.tool_calls.*.function.arguments'],
    },
  ],
  [
    'an input that only looks like arguments that are not a JSON object',
    'messages',
    {
      messages: [
        assistant([toolUse('a', { INVALID_JSON: '{"n":' }), toolUse('b', { INVALID_JSON: 'x', n: 1 })]),
      ],
    },
    chat,
    {
      messages: [
        assistant(null, {
          tool_calls: [toolCall('a', '{"n":'), toolCall('b', '{"INVALID_JSON":"x","n":1}')],
        }),
      ],
      dropped: [],
    },
  ],
  [
    'the input of custom tools',
    chat,
    {
      messages: [
        assistant(null, { tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'f', input: '*** x' } }] }),
        { role: 'tool', tool_call_id: 'a', content: 'ok' },
      ],
    },
    'messages',
    { messages: [assistant([toolUse('a', { input: '*** x' })]), user([result('a', 'ok')])], dropped: [] },
  ],
  [
    'custom tools',
    chat,
    {
      messages: [
        assistant(null, { tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'f', input: '*** x' } }] }),
        { role: 'tool', tool_call_id: 'a', content: 'ok' },
      ],
    },
    'responses',
    {
      input: [
        { type: 'custom_tool_call', call_id: 'a', name: 'f', input: '*** x' },
        { type: 'custom_tool_call_output', call_id: 'a', output: 'ok' },
      ],
      dropped: [],
    },
  ],
  [
    'calls of tools in a namespace',
    'responses',
    {
      input: [
        {
          type: 'function_call',
          id: 'fc_1',
          status: 'completed',
          call_id: 'a',
          namespace: 'mcp__files',
          name: 'read',
          arguments: '{}',
        },
      ],
    },
    'messages',
    {
      messages: [assistant([{ type: 'tool_use', id: 'a', name: 'mcp__files__read', input: {} }])],
      dropped: [],
    },
  ],
  [
    'the predecessor of tool calls',
    chat,
    {
      messages: [
        assistant(null, { function_call: { name: 'f', arguments: '{}' } }),
        { role: 'function', name: 'f', content: '1' },
        assistant(null, { function_call: { name: 'f', arguments: '{}' } }),
        { role: 'function', name: 'f', content: '2' },
      ],
    },
    'messages',
    {
      messages: [
        assistant([toolUse('function_call_0')]),
        user([result('function_call_0', '1')]),
        assistant([toolUse('function_call_1')]),
        user([result('function_call_1', '2')]),
      ],
      dropped: [],
    },
  ],
  [
    'a refusal',
    chat,
    { messages: [assistant(null, { refusal: 'No.' })] },
    'responses',
    {
      input: [{ type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }],
      dropped: [],
    },
  ],
  [
    'a refusal',
    'responses',
    {
      input: [{ type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }],
    },
    chat,
    { messages: [assistant(null, { refusal: 'No.' })], dropped: [] },
  ],
  [
    'a refusal with a field that is unknown',
    'responses',
    { input: [{ type: 'message', ...assistant([{ type: 'refusal', refusal: 'No.', x: 1 }]) }] },
    chat,
    {
      messages: [assistant([{ type: 'refusal', refusal: 'No.' }])],
      dropped: ['input.*.content.*.x'],
    },
  ],
  [
    'a refusal, as text',
    chat,
    { messages: [assistant(null, { refusal: 'No.' })] },
    'messages',
    {
      messages: [assistant([{ type: 'text', text: 'No.' }])],
      dropped: ['messages.*.content.*.type'],
    },
  ],
  [
    'audio, which messages does not have',
    chat,
    {
      messages: [
        user([
          { type: 'text', text: 'Listen' },
          { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        ]),
      ],
    },
    'messages',
    {
      messages: [user([{ type: 'text', text: 'Listen' }])],
      dropped: ['messages.*.content.*.input_audio'],
    },
  ],
  [
    'blocks that only Anthropic has',
    'messages',
    {
      messages: [
        assistant([
          { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
          { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
          { type: 'text', text: 'Found' },
        ]),
      ],
    },
    chat,
    {
      messages: [assistant('Found')],
      dropped: ['messages.*.content.*.server_tool_use', 'messages.*.content.*.web_search_tool_result'],
    },
  ],
  [
    'items that only OpenAI has',
    'responses',
    {
      input: [
        { type: 'web_search_call', id: 'ws_1', status: 'completed' },
        { type: 'message', role: 'assistant', content: 'Found' },
        { type: 'item_reference', id: 'msg_1' },
        { type: 'local_shell_call_output', id: 'a', output: 'x' },
      ],
    },
    'messages',
    {
      messages: [assistant([{ type: 'text', text: 'Found' }])],
      dropped: ['input.*.web_search_call', 'input.*.item_reference', 'input.*.local_shell_call_output'],
    },
  ],
  [
    'ids that Anthropic does not accept',
    chat,
    {
      messages: [
        assistant(null, { tool_calls: [toolCall('call:1')] }),
        { role: 'tool', tool_call_id: 'call:1', content: '' },
      ],
    },
    'messages',
    {
      messages: [assistant([toolUse('call_1_b16353883a1db228')]), user([result('call_1_b16353883a1db228')])],
      dropped: [],
    },
  ],
  [
    'messages that are not valid, which no other dialect can express',
    chat,
    { messages: [5, { role: 'critic', content: 'Bad' }, assistant('Hi', { tool_calls: [{ id: 5 }] })] },
    'messages',
    {
      messages: [assistant('Hi')],
      dropped: ['messages.*.content.*', 'messages.*.role', 'messages.*.content', 'messages.*.tool_calls'],
    },
  ],
  [
    'a prompt instead of messages',
    chat,
    { prompt: 'Hi' },
    'responses',
    { input: [{ type: 'message', role: 'user', content: 'Hi' }], dropped: [] },
  ],
  [
    'an input that is a string',
    'responses',
    { input: 'Hi' },
    'messages',
    { messages: [user('Hi')], dropped: [] },
  ],
];

it.each(directed)('the translation of %s, from %s %#', (_, from, source, to, target) => {
  expect(translate(source, from, to)).toEqual(target);
});

it('ids that are too long for OpenAI are shortened, the same for a call and its result', () => {
  const id = 'x'.repeat(99);
  const source = { messages: [assistant([toolUse(id)]), user([result(id, '')])] };
  const { messages: written } = translate(source, 'messages', chat) as unknown as {
    messages: [{ tool_calls: [{ id: string }] }, { tool_call_id: string }];
  };
  const [
    {
      tool_calls: [call],
    },
    { tool_call_id: callId },
  ] = written;
  expect([call.id, call.id.length]).toEqual([callId, 40]);
  const { input } = translate(source, 'messages', 'responses') as unknown as {
    input: { call_id: string }[];
  };
  expect(new Set(input.map((item) => item.call_id))).toHaveLength(1);
  expect(input[0]?.call_id).toHaveLength(64);
});

it('arguments keep all digits of their numbers', () => {
  const source = {
    messages: [assistant(null, { tool_calls: [toolCall('a', '{"n":12345678901234567890.5}')] })],
  };
  expect(JSON.stringify(translate(source, chat, 'messages').messages)).toContain(
    '{"n":12345678901234567890.5}',
  );
});
