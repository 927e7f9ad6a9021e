import { describe, expect, it } from 'vitest';
import { PresetdError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json-object.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import { sealReasoning } from '../model/sealed-reasoning.ts';
import { fitRequest } from './fit-request.ts';
import { fitTranslation, translateRequest, translateUnfitted } from './translate-request.ts';

const chat = 'chat-completions';
const pairs = dialects.flatMap((from) =>
  dialects.filter((to) => to !== from).map((to) => [from, to] as const),
);

/** The fields of a translated request, except for its conversation and what it has in any case. */
function settings(request: JsonObject, from: Dialect, to: Dialect) {
  const { body, droppedFields } = translateRequest({ ...question[from], ...request }, from, to);
  const { messages: _, input: __, store, max_tokens: limit, ...fields } = body;
  return {
    ...fields,
    ...(store !== false && store !== undefined && { store }),
    ...(limit !== undefined && limit !== 32_000 && { max_tokens: limit }),
    dropped: droppedFields,
  };
}

const question: Readonly<Record<Dialect, JsonObject>> = {
  [chat]: { messages: [{ role: 'user', content: 'Hi' }] },
  messages: { messages: [{ role: 'user', content: 'Hi' }] },
  responses: { input: 'Hi' },
};

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** Settings that translate between all dialects without loss. */
const everywhere: readonly (readonly [string, Readonly<Record<Dialect, JsonObject>>])[] = [
  ['the model', { [chat]: { model: 'm' }, messages: { model: 'm' }, responses: { model: 'm' } }],
  [
    'a token limit',
    {
      [chat]: { max_completion_tokens: 99 },
      messages: { max_tokens: 99 },
      responses: { max_output_tokens: 99 },
    },
  ],
  [
    'a temperature',
    { [chat]: { temperature: 0.5 }, messages: { temperature: 0.5 }, responses: { temperature: 0.5 } },
  ],
  [
    'stop sequences',
    {
      [chat]: { stop: ['a', 'b'] },
      messages: { stop_sequences: ['a', 'b'] },
      responses: { stop: ['a', 'b'] },
    },
  ],
  [
    'a strict function that must be called, one at a time',
    {
      [chat]: {
        tools: [
          {
            type: 'function',
            function: { name: 'f', description: 'Does f', parameters: schema, strict: true },
          },
        ],
        tool_choice: { type: 'function', function: { name: 'f' } },
        parallel_tool_calls: false,
      },
      messages: {
        tools: [{ name: 'f', description: 'Does f', input_schema: schema, strict: true }],
        tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
      },
      responses: {
        tools: [{ type: 'function', name: 'f', description: 'Does f', parameters: schema, strict: true }],
        tool_choice: { type: 'function', name: 'f' },
        parallel_tool_calls: false,
      },
    },
  ],
  [
    'a choice of any tool',
    {
      [chat]: {
        tools: [{ type: 'function', function: { name: 'f', parameters: schema, strict: false } }],
        tool_choice: 'required',
      },
      messages: { tools: [{ name: 'f', input_schema: schema, strict: false }], tool_choice: { type: 'any' } },
      responses: {
        tools: [{ type: 'function', name: 'f', parameters: schema, strict: false }],
        tool_choice: 'required',
      },
    },
  ],
  [
    'structured output',
    {
      [chat]: {
        response_format: { type: 'json_schema', json_schema: { name: 'response', schema, strict: true } },
      },
      messages: { output_config: { format: { type: 'json_schema', schema } } },
      responses: { text: { format: { type: 'json_schema', name: 'response', schema, strict: true } } },
    },
  ],
  [
    'the effort of reasoning',
    {
      [chat]: { reasoning_effort: 'high' },
      messages: { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
      responses: { reasoning: { effort: 'high' }, include: ['reasoning.encrypted_content'] },
    },
  ],
  ['the user', { [chat]: { user: 'u' }, messages: { metadata: { user_id: 'u' } }, responses: { user: 'u' } }],
  [
    'streaming',
    {
      [chat]: { stream: true, stream_options: { include_usage: true } },
      messages: { stream: true },
      responses: { stream: true },
    },
  ],
  [
    'the session',
    { [chat]: { session_id: 's' }, messages: { session_id: 's' }, responses: { session_id: 's' } },
  ],
];

describe.each(pairs)('a request from %s to %s', (from, to) => {
  it.each(everywhere)('keeps %s', (_, forms) => {
    expect(settings(forms[from], from, to)).toEqual({ ...forms[to], dropped: [] });
  });

  it('loses fields that are null without reporting them', () => {
    const nulls = {
      metadata: null,
      tools: null,
      stop: null,
      stream_options: null,
      reasoning: null,
      stream: null,
    };
    expect(settings(nulls, from, to)).toEqual({ dropped: [] });
  });

  it('names unknown fields', () => {
    expect(settings({ novelty: 1 }, from, to)).toEqual({ dropped: ['novelty'] });
  });
});

const cached = { cache_control: { type: 'ephemeral' } };
const patchFormat = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' };
const inputSchema = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };
const tool = { name: 'f', input_schema: { type: 'object' } };
const loop = {
  type: 'object',
  properties: { next: { $ref: '#/$defs/loop' } },
  $defs: { loop: { type: 'array', items: { $ref: '#/$defs/loop' } } },
};

type Row = readonly [
  title: string,
  request: JsonObject,
  from: Dialect,
  to: Dialect,
  settings: JsonObject,
  dropped?: readonly string[],
];

const rows: readonly Row[] = [
  // Defaults of OpenAI that change nothing.
  [
    'defaults',
    {
      ...{ n: 1, logprobs: false, store: false, frequency_penalty: 0, presence_penalty: 0, logit_bias: {} },
      ...{ service_tier: 'auto', modalities: ['text'], response_format: { type: 'text' } },
    },
    chat,
    'messages',
    {},
  ],
  [
    'defaults',
    {
      ...{ background: false, store: false, truncation: 'disabled', service_tier: 'auto' },
      ...{
        include: ['reasoning.encrypted_content'],
        text: { format: { type: 'text' } },
        tool_choice: 'auto',
      },
    },
    'responses',
    'messages',
    {},
  ],
  // Settings that some dialects do not have.
  [
    'choices, probabilities and biases',
    { n: 2, logprobs: true, top_logprobs: 3, logit_bias: { 5: 1 }, seed: 4 },
    chat,
    'messages',
    {},
    ['logit_bias', 'logprobs', 'n', 'seed', 'top_logprobs'],
  ],
  [
    'choices and probabilities',
    { n: 2, logprobs: true, top_logprobs: 3 },
    chat,
    'responses',
    { include: ['message.output_text.logprobs'], top_logprobs: 3 },
    ['n'],
  ],
  ['probabilities', { logprobs: true }, chat, 'responses', { include: ['message.output_text.logprobs'] }],
  [
    'probabilities, and other wishes',
    {
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs', 'file_search_call.results'],
      top_logprobs: 3,
    },
    'responses',
    chat,
    { logprobs: true, top_logprobs: 3 },
    ['include'],
  ],
  [
    'probabilities',
    { include: ['message.output_text.logprobs'], top_logprobs: 3 },
    'responses',
    'messages',
    {},
    ['include', 'top_logprobs'],
  ],
  [
    'storage, metadata and keys of caches',
    {
      store: true,
      metadata: { a: 'b' },
      prompt_cache_key: 'k',
      prediction: { type: 'content', content: 'x' },
    },
    chat,
    'messages',
    {},
    ['metadata', 'prediction', 'prompt_cache_key', 'store'],
  ],
  [
    'storage, metadata and keys of caches',
    { store: true, metadata: { a: 'b' }, prompt_cache_key: 'k', safety_identifier: 's', user: 'u' },
    chat,
    'responses',
    { store: true, metadata: { a: 'b' }, prompt_cache_key: 'k', safety_identifier: 's', user: 'u' },
  ],
  [
    'how a response is delivered',
    { background: true, truncation: 'auto', include: ['web_search_call.results'], max_tool_calls: 5 },
    'responses',
    'messages',
    {},
    ['background', 'include', 'max_tool_calls', 'truncation'],
  ],
  [
    'the obfuscation of streams',
    { stream: true, stream_options: { include_obfuscation: false } },
    'responses',
    chat,
    { stream: true, stream_options: { include_obfuscation: false, include_usage: true } },
  ],
  [
    'the obfuscation of streams',
    { stream: true, stream_options: { include_usage: true, include_obfuscation: false } },
    chat,
    'messages',
    { stream: true },
  ],
  [
    'the safety identifier, before the user',
    { user: 'u', safety_identifier: 's' },
    'responses',
    'messages',
    { metadata: { user_id: 's' } },
    ['user'],
  ],
  [
    'the user, in at most 64 characters',
    { metadata: { user_id: 'u'.repeat(99), tier: 'x' } },
    'messages',
    chat,
    { user: `${'u'.repeat(47)}_131d13de49d19836` },
    ['metadata.tier'],
  ],
  [
    'JSON without a schema',
    { response_format: { type: 'json_object' } },
    chat,
    'messages',
    {},
    ['response_format'],
  ],
  // Tools.
  [
    'a choice without tools',
    { tool_choice: 'required', parallel_tool_calls: true },
    'responses',
    chat,
    {},
    ['tool_choice'],
  ],
  [
    'custom tools, as functions',
    {
      tools: [
        {
          type: 'custom',
          custom: { name: 'patch', description: 'd', format: { type: 'grammar', grammar: {} } },
        },
        { type: 'custom', custom: { name: 'say', format: { type: 'text' } } },
      ],
      tool_choice: { type: 'custom', custom: { name: 'patch' } },
    },
    chat,
    'messages',
    {
      tools: [
        { name: 'patch', description: 'd', input_schema: inputSchema },
        { name: 'say', input_schema: inputSchema },
      ],
      tool_choice: { type: 'tool', name: 'patch' },
    },
    ['tools.patch.format'],
  ],
  [
    'custom tools',
    { tools: [{ type: 'custom', name: 'patch', format: patchFormat }] },
    'responses',
    chat,
    {
      tools: [
        {
          type: 'custom',
          custom: {
            name: 'patch',
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
          },
        },
      ],
    },
  ],
  [
    'the tools in a namespace',
    {
      tools: [
        {
          type: 'namespace',
          name: 'mcp__files',
          description: 'Files',
          tools: [
            { type: 'function', name: 'read', parameters: schema },
            { type: 'custom', name: 'write' },
          ],
        },
      ],
    },
    'responses',
    'messages',
    {
      tools: [
        { name: 'mcp__files__read', input_schema: schema },
        { name: 'mcp__files__write', input_schema: inputSchema },
      ],
    },
    ['tools.mcp__files.description'],
  ],
  [
    'tools that only one provider runs',
    {
      tools: [{ type: 'web_search' }, { type: 'mcp', server_label: 'docs' }, { type: 'function', name: 'f' }],
    },
    'responses',
    chat,
    { tools: [{ type: 'function', function: { name: 'f' } }] },
    ['tools.docs', 'tools.web_search'],
  ],
  [
    'a choice of a tool that only one provider runs',
    { tools: [{ type: 'web_search' }, { type: 'function', name: 'f' }], tool_choice: { type: 'web_search' } },
    'responses',
    chat,
    { tools: [{ type: 'function', function: { name: 'f' } }] },
    ['tool_choice', 'tools.web_search'],
  ],
  [
    'a choice of a tool that OpenRouter runs',
    {
      tools: [{ type: 'openrouter:datetime' }, { type: 'function', name: 'f' }],
      tool_choice: { type: 'openrouter:datetime' },
      parallel_tool_calls: false,
    },
    'responses',
    chat,
    { tools: [{ type: 'function', function: { name: 'f' } }], parallel_tool_calls: false },
    ['tool_choice', 'tools.openrouter:datetime'],
  ],
  [
    'a choice of web search by another of its names',
    { tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search_preview' } },
    chat,
    'responses',
    { tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search_preview' } },
  ],
  [
    'a choice among tools, one of which only one provider runs',
    {
      tools: [{ type: 'web_search' }, { type: 'function', name: 'f' }],
      tool_choice: {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'web_search' }, { type: 'function', name: 'f' }],
      },
    },
    'responses',
    chat,
    {
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
    },
    ['tool_choice', 'tools.web_search'],
  ],
  [
    'a choice among tools that only one provider runs',
    {
      tools: [{ type: 'web_search' }, { type: 'function', name: 'f' }],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'web_search' }] },
    },
    'responses',
    chat,
    { tools: [{ type: 'function', function: { name: 'f' } }] },
    ['tool_choice', 'tools.web_search'],
  ],
  [
    'a choice among tools',
    {
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
    },
    chat,
    'responses',
    {
      tools: [{ type: 'function', name: 'f', parameters: null, strict: false }],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
    },
  ],
  [
    'fields of a custom tool that only responses has',
    {
      tools: [
        {
          ...{ type: 'custom', name: 'patch', description: null, async: true, defer_loading: true },
          allowed_callers: null,
        },
      ],
    },
    'responses',
    chat,
    { tools: [{ type: 'custom', custom: { name: 'patch' } }] },
    ['tools.patch.async', 'tools.patch.defer_loading'],
  ],
  [
    'a strict function with a schema that Claude cannot follow',
    { tools: [{ type: 'function', name: 'f', parameters: loop, strict: true }] },
    'responses',
    'messages',
    { tools: [{ name: 'f', input_schema: loop }] },
    ['tools.f.strict'],
  ],
  [
    'a function whose parameters are alternatives',
    {
      tools: [
        {
          type: 'function',
          name: 'f',
          parameters: { ...schema, description: 'd', oneOf: [{}], allOf: [{}], anyOf: [{}] },
        },
      ],
    },
    'responses',
    'messages',
    {
      tools: [
        {
          name: 'f',
          input_schema: { ...schema, description: 'd\n\n{"anyOf":[{}],"oneOf":[{}],"allOf":[{}]}' },
        },
      ],
    },
    ['tools.f.parameters.allOf', 'tools.f.parameters.anyOf', 'tools.f.parameters.oneOf'],
  ],
  [
    'the older output format, which is not strict in the sense of OpenAI',
    { output_format: { type: 'json_schema', schema: { ...schema, required: [] } } },
    'messages',
    chat,
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'response', schema: { ...schema, required: [] }, strict: false },
      },
    },
    ['output_format.strict'],
  ],
  [
    'the caching of tools',
    { tools: [{ ...tool, ...cached }] },
    'messages',
    chat,
    {
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
    },
    ['tools.*.cache_control'],
  ],
  [
    'the caching of tools',
    { tools: [{ type: 'function', function: { name: 'f' }, ...cached }] },
    chat,
    'messages',
    { tools: [{ name: 'f', input_schema: { type: 'object', properties: {} }, ...cached }] },
  ],
  // Reasoning.
  [
    'a budget for reasoning, and whether it is shown',
    { thinking: { type: 'enabled', budget_tokens: 2_000, display: 'omitted' } },
    'messages',
    chat,
    {},
    ['thinking.budget_tokens', 'thinking.display'],
  ],
  [
    'a budget for reasoning',
    { thinking: { type: 'enabled', budget_tokens: 2_000, display: 'summarized' } },
    'messages',
    'responses',
    { reasoning: { summary: 'auto' }, include: ['reasoning.encrypted_content'] },
    ['thinking.budget_tokens'],
  ],
  [
    'a budget for reasoning, on top of the token limit',
    { reasoning: { max_tokens: 2_000 } },
    chat,
    'messages',
    { thinking: { type: 'enabled', budget_tokens: 2_000 }, max_tokens: 34_000 },
  ],
  [
    'a budget for reasoning that leaves no tokens',
    { reasoning: { max_tokens: 2_000 }, max_completion_tokens: 2_000 },
    chat,
    'messages',
    { max_tokens: 2_000 },
    ['reasoning'],
  ],
  [
    'a token limit that OpenAI accepts',
    { max_tokens: 1 },
    'messages',
    'responses',
    { max_output_tokens: 16 },
    ['max_output_tokens'],
  ],
  ['thinking that is off', { thinking: { type: 'disabled' } }, 'messages', chat, {}, ['thinking']],
  [
    'thinking that excludes a forced tool call',
    { reasoning: { max_tokens: 2_000 }, tools: [{ type: 'function', name: 'f' }], tool_choice: 'required' },
    'responses',
    'messages',
    {
      tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'any' },
    },
    ['reasoning'],
  ],
  [
    'reasoning that is not shown',
    { reasoning_effort: 'low', include_reasoning: false },
    chat,
    'responses',
    { reasoning: { effort: 'low' }, include: ['reasoning.encrypted_content'] },
    ['include_reasoning'],
  ],
  // Sampling.
  ['a temperature above 1', { temperature: 1.5 }, chat, 'messages', {}, ['temperature']],
  [
    'two ways of sampling, of which Anthropic accepts one',
    { temperature: 0.5, top_p: 0.9 },
    chat,
    'messages',
    { temperature: 0.5 },
    ['top_p'],
  ],
  [
    'the default of the other way of sampling',
    { temperature: 0.5, top_p: 1 },
    chat,
    'messages',
    { temperature: 0.5 },
  ],
  [
    'sampling that excludes thinking',
    { temperature: 0.5, top_p: 0.9, top_k: 5, reasoning_effort: 'low' },
    chat,
    'messages',
    { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    ['temperature', 'top_k', 'top_p'],
  ],
  [
    'sampling that goes with thinking',
    { temperature: 1, reasoning_effort: 'low' },
    chat,
    'messages',
    { temperature: 1, thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
  ],
  [
    'a top_p that is close enough to 1 for thinking',
    { top_p: 0.95, reasoning_effort: 'low' },
    chat,
    'messages',
    { top_p: 0.95, thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
  ],
  [
    'no reasoning, which cannot be sent back',
    { reasoning_effort: 'none' },
    chat,
    'responses',
    { reasoning: { effort: 'none' } },
  ],
  [
    'stop sequences of white space',
    { stop: ['\n', 'END'] },
    chat,
    'messages',
    { stop_sequences: ['END'] },
    ['stop'],
  ],
];

it.each(
  rows.map(([title, request, from, to, expected, dropped = []]) => {
    return [title, from, to, request, { ...expected, dropped }] as const;
  }),
)('the translation of %s, from %s to %s %#', (_, from, to, request, expected) => {
  expect(settings(request, from, to)).toEqual(expected);
});

describe('a default token limit', () => {
  it.each([chat, 'responses'] as const)(
    'a request from %s without a token limit gets one, because messages requires it',
    (from) => {
      expect(translateRequest(question[from], from, 'messages').body.max_tokens).toBe(32_000);
    },
  );
});

it.each([chat, 'messages'] as const)('a request from %s to responses is not stored', (from) => {
  expect(translateRequest(question[from], from, 'responses').body.store).toBe(false);
});

describe('reasoning in a conversation', () => {
  const item = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAA' };
  const sealed = (part: object) => ({
    type: 'thinking',
    thinking: '',
    signature: sealReasoning({ dialect: 'responses', part: { ...part } }),
  });
  const send = (...thinking: readonly object[]) => {
    const content = [...thinking, { type: 'text', text: 'A' }];
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
      { role: 'user', content: 'And?' },
    ];
    const { body, droppedFields } = translateRequest({ messages }, 'messages', 'responses');
    const input = body.input as readonly JsonObject[];
    return { sent: input.filter(({ type }) => type === 'reasoning'), droppedFields };
  };

  it.each<[string, object, readonly object[]]>([
    ['of the provider is sent back', sealed(item), [item]],
    ['of another provider is named', { type: 'thinking', thinking: 'Hm', signature: 's' }, []],
    ['that is stored at the provider is named', sealed({ id: 'rs_1', type: 'reasoning', summary: [] }), []],
  ])('reasoning %s', (_, part, sent) => {
    const droppedFields = sent.length === 0 ? ['messages.*.content.*.thinking'] : [];
    expect(send(part)).toEqual({ sent, droppedFields });
  });
});

it('a field of a preset that a provider rejects is named as in the dialect of the request', () => {
  const body = {
    ...question.messages,
    max_tokens: 4_000,
    thinking: { type: 'enabled', budget_tokens: 2_000 },
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
    tool_choice: { type: 'any' },
  };
  const fitted = fitTranslation({ body, droppedFields: [] }, question[chat], chat, 'messages');
  expect(fitted.droppedFields).toEqual(['reasoning']);
});

describe('thinking with a budget in a loop of tool calls', () => {
  const thought = { type: 'reasoning.text', text: 'Hm', signature: 's', format: 'anthropic-claude-v1' };
  const round = (id: string, more: object = {}) => [
    {
      role: 'assistant',
      content: null,
      ...more,
      tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: id, content: '' },
  ];
  const ask = (...messages: readonly object[]) =>
    translateRequest(
      { messages: [{ role: 'user', content: 'Hi' }, ...messages], reasoning: { max_tokens: 2_000 } },
      chat,
      'messages',
    );

  it.each([
    [
      'goes on if the loop starts with it',
      [...round('a', { reasoning_details: [thought] }), ...round('b')],
      true,
    ],
    ['is left out if another model started the loop', round('a'), false],
    [
      'is left out if the reasoning of another provider started the loop',
      round('a', { reasoning_content: 'Hm' }),
      false,
    ],
    ['is left out if the user adds something', [...round('a'), { role: 'user', content: 'And?' }], false],
    [
      'resumes after an answer',
      [...round('a'), { role: 'assistant', content: 'Yes' }, { role: 'user', content: 'And?' }],
      true,
    ],
  ])('thinking with a budget %s', (_, messages, isKept) => {
    const { body, droppedFields } = ask(...messages);
    expect(Object.hasOwn(body, 'thinking')).toBe(isKept);
    expect(droppedFields.includes('reasoning')).toBe(!isKept);
  });
});

describe('more than four cache breakpoints', () => {
  const text = (each: string) => ({ type: 'text', text: each, ...cached });
  const plain = (each: string) => ({ type: 'text', text: each });

  it('are removed from the first messages', () => {
    const messages = ['a', 'b', 'c', 'd'].map((each) => ({ role: 'user', content: [text(each)] }));
    const tools = [{ type: 'function', function: { name: 'f' }, ...cached }];
    const request = { messages: [{ role: 'system', content: [text('s')] }, ...messages], tools };
    const { body, droppedFields } = translateRequest(request, chat, 'messages');
    expect(body).toMatchObject({ system: [text('s')], tools: [cached] });
    expect(body.messages).toEqual([
      { role: 'user', content: [plain('a')] },
      { role: 'user', content: [plain('b')] },
      ...messages.slice(2),
    ]);
    expect(droppedFields).toEqual(['messages.*.content.*.cache_control']);
  });

  it('are removed from the first tools if there are that many', () => {
    const tools = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, ...cached }));
    const result = { type: 'tool_result', tool_use_id: 't', content: [text('r')], ...cached };
    const { body, losses } = fitRequest(
      { max_tokens: 5, tools, messages: [{ role: 'user', content: [result] }], ...cached },
      'messages',
    );
    expect(body.tools).toEqual([{ name: 'a' }, { name: 'b' }, ...tools.slice(2)]);
    expect(body.messages).toEqual([
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [plain('r')] }] },
    ]);
    expect([...losses.keys()].toSorted()).toEqual([
      'messages.*.content.*.cache_control',
      'messages.*.content.*.content.*.cache_control',
      'tools.*.cache_control',
    ]);
  });

  it.each([
    { tools: 3, system: 1, removed: {} },
    { tools: 2, system: 4, removed: { tools: 2 } },
    { tools: 1, system: 4, removed: { tools: 1 } },
    { tools: 2, system: 5, removed: { tools: 2, system: 1 } },
    { tools: 0, system: 5, removed: { system: 1 } },
  ])(
    'beyond the allowed number are removed from tools before the system prompt: %j',
    ({ tools, system, removed }) => {
      const list = (count: number, without: number, item: object) =>
        Array.from({ length: count }, (_, index) => (index < without ? item : { ...item, ...cached }));
      const bodyWith = (lost: { readonly tools?: number; readonly system?: number }) => ({
        tools: list(tools, lost.tools ?? 0, { name: 'f' }),
        system: list(system, lost.system ?? 0, plain('s')),
      });
      const request = { max_tokens: 5, ...bodyWith({}), messages: [{ role: 'user', content: [text('a')] }] };
      const { body, losses } = fitRequest(request, 'messages');
      expect(body).toMatchObject(bodyWith(removed));
      expect(body.messages).toEqual([{ role: 'user', content: [plain('a')] }]);
      const lists = ['messages.*.content', ...Object.keys(removed)];
      expect(Object.fromEntries(losses)).toEqual(
        Object.fromEntries(
          lists.map((each) => [`${each}.*.cache_control`, each === 'system' ? 'systemCache' : undefined]),
        ),
      );
    },
  );

  it('are not removed from a result if those in its content are enough', () => {
    const result = { type: 'tool_result', tool_use_id: 't', content: [text('r')], ...cached };
    const content = [result, text('a'), text('b'), text('c')];
    const request = { max_tokens: 5, messages: [{ role: 'user', content }] };
    const { body, losses } = fitRequest(request, 'messages');
    expect(body.messages).toEqual([
      { role: 'user', content: [{ ...result, content: [plain('r')] }, ...content.slice(1)] },
    ]);
    expect([...losses.keys()]).toEqual(['messages.*.content.*.content.*.cache_control']);
  });

  it('do not exist in chat completions, which has no caching', () => {
    const { body, droppedFields } = translateRequest(
      { system: [text('s')], messages: [{ role: 'user', content: [text('a')] }] },
      'messages',
      chat,
    );
    expect(body.messages).toEqual([
      { role: 'system', content: 's' },
      { role: 'user', content: 'a' },
    ]);
    expect(droppedFields).toEqual(['messages.*.content.*.cache_control', 'system.*.cache_control']);
  });
});

describe('a request that refers to what a provider has stored', () => {
  it.each([chat, 'messages'] as const)(
    'a request that refers to stored content is rejected for an upstream of %s',
    (to) => {
      const request = {
        input: 'Hi',
        previous_response_id: 'resp_1',
        conversation: 'conv_1',
        prompt: { id: 'p' },
      };
      expect(() => translateRequest(request, 'responses', to)).toThrow(PresetdError);
      try {
        translateRequest(request, 'responses', to);
      } catch (error) {
        const message =
          'needs an upstream that supports responses; send the whole conversation in input instead';
        expect((error as PresetdError).issues).toEqual([
          { path: '/previous_response_id', message },
          { path: '/conversation', message },
          { path: '/prompt', message },
        ]);
      }
    },
  );

  it.each([{ type: 'item_reference', id: 'msg_1' }, { id: 'msg_1' }, { type: null, id: 'msg_1' }])(
    'is rejected if it refers to an item: %j',
    (reference) => {
      const input = [{ role: 'user', content: 'Hi' }, reference];
      expect(() => translateRequest({ input }, 'responses', chat)).toThrow(
        '/input/1 refers to an item that is not stored',
      );
    },
  );

  it.each([{ type: 'create' }, { type: 'continue', previous_message_id: 'msg_1' }])(
    'is rejected in a thread of messages, which later requests would continue: %j',
    (thread) => {
      expect(() => translateRequest({ messages: [], thread }, 'messages', chat)).toThrow('/thread needs');
    },
  );
});

it('a request stays the same object if nothing has to be translated', () => {
  const request = { messages: [] };
  expect(translateRequest(request, chat, chat).body).toBe(request);
});

it('a request lacks what a preset may still add, until it is fitted', () => {
  const { body } = translateUnfitted(question[chat], chat, 'messages');
  expect(body).toEqual({ messages: [{ role: 'user', content: 'Hi' }] });
  expect(fitRequest({ ...body, max_tokens: 9 }, 'messages').body.max_tokens).toBe(9);
});

describe('fitting a request', () => {
  const f = { type: 'function', name: 'f' };
  const search = { type: 'file_search', vector_store_ids: ['v'] };
  const hi = [{ role: 'user', content: 'Hi' }];

  it.each<[string, Dialect, JsonObject, JsonObject, readonly string[]]>([
    [
      'a forced call without tools',
      chat,
      { tools: [], tool_choice: 'required', parallel_tool_calls: false },
      {},
      ['tool_choice'],
    ],
    ['no choice without tools', 'messages', { tools: [], tool_choice: { type: 'none' } }, {}, []],
    [
      'a hosted tool that is not in the list',
      'responses',
      { tools: [f], tool_choice: search },
      { tools: [f] },
      ['tool_choice'],
    ],
    [
      'allowed tools of which one is not in the list',
      'responses',
      { tools: [f], tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [f, search] } },
      { tools: [f], tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [f] } },
      ['tool_choice'],
    ],
  ])('leaves out %s in %s', (_, dialect, body, expected, dropped) => {
    const required = { input: 'Hi', messages: hi, max_tokens: 9, store: false };
    const fitted = fitRequest({ ...required, ...body }, dialect);
    expect(fitted.body).toEqual({ ...required, ...expected });
    expect([...fitted.losses.keys()]).toEqual(dropped);
  });

  it.each<[string, Dialect, JsonObject]>([
    ['the choice of a hosted tool in the list', 'responses', { tools: [f, search], tool_choice: search }],
    ['instructions next to input', 'responses', { instructions: 'Be brief.', input: hi }],
    ['input without instructions, even if it is empty', 'responses', { input: [] }],
    ['messages without a system prompt, even if there are none', 'messages', { messages: [] }],
  ])('keeps %s in %s', (_, dialect, body) => {
    const required = dialect === 'messages' ? { max_tokens: 9 } : { store: false };
    expect(fitRequest({ ...required, ...body }, dialect).body).toEqual({ ...required, ...body });
  });
});

it('fitting a request twice changes nothing more', () => {
  for (const [, request, from, to] of rows) {
    const { body } = translateRequest({ ...question[from], ...request }, from, to);
    expect(fitRequest(body, to)).toEqual({ body, losses: new Map(), toolNames: new Map() });
  }
});

describe('the tools of a request', () => {
  const tools = [
    { type: 'custom', name: 'patch' },
    { type: 'function', name: 'f' },
    {
      type: 'namespace',
      name: 'mcp__files__',
      tools: [
        { type: 'custom', name: 'write' },
        { type: 'function', name: 'read' },
      ],
    },
  ];

  it('are known by name if they are custom', () => {
    expect(dialectOf.responses.tools.findCustomNames({ tools })).toEqual(
      new Set(['patch', 'mcp__files__write']),
    );
    expect(
      dialectOf[chat].tools.findCustomNames({ tools: [{ type: 'custom', custom: { name: 'patch' } }] }),
    ).toEqual(new Set(['patch']));
    expect(dialectOf.messages.tools.findCustomNames({ tools: [{ type: 'custom', name: 'f' }] })).toEqual(
      new Set(),
    );
  });

  it('are known by the name that contains their namespace', () => {
    expect(dialectOf.responses.tools.namespaces?.find({ tools })).toEqual(
      new Map([
        ['mcp__files__write', { namespace: 'mcp__files__', name: 'write' }],
        ['mcp__files__read', { namespace: 'mcp__files__', name: 'read' }],
      ]),
    );
  });
});
