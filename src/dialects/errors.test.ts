import { Stream as AnthropicStream } from '@anthropic-ai/sdk/core/streaming';
import { ChatStreamChunk$inboundSchema, StreamEvents$inboundSchema } from '@openrouter/sdk/models';
import { Stream as OpenAIStream } from 'openai/core/streaming';
import { describe, expect, it } from 'vitest';
import { type Dialect, dialects } from '../core/presets/preset.ts';
import { dialectOf } from './dialects.ts';
import type { ErrorDetails } from './model/error-details.ts';

const error: ErrorDetails = { status: 502, message: 'The upstream is gone.', requestId: 'req-1' };
const issues = [{ path: '/model', message: 'must name a model' }];

describe('an error body', () => {
  it('chat-completions: returns the standard error body', () => {
    const { write } = dialectOf['chat-completions'].errors;
    expect(write({ status: 404, message: 'No such preset.', requestId: 'r' })).toEqual({
      error: { code: 404, message: 'No such preset.' },
    });
    expect(write({ status: 400, message: 'Wrong.', requestId: 'r', userId: 'user_1', issues })).toEqual({
      error: { code: 400, message: 'Wrong.', metadata: { issues } },
      user_id: 'user_1',
    });
  });

  it('responses: returns the standard error body with the type and the parameter', () => {
    const { write } = dialectOf.responses.errors;
    expect(write({ status: 404, message: 'No such preset.', requestId: 'r' })).toEqual({
      error: { type: 'not_found', code: 404, message: 'No such preset.', param: null },
    });
    expect(write({ status: 400, message: 'Wrong.', requestId: 'r', userId: 'user_1', issues })).toEqual({
      error: { type: 'invalid_request', code: 400, message: 'Wrong.', param: 'model', metadata: { issues } },
      user_id: 'user_1',
    });
  });

  it.each([
    [400, 'invalid_request'],
    [401, 'invalid_request'],
    [404, 'not_found'],
    [413, 'invalid_request'],
    [424, 'server_error'],
    [429, 'too_many_requests'],
    [500, 'server_error'],
    [503, 'server_error'],
  ])('responses: maps status %i to %s', (status, type) => {
    expect(dialectOf.responses.errors.write({ ...error, status })).toMatchObject({ error: { type } });
    const [, data = ''] = dialectOf.responses.stream.errorEvent({ ...error, status }, '').split('data: ');
    expect(JSON.parse(data)).toMatchObject({ error: { type } });
  });

  it.each([
    ['/model', 'model'],
    ['/input/1', 'input[1]'],
    ['/prompt/variables/a~1b', 'prompt.variables.a/b'],
    ['/tools/0/name', 'tools[0].name'],
    ['/metadata/2nd', 'metadata.2nd'],
    ['', null],
  ])('responses: the issue at %j is about the parameter %j', (path, param) => {
    const found = [
      { path, message: 'is wrong' },
      { path: '/x', message: 'is wrong too' },
    ];
    expect(dialectOf.responses.errors.write({ ...error, issues: found })).toMatchObject({ error: { param } });
  });

  it.each([
    [400, 'invalid_prompt'],
    [404, 'server_error'],
    [413, 'invalid_prompt'],
    [422, 'invalid_prompt'],
    [429, 'rate_limit_exceeded'],
    [500, 'server_error'],
  ])('responses: the error event of status %i has the code %s', (status, code) => {
    const [, data = ''] = dialectOf.responses.stream.errorEvent({ ...error, status }, '').split('data: ');
    expect(JSON.parse(data)).toMatchObject({ code, error: { code } });
  });

  it.each([
    [400, 'invalid_request'],
    [401, 'authentication'],
    [429, 'rate_limit_exceeded'],
    [499, 'invalid_request'],
    [500, 'server'],
    [529, 'provider_overloaded'],
  ])('chat-completions: the error event of status %i has the type %s', (status, error_type) => {
    const event = dialectOf['chat-completions'].stream.errorEvent({ ...error, status }, '');
    expect(JSON.parse(event.slice('data: '.length))).toMatchObject({
      error: { code: status, metadata: { error_type } },
    });
  });

  it('includes the request id in a 5xx', () => {
    expect(dialectOf['chat-completions'].errors.write(error)).toEqual({
      error: { code: 502, message: 'The upstream is gone.', metadata: { request_id: 'req-1' } },
    });
  });

  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [408, 'timeout_error'],
    [413, 'request_too_large'],
    [415, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [424, 'api_error'],
    [502, 'api_error'],
    [503, 'api_error'],
    [504, 'timeout_error'],
    [529, 'overloaded_error'],
  ])('messages: maps status %i to %s', (status, type) => {
    expect(dialectOf.messages.errors.write({ ...error, status, userId: 'user_1', issues })).toEqual({
      type: 'error',
      error: { type, message: 'The upstream is gone.' },
      request_id: 'req-1',
    });
  });
});

it('messages: an error about a thread makes the tool runners of Anthropic go on without one', () => {
  const thread = [{ path: '/thread', message: 'needs an upstream that supports messages' }];
  expect(dialectOf.messages.errors.write({ ...error, status: 400, issues: thread })).toMatchObject({
    error: { details: { error_code: 'thread_unsupported_request' } },
  });
});

describe('an error body of messages', () => {
  it('lists several issues in the message, since the format has no other place for them', () => {
    const several = [...issues, { path: '/prompt/variables/customer', message: 'is required' }];
    const message = 'The request body is not valid: /model must name a model; and 1 more.';
    expect(dialectOf.messages.errors.write({ ...error, message, issues: several })).toMatchObject({
      error: {
        message: `${message}\n- /model must name a model\n- /prompt/variables/customer is required`,
      },
    });
  });
});

describe('isBody', () => {
  const openAi = { error: { message: 'm', type: 'invalid_request_error', param: null, code: null } };
  const anthropic = { type: 'error', error: { type: 'api_error', message: 'm' } };
  const others = [null, 1, 'm', [], {}, { error: 'm' }, { error: null }, { error: {} }, { message: 'm' }];

  it.each(dialects)('%s: accepts the error bodies of presetd itself', (dialect) => {
    const { isBody, write } = dialectOf[dialect].errors;
    expect(isBody(write(error))).toBe(true);
  });

  it.each(dialects)('%s: rejects other values', (dialect) => {
    for (const value of others) expect(dialectOf[dialect].errors.isBody(value)).toBe(false);
  });

  it.each<[Dialect, object, boolean]>([
    ['chat-completions', openAi, true],
    ['responses', openAi, true],
    ['messages', openAi, false],
    ['messages', anthropic, true],
    ['messages', { type: 'error', error: { message: 'm' } }, false],
    ['messages', { type: 'error', error: { type: 'api_error' } }, false],
    // OpenAI's clients can read its message.
    ['chat-completions', anthropic, true],
  ])('%s: for %j returns %s', (dialect, body, expected) => {
    expect(dialectOf[dialect].errors.isBody(body)).toBe(expected);
  });
});

const sent: Readonly<Record<Dialect, string>> = {
  'chat-completions':
    ': OPENROUTER PROCESSING\n\n' +
    'data: {"id":"gen-1","object":"chat.completion.chunk","created":17,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\n',
  messages:
    'event: content_block_delta\n' +
    'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}\n\n',
  responses:
    'event: response.output_text.delta\n' +
    'data: {"type":"response.output_text.delta","sequence_number":4,"item_id":"i","output_index":0,"content_index":0,"delta":"Hel","logprobs":[]}\n\n',
};

describe('errorEvent', () => {
  it('chat-completions: continues the completion that broke off', () => {
    const event = dialectOf['chat-completions'].stream.errorEvent(error, sent['chat-completions']);
    expect(JSON.parse(event.slice('data: '.length))).toEqual({
      id: 'gen-1',
      object: 'chat.completion.chunk',
      created: 17,
      model: 'm',
      choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
      error: {
        code: 502,
        message: 'The upstream is gone.',
        metadata: { error_type: 'provider_unavailable' },
      },
    });
  });

  it('chat-completions: has the id of the request if nothing was sent before', () => {
    const event = dialectOf['chat-completions'].stream.errorEvent(error, '');
    expect(JSON.parse(event.slice('data: '.length))).toMatchObject({ id: 'req-1', created: 0, model: '' });
  });

  it('responses: has the next sequence number', () => {
    const event = dialectOf.responses.stream.errorEvent(error, `${sent.responses}data: {"sequence_num`);
    expect(event).toBe(
      `event: error\ndata: ${JSON.stringify({
        type: 'error',
        code: 'server_error',
        message: 'The upstream is gone.',
        param: null,
        error: {
          type: 'server_error',
          code: 'server_error',
          message: 'The upstream is gone.',
          param: null,
        },
        sequence_number: 5,
      })}\n\n`,
    );
    expect(dialectOf.responses.stream.errorEvent(error, '')).toContain('"sequence_number":0}');
  });

  it('responses: ends with the response that failed, if it is known', () => {
    const response = { id: 'resp_1', status: 'in_progress', error: null, output: [], model: 'm' };
    const created = `data: ${JSON.stringify({ type: 'response.created', response, sequence_number: 0 })}\n\n`;
    const [, failed = ''] = dialectOf.responses.stream
      .errorEvent(error, created + sent.responses)
      .split('\n\n');
    expect(failed.split('\ndata: ')[0]).toBe('event: response.failed');
    expect(JSON.parse(failed.split('\ndata: ')[1] ?? '')).toEqual({
      type: 'response.failed',
      response: {
        ...response,
        status: 'failed',
        completed_at: null,
        error: { code: 'server_error', message: 'The upstream is gone.' },
      },
      sequence_number: 6,
    });
  });

  it.each(dialects)('%s: stays one event regardless of the message', (dialect) => {
    const event = dialectOf[dialect].stream.errorEvent({ ...error, message: 'a\n\ndata: b\r\n' }, '');
    expect(event.match(/^data:/gm)).toHaveLength(1);
    expect(event.split('\n\n')).toHaveLength(2);
  });

  it.each(dialects)('%s: finishes a stream', (dialect) => {
    const { errorEvent, hasFinished } = dialectOf[dialect].stream;
    expect(hasFinished(sent[dialect] + errorEvent(error, sent[dialect]))).toBe(true);
  });

  const read = async (stream: AsyncIterable<unknown>) => {
    const events = [];
    for await (const event of stream) events.push(event);
    return events;
  };
  const broken = (dialect: Dialect, before: string) =>
    new Response(before + dialectOf[dialect].stream.errorEvent(error, before));

  it.each(['chat-completions', 'responses'] as const)("%s: is thrown by OpenAI's SDK", async (dialect) => {
    for (const before of ['', sent[dialect]]) {
      const stream = OpenAIStream.fromSSEResponse(broken(dialect, before), new AbortController());
      await expect(read(stream)).rejects.toThrow('The upstream is gone.');
    }
  });

  it("messages: is thrown by Anthropic's SDK", async () => {
    for (const before of ['', sent.messages]) {
      const stream = AnthropicStream.fromSSEResponse(broken('messages', before), new AbortController());
      await expect(read(stream)).rejects.toMatchObject({ type: 'api_error' });
    }
  });

  it.each(['', sent['chat-completions']])("is parsed by OpenRouter's SDK", (before) => {
    const chunk = dialectOf['chat-completions'].stream.errorEvent(error, before).slice('data: '.length);
    expect(ChatStreamChunk$inboundSchema.parse(JSON.parse(chunk)).error?.message).toBe(error.message);
    const event = dialectOf.responses.stream.errorEvent(error, before).split('data: ')[1] ?? '';
    expect(StreamEvents$inboundSchema.parse(JSON.parse(event))).toMatchObject({
      type: 'error',
      code: 'server_error',
    });
  });
});

describe('hasFinished', () => {
  it.each(dialects)('%s: is false before the end', (dialect) => {
    const { hasFinished } = dialectOf[dialect].stream;
    for (const tail of ['', ': keep-alive\n\n', sent[dialect]]) expect(hasFinished(tail)).toBe(false);
  });

  it.each<[Dialect, string]>([
    ['chat-completions', 'data: {"choices":[],"usage":{}}\n\ndata: [DONE]\n\n'],
    ['chat-completions', 'data:[DONE]\r\n\r\n'],
    ['chat-completions', 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'],
    [
      'chat-completions',
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"choices":[],"usage":{}}\n\n',
    ],
    ['chat-completions', 'data: {"error":{"message":"m"}}\n\n'],
    ['messages', 'event: message_stop\ndata: {"type":"message_stop"}\n\n'],
    [
      'messages',
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"m"}}\n\n',
    ],
    ['responses', 'event: response.completed\ndata: {"type":"response.completed","response":{}}\n\n'],
    ['responses', 'event: response.failed\ndata: {"type":"response.failed","response":{}}\n\n'],
    ['responses', 'event: response.incomplete\ndata: {"type":"response.incomplete","response":{}}\n\n'],
    ['responses', 'event: response.cancelled\ndata: {"type":"response.cancelled","response":{}}\n\n'],
    ['responses', 'event: response.error\ndata: {"type":"response.error","message":"m"}\n\n'],
    ['responses', 'event: error\ndata: {"type":"error","message":"m"}\n\n'],
    ['responses', 'data: [DONE]\n\n'],
  ])('%s: is true after %j', (dialect, tail) => {
    expect(dialectOf[dialect].stream.hasFinished(sent[dialect] + tail)).toBe(true);
  });

  it.each<[Dialect, string]>([
    ['chat-completions', 'data: [DON'],
    [
      'chat-completions',
      'data: {"choices":[{"index":0,"delta":{"content":"[DONE]"},"finish_reason":null}]}\n\n',
    ],
    [
      'chat-completions',
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"choices":[{"index":1,"delta":{},"finish_reason":null}]}\n\n',
    ],
    ['messages', 'event: message_stop\n'],
    ['messages', 'event: message_stop\ndata: {"type":"message_stop"'],
    ['messages', 'data: {"type":"content_block_delta","delta":{"text":"message_stop"}}\n\n'],
    ['responses', 'event: response.completed\ndata: {"type":"response.completed","response":{"status":'],
  ])('%s: is false after %j', (dialect, tail) => {
    expect(dialectOf[dialect].stream.hasFinished(sent[dialect] + tail)).toBe(false);
  });
});
