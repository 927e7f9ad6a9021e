import { expect, it } from 'vitest';
import { type UpstreamKind, upstreamKinds } from '../upstreams/upstream.ts';
import { authHeader, forwardedHeaders } from './request-headers.ts';

const client = {
  authorization: 'Bearer of-presetd',
  'x-api-key': 'of-presetd',
  'api-key': 'of-presetd',
  cookie: 'c',
  'anthropic-version': '2023-06-01',
  'anthropic-beta': 'b',
  'x-anthropic-beta': 'b',
  'http-referer': 'r',
  'openai-beta': 'b',
  traceparent: 't',
  'x-client-request-id': 'i',
  'x-grok-conv-id': 'i',
  'x-openrouter-title': 't',
  'x-session-affinity': 's',
  'x-session-id': 's',
  'x-title': 't',
};

const bearer = { authorization: 'Bearer secret' };

const expected: Readonly<Record<UpstreamKind, readonly [key: object, forwarded: string]>> = {
  openrouter: [
    bearer,
    'anthropic-beta anthropic-version http-referer traceparent x-anthropic-beta x-openrouter-title x-session-id x-title',
  ],
  openai: [bearer, 'openai-beta traceparent x-client-request-id'],
  anthropic: [{ 'x-api-key': 'secret' }, 'anthropic-beta anthropic-version traceparent'],
  'azure-openai': [{ 'api-key': 'secret' }, 'openai-beta traceparent x-client-request-id'],
  gemini: [bearer, 'traceparent'],
  mistral: [bearer, 'traceparent'],
  groq: [bearer, 'traceparent'],
  together: [bearer, 'traceparent'],
  fireworks: [bearer, 'anthropic-beta anthropic-version traceparent x-session-affinity'],
  deepseek: [bearer, 'traceparent'],
  xai: [bearer, 'traceparent x-grok-conv-id'],
  ollama: [bearer, 'anthropic-beta anthropic-version traceparent'],
  vllm: [bearer, 'anthropic-beta anthropic-version traceparent'],
  'openai-compatible': [bearer, 'anthropic-beta anthropic-version traceparent'],
};

it.each(upstreamKinds)(
  'a request to %s has the key in its header, and only client headers meant for it',
  (kind) => {
    const [key, forwarded] = expected[kind];
    expect(authHeader(kind, 'secret')).toEqual(key);
    const names = forwardedHeaders(kind, client, new Set()).filter((_, index) => index % 2 === 0);
    expect(names.sort()).toEqual(forwarded.split(' '));
  },
);

it('configured headers are kept', () => {
  expect(forwardedHeaders('mistral', client, new Set(['traceparent']))).toEqual([]);
});
