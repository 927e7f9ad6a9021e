import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import type { CompletionContext } from '../model/completion.ts';
import { sealReasoning } from '../model/sealed-reasoning.ts';
import { translateResponse } from './translate-response.ts';

const context: CompletionContext = {
  requestId: 'request',
  model: 'requested-model',
  created: 1_700_000_100,
  request: {},
};

const chatUsage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
const usage = { input_tokens: 9, output_tokens: 2 };

function chat(message: JsonObject, finish = 'stop', more: JsonObject = {}): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'm',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: null, ...message },
        logprobs: null,
        finish_reason: finish,
      },
    ],
    usage: chatUsage,
    ...more,
  };
}

function message(content: readonly JsonObject[], stop = 'end_turn', more: JsonObject = {}): JsonObject {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage,
    ...more,
  };
}

function response(output: readonly JsonObject[], incomplete?: string, more: JsonObject = {}): JsonObject {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    status: incomplete === undefined ? 'completed' : 'incomplete',
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    model: 'm',
    output,
    usage,
    ...more,
  };
}

/** The content of a body, without the fields that all responses have. */
function essence(body: JsonObject): unknown {
  if (Array.isArray(body.choices)) return body.choices[0];
  if (body.type === 'message')
    return { content: body.content, stop_reason: body.stop_reason, stop_sequence: body.stop_sequence };
  return { output: body.output, status: body.status, incomplete_details: body.incomplete_details };
}

const said = (text: string, annotations: readonly JsonObject[] = []) => ({
  type: 'output_text',
  text,
  annotations,
  logprobs: [],
});
const item = (content: readonly JsonObject[], status = 'completed') => ({
  id: 'msg_1_0',
  type: 'message',
  status,
  role: 'assistant',
  content,
});
const textBlock = (text: string, citations?: readonly JsonObject[]) => ({
  type: 'text',
  text,
  ...(citations !== undefined && { citations }),
});
const toolUse = (id: string, name: string, input: unknown) => ({
  type: 'tool_use',
  id,
  name,
  input,
  caller: { type: 'direct' },
});
const call = (id: string, name: string, args: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const functionCall = (index: number, call_id: string, name: string, args: string, status = 'completed') => ({
  id: `fc_1_${index}`,
  type: 'function_call',
  status,
  call_id,
  name,
  arguments: args,
});

/** Responses that say the same, so that each can be translated to the others without a loss. */
const equivalents: readonly [string, Readonly<Record<Dialect, JsonObject>>][] = [
  [
    'text',
    {
      'chat-completions': chat({ content: 'Hi!' }),
      messages: message([textBlock('Hi!')]),
      responses: response([item([said('Hi!')])]),
    },
  ],
  [
    'nothing',
    {
      'chat-completions': chat({ content: '' }),
      messages: message([]),
      responses: response([]),
    },
  ],
  [
    'a tool call',
    {
      'chat-completions': chat({ tool_calls: [call('call_1', 'f', '{"a":1}')] }, 'tool_calls'),
      messages: message([toolUse('call_1', 'f', { a: 1 })], 'tool_use'),
      responses: response([functionCall(0, 'call_1', 'f', '{"a":1}')]),
    },
  ],
  [
    'text and parallel tool calls',
    {
      'chat-completions': chat(
        { content: 'Wait.', tool_calls: [call('call_1', 'f', '{}'), call('call_2', 'g', '{"b":[]}')] },
        'tool_calls',
      ),
      messages: message(
        [textBlock('Wait.'), toolUse('call_1', 'f', {}), toolUse('call_2', 'g', { b: [] })],
        'tool_use',
      ),
      responses: response([
        item([said('Wait.')]),
        functionCall(1, 'call_1', 'f', '{}'),
        functionCall(2, 'call_2', 'g', '{"b":[]}'),
      ]),
    },
  ],
  [
    'text cut off at the token limit',
    {
      'chat-completions': chat({ content: 'Once' }, 'length'),
      messages: message([textBlock('Once')], 'max_tokens'),
      responses: response([item([said('Once')], 'incomplete')], 'max_output_tokens'),
    },
  ],
  [
    'text cut off by a filter',
    {
      'chat-completions': chat({ content: 'Once' }, 'content_filter'),
      messages: message([textBlock('Once')], 'refusal'),
      responses: response([item([said('Once')], 'incomplete')], 'content_filter'),
    },
  ],
  [
    'text with a cited web page',
    {
      'chat-completions': chat({
        content: 'Yes.',
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'https://a.b', title: 'T', start_index: 0, end_index: 4, content: 'quote' },
          },
        ],
      }),
      messages: message([
        textBlock('Yes.', [
          {
            type: 'web_search_result_location',
            url: 'https://a.b',
            title: 'T',
            cited_text: 'quote',
            encrypted_index: '',
          },
        ]),
      ]),
      responses: response([
        item([
          said('Yes.', [
            {
              type: 'url_citation',
              url: 'https://a.b',
              title: 'T',
              start_index: 0,
              end_index: 4,
              content: 'quote',
            },
          ]),
        ]),
      ]),
    },
  ],
];

const pairs = dialects.flatMap((from) =>
  dialects.filter((to) => to !== from).map((to) => [from, to] as const),
);

describe.each(pairs)('a response translated from %s to %s', (from, to) => {
  it.each(equivalents)('has %s', (_, bodies) => {
    const translated = translateResponse(bodies[from], from, to, context);
    expect(translated.dropped).toEqual([]);
    expect(translated.body).not.toHaveProperty('presetd');
    expect(essence(translated.body)).toEqual(essence(bodies[to]));
  });

  it('has all token counts and the cost', () => {
    const details = { cached_tokens: 100, cache_write_tokens: 10 };
    const usages: Readonly<Record<Dialect, JsonObject>> = {
      'chat-completions': {
        prompt_tokens: 120,
        completion_tokens: 30,
        total_tokens: 150,
        prompt_tokens_details: details,
        completion_tokens_details: { reasoning_tokens: 20 },
        cost: 0.25,
      },
      messages: {
        input_tokens: 10,
        cache_creation_input_tokens: 10,
        cache_read_input_tokens: 100,
        output_tokens: 30,
        output_tokens_details: { thinking_tokens: 20 },
        cost: 0.25,
      },
      responses: {
        input_tokens: 120,
        input_tokens_details: details,
        output_tokens: 30,
        output_tokens_details: { reasoning_tokens: 20 },
        total_tokens: 150,
        cost: 0.25,
      },
    };
    const [, bodies] = equivalents[0] ?? [];
    const source = { ...bodies?.[from], usage: usages[from] };
    const { body, dropped } = translateResponse(source, from, to, context);
    expect(body.usage).toMatchObject(usages[to]);
    expect(dropped).toEqual([]);
  });

  it('has the id of the upstream with another prefix, its model and its time', () => {
    const [, bodies] = equivalents[0] ?? [];
    const { body } = translateResponse(bodies?.[from] ?? {}, from, to, context);
    const created = from === 'messages' ? context.created : 1_700_000_000;
    expect(body).toMatchObject({ id: bodies?.[to].id, model: 'm' });
    if (to === 'responses') expect(body.completed_at).toBe(context.created);
    if (to !== 'messages') expect(body.created ?? body.created_at).toBe(created);
  });

  it('has the id, the model and the time of the request if the upstream sent none', () => {
    const prefixes = { 'chat-completions': 'chatcmpl-', messages: 'msg_', responses: 'resp_' };
    const { body } = translateResponse({}, from, to, context);
    expect(body).toMatchObject({ id: `${prefixes[to]}request`, model: 'requested-model' });
    if (to !== 'messages') expect(body.usage ?? null).toBeNull();
    if (to !== 'messages') expect(body.created ?? body.created_at).toBe(context.created);
  });

  it('does not name echoed settings and empty values as lost', () => {
    const { dropped } = translateResponse(
      {
        'chat-completions': chat({ content: 'Hi!', annotations: [], audio: null, tool_calls: null }, 'stop', {
          service_tier: 'default',
          usage: { ...chatUsage, completion_tokens_details: { audio_tokens: 0 } },
        }),
        messages: message([textBlock('Hi!')], 'end_turn', {
          container: null,
          usage: {
            ...usage,
            cache_creation: { ephemeral_5m_input_tokens: 0 },
            service_tier: 'standard',
            inference_geo: 'not_available',
            speed: 'standard',
          },
        }),
        responses: response([item([said('Hi!')])], undefined, {
          error: null,
          instructions: 'Be terse.',
          tools: [{ type: 'function', name: 'f' }],
          temperature: 1,
          metadata: { a: 'b' },
          store: true,
          text: { format: { type: 'text' } },
          billing: { payer: 'developer' },
          completed_at: 1_700_000_001,
          output_text: 'Hi!',
          conversation: { id: 'conv_1' },
          prompt: { id: 'pmpt_1' },
          prompt_cache_options: { mode: 'auto' },
          prompt_cache_retention: '24h',
          service_tier: 'default',
          tool_usage: { web_search: { num_requests: 0 }, image_gen: { input_tokens_details: {} } },
        }),
      }[from],
      from,
      to,
      context,
    );
    expect(dropped).toEqual([]);
  });
});

const thinking = { type: 'thinking', thinking: 'Hmm.', signature: 'sig' };
const redacted = { type: 'redacted_thinking', data: 'hidden' };
const reasoningItem = {
  id: 'rs_9',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'Hmm.' }],
  encrypted_content: 'gAAA',
};
const detail = { type: 'reasoning.text', text: 'Hmm.', signature: 'sig', format: 'anthropic-claude-v1' };
const signature = { google: { thought_signature: 's' } };
const logprob = { token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [] };
const withLogprobs = (logprobs: JsonObject) => {
  const body = chat({ content: 'Hi' });
  return { ...body, choices: [{ ...(essence(body) as JsonObject), logprobs }] };
};
const noCustomTools = context;
const customTools = { ...context, customTools: new Set(['patch']) };

/** Features that some pairs lack: the expected part of the body, and the reported losses. */
describe('translateResponse', () => {
  it.each<[string, Dialect, Dialect, JsonObject, JsonObject, readonly string[], CompletionContext?]>([
    [
      'joins several texts as they were said',
      'messages',
      'chat-completions',
      message([textBlock('One, '), textBlock('two.')]),
      chat({ content: 'One, two.' }),
      [],
    ],
    [
      'keeps several texts apart',
      'messages',
      'responses',
      message([textBlock('One, '), textBlock('two.')]),
      response([item([said('One, '), said('two.')])]),
      [],
    ],
    [
      'keeps content that is only text',
      'messages',
      'chat-completions',
      { ...message([]), content: 'Hi!' },
      chat({ content: 'Hi!' }),
      [],
    ],
    [
      'leaves out content that is an empty text',
      'messages',
      'responses',
      { ...message([]), content: '' },
      response([]),
      [],
    ],
    [
      'names blocks that lack what their type says',
      'messages',
      'responses',
      message([{ type: 'text' }, { type: 'tool_use', id: 'call_1' }, { type: 'note', text: 'a' }]),
      response([]),
      ['content.*.note', 'content.*.text', 'content.*.tool_use'],
    ],
    [
      'names parts that lack what their type says',
      'responses',
      'messages',
      response([
        item([
          { type: 'output_text' },
          { type: 'refusal', text: 'a' },
          { type: 'note', text: 'a', refusal: 'b' },
        ]),
      ]),
      message([]),
      ['output.*.content.*.note', 'output.*.content.*.output_text', 'output.*.content.*.refusal'],
    ],
    [
      'keeps several messages apart',
      'responses',
      'messages',
      response([item([said('One.')]), item([said('Two.')])]),
      message([textBlock('One.'), textBlock('Two.')]),
      [],
    ],
    [
      'says that tools were called although the upstream does not',
      'chat-completions',
      'messages',
      chat({ content: '', tool_calls: [{ index: 1, function: { name: 'f', arguments: { a: 1 } } }] }, 'stop'),
      message([toolUse('call_1_0', 'f', { a: 1 })], 'tool_use'),
      [],
    ],
    [
      'says that nothing was called although the upstream does',
      'messages',
      'chat-completions',
      message([textBlock('Hi!')], 'tool_use'),
      chat({ content: 'Hi!' }),
      [],
    ],
    [
      'says that tools were called next to a text',
      'responses',
      'chat-completions',
      response([item([said('Wait.')]), { type: 'function_call', name: 'f', arguments: '' }]),
      chat({ content: 'Wait.', tool_calls: [call('call_1_0', 'f', '{}')] }, 'tool_calls'),
      [],
    ],
    [
      'keeps texts before and after a call apart',
      'messages',
      'responses',
      message([textBlock('A'), toolUse('call_1', 'f', {}), textBlock('B')], 'tool_use'),
      response([
        item([said('A')]),
        functionCall(1, 'call_1', 'f', '{}'),
        { ...item([said('B')]), id: 'msg_1_2' },
      ]),
      [],
    ],
    [
      'gives a call an id',
      'messages',
      'responses',
      message([textBlock('Wait.'), { type: 'tool_use', name: 'f', input: {} }], 'tool_use'),
      response([item([said('Wait.')]), functionCall(1, 'call_1_1', 'f', '{}')]),
      [],
    ],
    [
      'does not name what repeats the finish reason and the order',
      'chat-completions',
      'messages',
      {
        ...chat({}),
        choices: [
          { index: 1, message: { content: 'Hi' }, finish_reason: 'stop', native_finish_reason: 'STOP' },
        ],
      },
      message([textBlock('Hi')]),
      [],
    ],
    [
      'keeps a deprecated function call',
      'chat-completions',
      'responses',
      chat({ function_call: { name: 'f', arguments: '{}' } }, 'function_call'),
      response([functionCall(0, 'call_1_0', 'f', '{}')]),
      [],
    ],
    [
      'keeps a custom tool call',
      'chat-completions',
      'responses',
      chat(
        { tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'patch', input: '*** x' } }] },
        'tool_calls',
      ),
      response([
        {
          id: 'ctc_1_0',
          type: 'custom_tool_call',
          status: 'completed',
          call_id: 'call_1',
          name: 'patch',
          input: '*** x',
        },
      ]),
      [],
    ],
    [
      'writes the text of a custom tool as an argument',
      'responses',
      'messages',
      response([{ type: 'custom_tool_call', call_id: 'call_1', name: 'patch', input: '*** x' }]),
      message([toolUse('call_1', 'patch', { input: '*** x' })], 'tool_use'),
      [],
    ],
    [
      'restores the text of a custom tool',
      'messages',
      'chat-completions',
      message([toolUse('call_1', 'patch', { input: '*** x' })], 'tool_use'),
      chat(
        { tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'patch', input: '*** x' } }] },
        'tool_calls',
      ),
      [],
      customTools,
    ],
    [
      'restores the text of a custom tool even if the model left out the argument',
      'messages',
      'responses',
      message([toolUse('call_1', 'patch', { patch: '*** x' })], 'tool_use'),
      response([
        {
          id: 'ctc_1_0',
          type: 'custom_tool_call',
          status: 'completed',
          call_id: 'call_1',
          name: 'patch',
          input: '{"patch":"*** x"}',
        },
      ]),
      [],
      customTools,
    ],
    [
      'restores the namespaces of tools',
      'messages',
      'responses',
      message([toolUse('call_1', 'mail__send', {}), toolUse('call_2', 'send', {})], 'tool_use'),
      response([
        { ...functionCall(0, 'call_1', 'send', '{}'), namespace: 'mail' },
        functionCall(1, 'call_2', 'send', '{}'),
      ]),
      [],
      { ...context, namespacedTools: new Map([['mail__send', { namespace: 'mail', name: 'send' }]]) },
    ],
    [
      'gives signed and redacted thinking the form of OpenRouter',
      'messages',
      'chat-completions',
      message([thinking, redacted, textBlock('Hi!')]),
      chat({
        content: 'Hi!',
        reasoning: 'Hmm.',
        reasoning_details: [
          { type: 'reasoning.text', text: 'Hmm.', signature: 'sig', format: 'anthropic-claude-v1' },
          { type: 'reasoning.encrypted', data: 'hidden', format: 'anthropic-claude-v1' },
        ],
      }),
      [],
    ],
    [
      'seals signed and redacted thinking',
      'messages',
      'responses',
      message([thinking, redacted]),
      response([
        {
          id: 'rs_1_0',
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'Hmm.' }],
          encrypted_content: sealReasoning({ dialect: 'messages', part: thinking }),
        },
        {
          id: 'rs_1_1',
          type: 'reasoning',
          summary: [],
          encrypted_content: sealReasoning({ dialect: 'messages', part: redacted }),
        },
      ]),
      [],
    ],
    [
      'seals encrypted reasoning',
      'responses',
      'messages',
      response([reasoningItem]),
      message([
        {
          type: 'thinking',
          thinking: 'Hmm.',
          signature: sealReasoning({ dialect: 'responses', part: reasoningItem }),
        },
      ]),
      [],
    ],
    [
      'gives encrypted reasoning the form of OpenRouter',
      'responses',
      'chat-completions',
      response([reasoningItem, item([said('Hi!')])]),
      chat({
        content: 'Hi!',
        reasoning: 'Hmm.',
        reasoning_details: [
          { type: 'reasoning.summary', summary: 'Hmm.', id: 'rs_9', format: 'openai-responses-v1' },
          { type: 'reasoning.encrypted', data: 'gAAA', id: 'rs_9', format: 'openai-responses-v1' },
        ],
      }),
      [],
    ],
    [
      'seals plain reasoning',
      'chat-completions',
      'messages',
      chat({ content: 'Hi!', reasoning_content: 'Hmm.' }),
      message([
        {
          type: 'thinking',
          thinking: 'Hmm.',
          signature: sealReasoning({ dialect: 'chat-completions', part: { reasoning_content: 'Hmm.' } }),
        },
        textBlock('Hi!'),
      ]),
      [],
    ],
    [
      'seals the signature of a call',
      'chat-completions',
      'messages',
      chat({ tool_calls: [{ ...call('call_1', 'f', '{}'), extra_content: signature }] }, 'tool_calls'),
      message(
        [
          {
            type: 'thinking',
            thinking: '',
            signature: sealReasoning({
              dialect: 'chat-completions',
              part: { type: 'call_signature', extra_content: signature },
            }),
          },
          toolUse('call_1', 'f', {}),
        ],
        'tool_use',
      ),
      [],
    ],
    [
      'seals the details of reasoning',
      'chat-completions',
      'messages',
      chat({ content: 'Hi!', reasoning: 'Hmm.', reasoning_details: [detail] }),
      message([
        {
          type: 'thinking',
          thinking: 'Hmm.',
          signature: sealReasoning({ dialect: 'chat-completions', part: detail }),
        },
        textBlock('Hi!'),
      ]),
      [],
    ],
    [
      'keeps a refusal',
      'chat-completions',
      'responses',
      chat({ refusal: 'No.' }),
      response([item([{ type: 'refusal', refusal: 'No.' }])]),
      [],
    ],
    [
      'keeps a refusal',
      'responses',
      'chat-completions',
      response([item([{ type: 'refusal', refusal: 'No.' }])]),
      chat({ refusal: 'No.' }),
      [],
    ],
    [
      'writes a refusal as text and as the stop reason',
      'responses',
      'messages',
      response([item([{ type: 'refusal', refusal: 'No.' }])]),
      message([textBlock('No.')], 'refusal'),
      [],
    ],
    [
      'writes a refusal that was cut off as text',
      'responses',
      'messages',
      response([item([{ type: 'refusal', refusal: 'No' }], 'incomplete')], 'max_output_tokens'),
      message([textBlock('No')], 'max_tokens'),
      [],
    ],
    ['leaves out an empty text', 'responses', 'messages', response([item([said('')])]), message([]), []],
    [
      'names citations if there is no other',
      'chat-completions',
      'messages',
      chat({ content: 'Yes.', annotations: [{ type: 'file' }] }),
      message([textBlock('Yes.')]),
      ['choices.*.message.annotations'],
    ],
    ...[
      [0, 3],
      [4, 7],
    ].map(([start_index, end_index]) => {
      const url = 'https://a.b';
      const annotation = { type: 'url_citation', url, title: 'T', start_index, end_index };
      const citation = { url, title: 'T', cited_text: '', encrypted_index: '' };
      const row: [string, Dialect, Dialect, JsonObject, JsonObject, readonly string[]] = [
        `names the place of a citation of a part of the text (${start_index} to ${end_index})`,
        'responses',
        'messages',
        response([item([said('See it.', [annotation])])]),
        message([textBlock('See it.', [{ type: 'web_search_result_location', ...citation }])]),
        ['end_index', 'start_index'].map((name) => `output.*.content.*.annotations.*.${name}`),
      ];
      return row;
    }),
    [
      'keeps the stop sequence that vLLM reports',
      'chat-completions',
      'messages',
      { ...chat({}), choices: [{ message: { content: 'Hi' }, finish_reason: 'stop', stop_reason: 'END' }] },
      message([textBlock('Hi')], 'stop_sequence', { stop_sequence: 'END' }),
      [],
    ],
    [
      'names the stop sequence',
      'messages',
      'chat-completions',
      message([textBlock('Hi')], 'stop_sequence', { stop_sequence: 'END' }),
      chat({ content: 'Hi' }),
      ['stop_sequence'],
    ],
    [
      'names a pause',
      'messages',
      'responses',
      message([textBlock('Hi')], 'pause_turn'),
      response([item([said('Hi')])]),
      ['stop_reason'],
    ],
    [
      'keeps logprobs',
      'chat-completions',
      'responses',
      withLogprobs({
        content: [{ ...logprob, bytes: null, top_logprobs: [{ token: 'Ho', logprob: -1, bytes: null }] }],
        refusal: null,
      }),
      response([
        item([
          {
            ...said('Hi'),
            logprobs: [{ ...logprob, bytes: [], top_logprobs: [{ token: 'Ho', logprob: -1, bytes: [] }] }],
          },
        ]),
      ]),
      [],
    ],
    [
      'keeps logprobs',
      'responses',
      'chat-completions',
      response([item([{ ...said('Hi'), logprobs: [logprob] }])]),
      withLogprobs({ content: [logprob], refusal: null }),
      [],
    ],
    [
      'names logprobs',
      'chat-completions',
      'messages',
      withLogprobs({ content: [logprob], refusal: null }),
      message([textBlock('Hi')]),
      ['choices.*.logprobs'],
    ],
    [
      'names logprobs',
      'responses',
      'messages',
      response([item([{ ...said('Hi'), logprobs: [logprob] }])]),
      message([textBlock('Hi')]),
      ['output.*.content.*.logprobs'],
    ],
    [
      'names the logprobs of a refusal',
      'chat-completions',
      'responses',
      {
        ...chat({}),
        choices: [
          {
            message: { refusal: 'No.' },
            logprobs: { content: null, refusal: [logprob] },
            finish_reason: 'stop',
          },
        ],
      },
      response([item([{ type: 'refusal', refusal: 'No.' }])]),
      ['choices.*.logprobs'],
    ],
    [
      'names logprobs and citations that have no text',
      'chat-completions',
      'messages',
      {
        ...chat({}),
        choices: [
          {
            message: { refusal: 'No.', annotations: [{ type: 'url_citation' }] },
            logprobs: { content: [logprob] },
            finish_reason: 'stop',
          },
        ],
      },
      message([textBlock('No.')], 'refusal'),
      ['choices.*.logprobs', 'choices.*.message.annotations'],
    ],
    [
      'names citations of another type',
      'chat-completions',
      'responses',
      chat({
        content: 'Yes.',
        annotations: [{ type: 'file', url_citation: { url: 'https://a.b', title: 'T' } }],
      }),
      response([item([said('Yes.')])]),
      ['choices.*.message.annotations'],
    ],
    [
      'names where and how fast a request was answered, unless that is the default',
      'messages',
      'responses',
      message([textBlock('Hi')], 'end_turn', { usage: { ...usage, inference_geo: 'us', speed: 'fast' } }),
      response([item([said('Hi')])]),
      ['usage.inference_geo', 'usage.speed'],
    ],
    [
      'does not name the region that every model has',
      'messages',
      'chat-completions',
      message([textBlock('Hi')], 'end_turn', { usage: { ...usage, inference_geo: 'global' } }),
      chat({ content: 'Hi' }),
      [],
    ],
    [
      'names other choices than the first',
      'chat-completions',
      'messages',
      { ...chat({}), choices: [1, 2, 3].map((n) => ({ message: { content: `${n}` } })) },
      message([textBlock('1')]),
      ['choices.1', 'choices.2'],
    ],
    [
      'names blocks of tools that the provider runs and keeps the text around them',
      'messages',
      'chat-completions',
      message([
        textBlock('Let me see. '),
        { type: 'server_tool_use', id: 'server_1', name: 'web_search', input: {} },
        { type: 'web_search_tool_result', tool_use_id: 'server_1', content: [] },
        textBlock('Yes.', [
          {
            type: 'web_search_result_location',
            url: 'https://a.b',
            title: null,
            cited_text: '',
            encrypted_index: 'e',
          },
          { type: 'char_location', cited_text: 'x', document_index: 0, url: 'https://c.d' },
        ]),
      ]),
      chat({
        content: 'Let me see. Yes.',
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'https://a.b', title: '', start_index: 12, end_index: 16 },
          },
        ],
      }),
      [
        'content.*.citations',
        'content.*.citations.*.encrypted_index',
        'content.*.server_tool_use',
        'content.*.web_search_tool_result',
      ],
    ],
    [
      'names items of tools that the provider runs and keeps the text around them',
      'responses',
      'messages',
      response([
        { id: 'ws_1', type: 'web_search_call', status: 'completed' },
        {
          ...item([
            said('See a.b for more.', [
              { type: 'url_citation', url: 'https://a.b', title: 'T', start_index: 4, end_index: 7 },
              { type: 'file_citation', file_id: 'f', filename: 'n', index: 0 },
            ]),
          ]),
          phase: 'final_answer',
        },
      ]),
      message([
        textBlock('See a.b for more.', [
          {
            type: 'web_search_result_location',
            url: 'https://a.b',
            title: 'T',
            cited_text: '',
            encrypted_index: '',
          },
        ]),
      ]),
      [
        'output.*.content.*.annotations',
        'output.*.content.*.annotations.*.end_index',
        'output.*.content.*.annotations.*.start_index',
        'output.*.phase',
        'output.*.web_search_call',
      ],
    ],
    [
      'writes the transcript of audio',
      'chat-completions',
      'responses',
      chat({ audio: { id: 'audio_1', data: 'AAAA', transcript: 'Hello.' } }),
      response([item([said('Hello.')])]),
      ['choices.*.message.audio'],
    ],
    [
      'keeps the texts of a list of parts',
      'chat-completions',
      'messages',
      chat({
        content: [
          { type: 'text', text: 'Hi!' },
          { type: 'text', text: 'Ho!' },
          { type: 'image_url', text: 'a' },
          { type: 'text' },
        ],
      }),
      message([textBlock('Hi!'), textBlock('Ho!')]),
      ['choices.*.message.content.*.image_url', 'choices.*.message.content.*.text'],
    ],
    [
      'names fields that no other dialect has',
      'chat-completions',
      'responses',
      chat({ content: 'Hi!', images: [{}] }, 'stop', {
        provider: 'X',
        system_fingerprint: 'fp_1',
        usage: { ...chatUsage, prompt_tokens_details: { audio_tokens: 5 } },
      }),
      response([item([said('Hi!')])]),
      [
        'choices.*.message.images',
        'provider',
        'system_fingerprint',
        'usage.prompt_tokens_details.audio_tokens',
      ],
    ],
    [
      'names fields of tool calls',
      'chat-completions',
      'messages',
      chat({ tool_calls: [{ ...call('call_1', 'f', '{}'), priority: 1 }, { id: 'call_2' }] }, 'tool_calls'),
      message([toolUse('call_1', 'f', {})], 'tool_use'),
      ['choices.*.message.tool_calls', 'choices.*.message.tool_calls.*.priority'],
    ],
    [
      'keeps arguments that are not JSON',
      'chat-completions',
      'responses',
      chat({ tool_calls: [call('call_1', 'f', '{"a":')] }, 'length'),
      response([functionCall(0, 'call_1', 'f', '{"a":', 'incomplete')], 'max_output_tokens'),
      [],
    ],
    [
      'wraps arguments that are not JSON and names them',
      'chat-completions',
      'messages',
      chat({ tool_calls: [call('call_1', 'f', '{"a":')] }, 'length'),
      message([toolUse('call_1', 'f', { INVALID_JSON: '{"a":' })], 'max_tokens'),
      ['choices.*.message.tool_calls.*.function.arguments'],
    ],
    [
      'keeps what the upstream has wrapped',
      'messages',
      'responses',
      message([toolUse('call_1', 'f', { INVALID_JSON: '{"a":' })], 'tool_use'),
      response([functionCall(0, 'call_1', 'f', '{"INVALID_JSON":"{\\"a\\":"}')]),
      [],
    ],
    [
      'names who else called a tool',
      'messages',
      'chat-completions',
      message(
        [{ ...toolUse('call_1', 'f', {}), caller: { type: 'code_execution_20250825', tool_id: 's' } }],
        'tool_use',
      ),
      chat({ tool_calls: [call('call_1', 'f', '{}')] }, 'tool_calls'),
      ['content.*.caller'],
    ],
    [
      'names the category of a refusal',
      'messages',
      'responses',
      message([], 'refusal', { stop_details: { type: 'refusal', category: 'bio', explanation: null } }),
      response([], 'content_filter'),
      ['stop_details'],
    ],
  ])('%s: %s to %s', (_, from, to, source, expected, dropped, given = noCustomTools) => {
    const translated = translateResponse(source, from, to, given);
    expect(essence(translated.body)).toEqual(essence(expected));
    expect(translated.dropped).toEqual(dropped);
    expect(translated.body.presetd).toEqual(dropped.length === 0 ? undefined : { dropped_fields: dropped });
  });

  it.each<[Dialect, Dialect, string | null, string | undefined, boolean]>([
    ['chat-completions', 'responses', 'flex', 'flex', true],
    ['responses', 'chat-completions', null, undefined, true],
    ['responses', 'chat-completions', 'flex', 'flex', true],
    ['chat-completions', 'messages', 'default', 'standard', true],
    ['responses', 'messages', 'priority', 'priority', true],
    ['chat-completions', 'messages', 'flex', undefined, false],
    ['messages', 'chat-completions', 'standard', 'default', true],
    ['messages', 'responses', 'batch', 'default', false],
  ])('translates a service tier: %s to %s, %s', (from, to, tier, expected, isKept) => {
    const source = from === 'messages' ? { usage: { service_tier: tier } } : { service_tier: tier };
    const { body, dropped } = translateResponse(source, from, to, context);
    const written = to === 'messages' && isJsonObject(body.usage) ? body.usage : body;
    expect(written.service_tier).toBe(expected);
    expect(dropped).toEqual(isKept ? [] : [from === 'messages' ? 'usage.service_tier' : 'service_tier']);
  });
});
