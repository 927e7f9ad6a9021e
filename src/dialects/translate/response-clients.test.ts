import Anthropic from '@anthropic-ai/sdk';
import { ChatResult$inboundSchema, OpenResponsesResult$inboundSchema } from '@openrouter/sdk/models';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/json-object.ts';
import { asObject, asObjects } from '../../core/json/loose-json.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import type { CompletionContext } from '../model/completion.ts';
import { translateResponse } from './translate-response.ts';

const context: CompletionContext = { requestId: 'request', model: 'm', created: 1_700_000_000, request: {} };

/** A response with as much as possible in each dialect, and one with as little. */
const sources: readonly [Dialect, string, JsonObject][] = [
  [
    'messages',
    'a full message',
    {
      id: 'msg_1',
      content: [
        { type: 'thinking', thinking: 'Hmm.', signature: 'sig' },
        { type: 'redacted_thinking', data: 'x' },
        {
          type: 'text',
          text: 'Hi!',
          citations: [{ type: 'web_search_result_location', url: 'https://a.b', title: null }],
        },
        { type: 'tool_use', id: 'call_1', name: 'f', input: { a: 1 } },
        { type: 'tool_use', id: 'call_2', name: 'patch', input: { input: 'x' } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 2 },
    },
  ],
  [
    'chat-completions',
    'a full completion',
    {
      id: 'gen-1',
      created: 1_700_000_000,
      choices: [
        {
          message: {
            content: 'Hi!',
            reasoning_content: 'Hmm.',
            annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.b' } }],
            tool_calls: [{ function: { name: 'f', arguments: '{}' } }],
          },
          logprobs: { content: [{ token: 'Hi', logprob: -1, bytes: null }] },
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    },
  ],
  [
    'responses',
    'a full response',
    {
      id: 'resp_1',
      status: 'incomplete',
      output: [
        { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hmm.' }] },
        { id: 'msg_1', type: 'message', content: [{ type: 'output_text', text: 'Hi!' }] },
        { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{' },
      ],
      usage: { input_tokens: 1, output_tokens: 2 },
    },
  ],
  ['messages', 'an empty message', {}],
  ['chat-completions', 'an empty completion', {}],
  ['responses', 'an empty response', {}],
];

const sourcesOf = (to: Dialect) => sources.filter(([from]) => from !== to);

function translate(source: JsonObject, from: Dialect, to: Dialect, request: JsonObject = {}): JsonObject {
  // OpenRouter's SDK knows no custom tools in chat completions.
  const customTools = new Set(to === 'responses' ? ['patch'] : []);
  return translateResponse(source, from, to, { ...context, request, customTools }).body;
}

/** The names that a type requires. A type that gets another one makes the constants not compile. */
type RequiredNames<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T];
type NamesOf<T> = Readonly<Record<RequiredNames<T>, true>>;

function expectNames(value: unknown, required: object): void {
  expect(Object.keys(asObject(value))).toEqual(expect.arrayContaining(Object.keys(required)));
}

describe('a translated chat completion', () => {
  const body: NamesOf<OpenAI.ChatCompletion> = {
    id: true,
    choices: true,
    created: true,
    model: true,
    object: true,
  };
  const choice: NamesOf<OpenAI.ChatCompletion.Choice> = {
    finish_reason: true,
    index: true,
    logprobs: true,
    message: true,
  };
  const message: NamesOf<OpenAI.ChatCompletionMessage> = { content: true, refusal: true, role: true };

  it.each(sourcesOf('chat-completions'))('has all that the SDKs require: %s, %s', (from, _, source) => {
    const completion = translate(source, from, 'chat-completions');
    const [first = {}] = asObjects(completion.choices);
    expectNames(completion, body);
    expectNames(first, choice);
    expectNames(first.message, message);
    expect(ChatResult$inboundSchema.safeParse(completion).error).toBeUndefined();
  });

  it('is accepted by the SDK of OpenAI', async () => {
    const [from, , source] = sourcesOf('chat-completions')[0] ?? ['messages', '', {}];
    const fetch = returning(translate(source, from, 'chat-completions'));
    const client = new OpenAI({ apiKey: 'x', fetch });
    const completion = await client.chat.completions.create({ model: 'm', messages: [] });
    expect(completion.choices[0]?.message.content).toBe('Hi!');
    expect(completion.choices[0]?.message.tool_calls).toHaveLength(2);
  });
});

type OptionalUsage =
  | 'cache_creation'
  | 'inference_geo'
  | 'output_tokens_details'
  | 'server_tool_use'
  | 'service_tier'
  | 'speed';

describe('a translated message', () => {
  /** The API leaves these out although the types require them. */
  const body: NamesOf<Omit<Anthropic.Message, 'container' | 'diagnostics'>> = {
    id: true,
    content: true,
    model: true,
    role: true,
    stop_details: true,
    stop_reason: true,
    stop_sequence: true,
    type: true,
    usage: true,
  };
  const usage: NamesOf<Omit<Anthropic.Usage, OptionalUsage>> = {
    cache_creation_input_tokens: true,
    cache_read_input_tokens: true,
    input_tokens: true,
    output_tokens: true,
  };
  const text: NamesOf<Omit<Anthropic.TextBlock, 'citations'>> = { text: true, type: true };
  const thinking: NamesOf<Anthropic.ThinkingBlock> = { signature: true, thinking: true, type: true };
  const toolUse: NamesOf<Anthropic.ToolUseBlock> = {
    id: true,
    caller: true,
    input: true,
    name: true,
    type: true,
  };
  const citation: NamesOf<Anthropic.CitationsWebSearchResultLocation> = {
    cited_text: true,
    encrypted_index: true,
    title: true,
    type: true,
    url: true,
  };
  const blocks: Readonly<Record<string, object>> = { text, thinking, tool_use: toolUse };

  it.each(sourcesOf('messages'))(
    'a translated response has all that the API sends: %s, %s',
    (from, _, source) => {
      const message = translate(source, from, 'messages');
      expectNames(message, body);
      expectNames(message.usage, usage);
      for (const block of asObjects(message.content)) {
        expectNames(block, blocks[String(block.type)] ?? {});
        for (const each of asObjects(block.citations)) expectNames(each, citation);
      }
    },
  );

  it('is accepted by the SDK of Anthropic', async () => {
    const [from, , source] = sourcesOf('messages')[0] ?? ['chat-completions', '', {}];
    const fetch = returning(translate(source, from, 'messages'));
    const client = new Anthropic({ apiKey: 'x', fetch });
    const message = await client.messages.create({ model: 'm', max_tokens: 1, messages: [] });
    expect(message.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use']);
    expect(message.stop_reason).toBe('tool_use');
  });
});

describe('a translated response', () => {
  /** SDKs compute `output_text`. */
  const body: NamesOf<Omit<OpenAI.Responses.Response, 'output_text'>> = {
    id: true,
    access_programs: true,
    created_at: true,
    error: true,
    incomplete_details: true,
    instructions: true,
    metadata: true,
    model: true,
    object: true,
    output: true,
    parallel_tool_calls: true,
    temperature: true,
    tool_choice: true,
    tools: true,
    top_p: true,
  };
  const inputDetails: NamesOf<OpenAI.Responses.ResponseUsage.InputTokensDetails> = {
    cache_write_tokens: true,
    cached_tokens: true,
  };
  const usage: NamesOf<OpenAI.Responses.ResponseUsage> = {
    input_tokens: true,
    input_tokens_details: true,
    output_tokens: true,
    output_tokens_details: true,
    total_tokens: true,
  };
  const message: NamesOf<OpenAI.Responses.ResponseOutputMessage> = {
    id: true,
    content: true,
    role: true,
    status: true,
    type: true,
  };
  const functionCall: NamesOf<OpenAI.Responses.ResponseFunctionToolCallItem> = {
    id: true,
    arguments: true,
    call_id: true,
    name: true,
    status: true,
    type: true,
  };
  const items: Readonly<Record<string, object>> = {
    message,
    function_call: functionCall,
    custom_tool_call: { id: true, call_id: true, input: true, name: true, type: true },
    reasoning: { id: true, summary: true, type: true },
  };
  /** The fields that the Open Responses specification requires in a response. */
  const specified = [
    ...['id', 'object', 'created_at', 'completed_at', 'status', 'incomplete_details', 'model'],
    ...['previous_response_id', 'instructions', 'output', 'error', 'tools', 'tool_choice', 'truncation'],
    ...['parallel_tool_calls', 'text', 'top_p', 'presence_penalty', 'frequency_penalty', 'top_logprobs'],
    ...['temperature', 'reasoning', 'user', 'usage', 'max_output_tokens', 'max_tool_calls', 'store'],
    ...['background', 'service_tier', 'metadata', 'safety_identifier', 'prompt_cache_key'],
  ];

  it.each(sourcesOf('responses'))(
    'has all that SDKs and specification require: %s, %s',
    (from, _, source) => {
      const response = translate(source, from, 'responses');
      expectNames(response, body);
      expect(Object.keys(response)).toEqual(expect.arrayContaining(specified));
      if (response.usage !== null) {
        expectNames(response.usage, usage);
        expectNames(asObject(response.usage).input_tokens_details, inputDetails);
      }
      for (const item of asObjects(response.output)) expectNames(item, items[String(item.type)] ?? {});
      expect(OpenResponsesResult$inboundSchema.safeParse(response).error).toBeUndefined();
    },
  );

  it('has the defaults of OpenAI for settings that the request does not have', () => {
    expect(translate({}, 'messages', 'responses')).toMatchObject({
      instructions: null,
      max_output_tokens: null,
      max_tool_calls: null,
      metadata: {},
      parallel_tool_calls: true,
      previous_response_id: null,
      reasoning: { effort: null, summary: null },
      store: false,
      temperature: 1,
      text: { format: { type: 'text' } },
      tool_choice: 'auto',
      tools: [],
      top_p: 1,
      truncation: 'disabled',
      user: null,
    });
  });

  it('repeats the settings of the request', () => {
    const settings = {
      instructions: 'Be terse.',
      max_output_tokens: 100,
      metadata: { a: 'b' },
      parallel_tool_calls: false,
      temperature: 0,
      tool_choice: 'required',
      top_p: 0.5,
      truncation: 'auto',
      user: 'u',
    };
    const request = {
      ...settings,
      input: 'Hi!',
      stream: false,
      store: true,
      max_tool_calls: null,
      reasoning: { effort: 'low' },
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema: {}, strict: null } },
      tools: [
        { type: 'function', name: 'f', parameters: {} },
        { type: 'custom', name: 'patch' },
      ],
    };
    const response = translate({}, 'messages', 'responses', request);
    expect(response).toMatchObject({
      ...settings,
      store: false,
      max_tool_calls: null,
      reasoning: { effort: 'low', summary: null },
      text: {
        verbosity: 'low',
        format: { type: 'json_schema', name: 'n', schema: {}, description: null, strict: false },
      },
      tools: [
        { type: 'function', name: 'f', description: null, parameters: {}, strict: null },
        { type: 'custom', name: 'patch' },
      ],
    });
    expect(response).not.toHaveProperty('input');
    expect(response).not.toHaveProperty('stream');
  });

  it('is complete at a time that is not before its start', () => {
    const late = { created: context.created + 5, choices: [] };
    expect(translate(late, 'chat-completions', 'responses').completed_at).toBe(context.created + 5);
    const cut = { choices: [{ finish_reason: 'length' }] };
    expect(translate(cut, 'chat-completions', 'responses').completed_at).toBeNull();
  });

  it('is accepted by the SDK of OpenAI', async () => {
    const [from, , source] = sourcesOf('responses')[0] ?? ['messages', '', {}];
    const fetch = returning(translate(source, from, 'responses'));
    const response = await new OpenAI({ apiKey: 'x', fetch }).responses.create({ model: 'm', input: 'Hi' });
    expect(response.output_text).toBe('Hi!');
    expect(response.output.map(({ type }) => type)).toEqual([
      'reasoning',
      'reasoning',
      'message',
      'function_call',
      'custom_tool_call',
    ]);
  });
});

function returning(body: JsonObject): typeof fetch {
  return async () => Response.json(body);
}
