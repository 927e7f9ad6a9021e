import APIError from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import type { UpstreamError } from '../model/error-details.ts';
import { findResponseError, translateError } from './translate-error.ts';

const details = { status: 400, message: 'The upstream failed.', requestId: 'req-1', userId: 'user_1' };
const openAi = (message: string, more: JsonObject = {}) => ({
  error: { message, type: 'invalid_request_error', param: null, code: null, ...more },
});
const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message } });

describe('translateError', () => {
  it.each<[string, Dialect, Dialect, number, unknown, number, object]>([
    [
      'keeps type, code and param',
      'messages',
      'chat-completions',
      400,
      anthropic('invalid_request_error', 'Wrong.'),
      400,
      { error: { code: 400, message: 'Wrong.', type: 'invalid_request_error' }, user_id: 'user_1' },
    ],
    [
      'adds what responses has besides',
      'chat-completions',
      'responses',
      502,
      { error: { message: 'Broken.' } },
      502,
      { error: { type: 'server_error', code: 502, message: 'Broken.', param: null } },
    ],
    [
      'adds the code',
      'responses',
      'chat-completions',
      502,
      { error: { message: 'Broken.' } },
      502,
      { error: { code: 502, message: 'Broken.' } },
    ],
    [
      'leaves a complete error as it is',
      'chat-completions',
      'responses',
      400,
      { error: { message: 'Wrong.', type: 'a', param: 'b', code: null }, more: 1 },
      400,
      { error: { message: 'Wrong.', type: 'a', param: 'b', code: null }, more: 1 },
    ],
    [
      'writes the type that the status stands for',
      'chat-completions',
      'messages',
      404,
      openAi('No such model.', { code: 'model_not_found', param: 'model' }),
      404,
      {
        type: 'error',
        error: { type: 'not_found_error', message: 'No such model.' },
        request_id: 'req-1',
      },
    ],
    [
      'keeps an error that both dialects understand',
      'chat-completions',
      'responses',
      400,
      openAi('Wrong.', { param: 'tools[0]' }),
      400,
      openAi('Wrong.', { param: 'tools[0]' }),
    ],
    [
      'finds the message of a FastAPI server',
      'chat-completions',
      'responses',
      422,
      { detail: [{ loc: ['body', 'model'], msg: 'is missing' }] },
      422,
      {
        error: { type: 'invalid_request', code: 422, message: 'body.model: is missing', param: null },
        user_id: 'user_1',
      },
    ],
    [
      'has a message if the upstream sent none',
      'responses',
      'messages',
      500,
      undefined,
      500,
      {
        type: 'error',
        error: { type: 'api_error', message: 'The upstream failed.' },
        request_id: 'req-1',
      },
    ],
    [
      'says unavailable instead of overloaded',
      'messages',
      'responses',
      529,
      anthropic('overloaded_error', 'Overloaded'),
      503,
      {
        error: {
          code: 503,
          message: 'Overloaded',
          metadata: { request_id: 'req-1' },
          type: 'overloaded_error',
          param: null,
        },
        user_id: 'user_1',
      },
    ],
    [
      'says overloaded instead of unavailable',
      'chat-completions',
      'messages',
      503,
      openAi('Busy'),
      529,
      { type: 'error', error: { type: 'overloaded_error', message: 'Busy' }, request_id: 'req-1' },
    ],
    [
      'has the code by which clients of OpenAI recognize a prompt that is too long',
      'messages',
      'responses',
      400,
      anthropic('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
      400,
      {
        error: {
          code: 'context_length_exceeded',
          message: 'prompt is too long: 210000 tokens > 200000 maximum',
          type: 'invalid_request_error',
          param: null,
        },
        user_id: 'user_1',
      },
    ],
    [
      'has the words by which Claude Code recognizes a prompt that is too long',
      'chat-completions',
      'messages',
      400,
      openAi('Please reduce the length of the messages.', { code: 'context_length_exceeded' }),
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'prompt is too long: Please reduce the length of the messages.',
        },
        request_id: 'req-1',
      },
    ],
  ])('%s: %s to %s, %i', (_, from, to, status, body, expectedStatus, expected) => {
    expect(translateError(body, from, to, { ...details, status })).toEqual({
      status: expectedStatus,
      body: expected,
    });
  });

  it('keeps the parameter that an upstream names', () => {
    const error = { message: 'Invalid', param: 'input' };
    expect(translateError({ error }, 'messages', 'responses', details).body).toMatchObject({ error });
  });

  it('is understood by the official SDKs', () => {
    const { status, body } = translateError(
      anthropic('invalid_request_error', 'prompt is too long'),
      'messages',
      'chat-completions',
      details,
    );
    expect(OpenAI.APIError.generate(status, body, undefined, new Headers())).toMatchObject({
      message: '400 prompt is too long',
      code: 'context_length_exceeded',
      type: 'invalid_request_error',
    });
    const other = translateError(openAi('Busy'), 'responses', 'messages', { ...details, status: 503 });
    expect(APIError.APIError.generate(other.status, other.body, undefined, new Headers())).toMatchObject({
      status: 529,
      type: 'overloaded_error',
    });
  });
});

describe('the error of an upstream', () => {
  it.each([
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    "The input (345516 tokens) is longer than the model's context length (262144 tokens).",
    'Prompt contains 50000 tokens, too large for model with 32768 maximum context length',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'the request exceeds the available context size, try increasing it',
    'prompt too long; exceeded max context length by 4 tokens',
    'input length and `max_tokens` exceed context limit: 189727 + 16000 > 200000',
    'Prompt is too long',
  ])('recognizes a prompt that is too long: %s', (message) => {
    const error: UpstreamError = { status: 400, message };
    expect(dialectOf.responses.errors.adapt(error).code).toBe('context_length_exceeded');
    expect(dialectOf.messages.errors.adapt(error).message.toLowerCase()).toContain('prompt is too long');
  });

  it('keeps the words of Anthropic as they are, in any case', () => {
    const error: UpstreamError = { status: 400, message: 'Prompt is too long' };
    expect(dialectOf.messages.errors.adapt(error)).toMatchObject(error);
  });

  it.each([400, 413, 422])(
    'recognizes a prompt that is too long by its code, with the status %i',
    (status) => {
      const error: UpstreamError = { status, message: 'Shorten it.', code: 'context_length_exceeded' };
      expect(dialectOf.messages.errors.adapt(error).message).toBe('prompt is too long: Shorten it.');
    },
  );

  it.each<[number, string]>([
    [400, `${'a '.repeat(500)}prompt is too long`],
    [400, 'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.'],
    [400, 'Unknown parameter: context_window.'],
    [429, 'Rate limit reached: exceeded tokens per minute for a context window.'],
    [500, 'prompt is too long'],
  ])('leaves other errors unchanged: %i, %s', (status, message) => {
    const error: UpstreamError = { status, message };
    expect(dialectOf.responses.errors.adapt(error)).toEqual(error);
    expect(dialectOf.messages.errors.adapt(error)).toEqual(error);
  });
});

describe('findResponseError', () => {
  const unfinished = (what: string) =>
    `The model did not finish its response: the upstream reported the ${what}. Send the request again.`;

  it.each<[string, Dialect, JsonObject, ReturnType<typeof findResponseError>]>([
    ['none in a message', 'messages', { type: 'message', content: [] }, undefined],
    ['none in a response', 'responses', { status: 'completed', error: null }, undefined],
    ['none in an incomplete response', 'responses', { status: 'incomplete', error: null }, undefined],
    [
      'that of OpenRouter',
      'chat-completions',
      { error: { code: 429, message: 'Slow down.', metadata: { provider_name: 'X' } } },
      { status: 429, error: { code: 429, message: 'Slow down.', metadata: { provider_name: 'X' } } },
    ],
    [
      'that of a choice',
      'chat-completions',
      { choices: [{ finish_reason: 'error', error: { code: 502, message: 'Gone.' } }] },
      { status: 502, error: { code: 502, message: 'Gone.' } },
    ],
    [
      'that of a failed response',
      'responses',
      { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow down.' } },
      { status: 429, error: { code: 'rate_limit_exceeded', message: 'Slow down.' } },
    ],
    [
      'that of Anthropic',
      'messages',
      anthropic('overloaded_error', 'Overloaded'),
      { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } },
    ],
    [
      'one without a message',
      'chat-completions',
      { error: {} },
      { status: 502, error: { message: 'The upstream reported an error without a message.' } },
    ],
    [
      'a choice that failed',
      'chat-completions',
      { choices: [{ message: { content: 'Hi' }, finish_reason: 'abort' }] },
      { status: 502, error: { message: unfinished('finish reason "abort"') } },
    ],
    [
      'a lack of resources',
      'chat-completions',
      { choices: [{ message: { content: 'Hi' }, finish_reason: 'insufficient_system_resource' }] },
      { status: 503, error: { message: unfinished('finish reason "insufficient_system_resource"') } },
    ],
    [
      'a response that was canceled',
      'responses',
      { status: 'cancelled', error: null, output: [] },
      { status: 502, error: { message: unfinished('status "cancelled"') } },
    ],
  ])('finds %s', (_, dialect, body, expected) => {
    expect(findResponseError(body, dialect)).toEqual(expected);
  });

  it.each<[unknown, number]>([
    ['invalid_request_error', 400],
    ['invalid_prompt', 400],
    ['context_length_exceeded', 400],
    ['authentication_error', 401],
    ['billing_error', 402],
    ['permission_error', 403],
    ['not_found_error', 404],
    ['request_too_large', 413],
    ['rate_limit_error', 429],
    ['rate_limit_exceeded', 429],
    ['insufficient_quota', 429],
    ['timeout_error', 504],
    ['overloaded_error', 529],
    ['599', 599],
    [400, 400],
    [399, 502],
    [600, 502],
    [429.5, 502],
    ['other', 502],
    [null, 502],
  ])('an error with the code or the type %j has the status %i', (word, status) => {
    for (const error of [{ code: word }, { type: word }, { code: 'other', type: word }])
      expect(findResponseError({ error }, 'messages')?.status).toBe(status);
  });
});
