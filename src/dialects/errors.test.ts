import { Stream as AnthropicStream } from '@anthropic-ai/sdk/core/streaming';
import { ChatStreamChunk$inboundSchema, StreamEvents$inboundSchema } from '@openrouter/sdk/models';
import { Stream as OpenAIStream } from 'openai/core/streaming';
import { describe, expect, it } from 'vitest';
import { type Dialect, dialects } from '../core/preset.ts';
import { dialectOf } from './dialects.ts';
import type { ErrorDetails } from './error-details.ts';

const failure: ErrorDetails = { status: 502, message: 'The upstream is gone.', requestId: 'req-1' };
const issues = [{ path: '/model', message: 'must name a model' }];

describe('errorBody', () => {
  const standard = (failure: ErrorDetails) => dialectOf['chat-completions'].errorBody(failure);

  it.each(['chat-completions', 'responses'] as const)('of %s is the standard one', (dialect) => {
    const { errorBody } = dialectOf[dialect];
    expect(errorBody({ status: 404, message: 'No such preset.', requestId: 'r' })).toEqual({
      error: { code: 404, message: 'No such preset.' },
    });
    expect(errorBody({ status: 400, message: 'Wrong.', requestId: 'r', userId: 'user_1', issues })).toEqual({
      error: { code: 400, message: 'Wrong.', metadata: { issues } },
      user_id: 'user_1',
    });
  });

  it('tells the request id where something went wrong on the way', () => {
    expect(standard(failure)).toEqual({
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
  ])('of messages calls %i %s', (status, type) => {
    expect(dialectOf.messages.errorBody({ ...failure, status, userId: 'user_1', issues })).toEqual({
      type: 'error',
      error: { type, message: 'The upstream is gone.' },
      request_id: 'req-1',
    });
  });
});

describe('isErrorBody', () => {
  const openAi = { error: { message: 'm', type: 'invalid_request_error', param: null, code: null } };
  const anthropic = { type: 'error', error: { type: 'api_error', message: 'm' } };
  const others = [null, 1, 'm', [], {}, { error: 'm' }, { error: null }, { error: {} }, { message: 'm' }];

  it.each(dialects)('of %s knows what it makes itself', (dialect) => {
    const { isErrorBody, errorBody } = dialectOf[dialect];
    expect(isErrorBody(errorBody(failure))).toBe(true);
  });

  it.each(dialects)('of %s knows that other values are none', (dialect) => {
    for (const value of others) expect(dialectOf[dialect].isErrorBody(value)).toBe(false);
  });

  it.each<[Dialect, object, boolean]>([
    ['chat-completions', openAi, true],
    ['responses', openAi, true],
    ['messages', openAi, false],
    ['messages', anthropic, true],
    // An OpenAI client finds the message in it.
    ['chat-completions', anthropic, true],
  ])('of %s says of %j: %s', (dialect, body, expected) => {
    expect(dialectOf[dialect].isErrorBody(body)).toBe(expected);
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
  it('of chat completions goes on with the completion that broke', () => {
    const event = dialectOf['chat-completions'].errorEvent(failure, sent['chat-completions']);
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

  it('of responses has the number after the last', () => {
    const event = dialectOf.responses.errorEvent(failure, `${sent.responses}data: {"sequence_num`);
    expect(event).toBe(
      'event: error\ndata: {"type":"error","code":"server_error","message":"The upstream is gone.","param":null,"sequence_number":5}\n\n',
    );
    expect(dialectOf.responses.errorEvent(failure, '')).toContain('"sequence_number":0}');
  });

  it.each(dialects)('of %s stays one event whatever the message holds', (dialect) => {
    const event = dialectOf[dialect].errorEvent({ ...failure, message: 'a\n\ndata: b\r\n' }, '');
    expect(event.match(/^data:/gm)).toHaveLength(1);
    expect(event.split('\n\n')).toHaveLength(2);
  });

  it.each(dialects)('of %s ends a stream in order', (dialect) => {
    const { errorEvent, hasFinished } = dialectOf[dialect];
    expect(hasFinished(sent[dialect] + errorEvent(failure, sent[dialect]))).toBe(true);
  });

  const read = async (stream: AsyncIterable<unknown>) => {
    const events = [];
    for await (const event of stream) events.push(event);
    return events;
  };
  const broken = (dialect: Dialect, before: string) =>
    new Response(before + dialectOf[dialect].errorEvent(failure, before));

  it.each(['chat-completions', 'responses'] as const)("of %s is thrown by OpenAI's SDK", async (dialect) => {
    for (const before of ['', sent[dialect]]) {
      const stream = OpenAIStream.fromSSEResponse(broken(dialect, before), new AbortController());
      await expect(read(stream)).rejects.toThrow('The upstream is gone.');
    }
  });

  it("of messages is thrown by Anthropic's SDK", async () => {
    for (const before of ['', sent.messages]) {
      const stream = AnthropicStream.fromSSEResponse(broken('messages', before), new AbortController());
      await expect(read(stream)).rejects.toMatchObject({ type: 'api_error' });
    }
  });

  it.each(['', sent['chat-completions']])("is read by OpenRouter's SDK", (before) => {
    const chunk = dialectOf['chat-completions'].errorEvent(failure, before).slice('data: '.length);
    expect(ChatStreamChunk$inboundSchema.parse(JSON.parse(chunk)).error?.message).toBe(failure.message);
    const event = dialectOf.responses.errorEvent(failure, before).split('data: ')[1] ?? '';
    expect(StreamEvents$inboundSchema.parse(JSON.parse(event))).toMatchObject({
      type: 'error',
      code: 'server_error',
    });
  });
});

describe('hasFinished', () => {
  it.each(dialects)('of %s is false before the end', (dialect) => {
    const { hasFinished } = dialectOf[dialect];
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
    ['responses', 'event: error\ndata: {"type":"error","message":"m"}\n\n'],
  ])('of %s is true after %j', (dialect, tail) => {
    expect(dialectOf[dialect].hasFinished(sent[dialect] + tail)).toBe(true);
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
  ])('of %s is false after %j', (dialect, tail) => {
    expect(dialectOf[dialect].hasFinished(sent[dialect] + tail)).toBe(false);
  });
});
