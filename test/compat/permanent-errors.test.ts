import Anthropic from '@anthropic-ai/sdk';
import { HTTPClient, OpenRouter } from '@openrouter/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { type GatewayServer, upstreamKey, useUpstream } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { redirect, upstreamError } from '../support/upstream-scripts.ts';

const model = 'vendor/model';
const messages = [{ role: 'user' as const, content: 'Will it rain?' }];

/** Each SDK with its default configuration, including retries. */
const clients = {
  openai: (url: string, fetch: typeof globalThis.fetch) =>
    new OpenAI({ apiKey, baseURL: `${url}/api/v1`, fetch, logLevel: 'off' }).chat.completions.create({
      model,
      messages,
    }),
  'openai responses': (url: string, fetch: typeof globalThis.fetch) =>
    new OpenAI({ apiKey, baseURL: `${url}/api/v1`, fetch, logLevel: 'off' }).responses.create({
      model,
      input: 'Will it rain?',
    }),
  anthropic: (url: string, fetch: typeof globalThis.fetch) =>
    new Anthropic({ apiKey, baseURL: `${url}/api`, fetch, logLevel: 'off' }).messages.create({
      model,
      max_tokens: 5,
      messages,
    }),
  openrouter: (url: string, fetch: typeof globalThis.fetch) =>
    new OpenRouter({
      apiKey,
      serverURL: `${url}/api/v1`,
      httpClient: new HTTPClient({ fetcher: fetch }),
    }).chat.send({ chatRequest: { model, messages } }),
};

describe('an error that a retry cannot fix', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  useUpstream((started) => {
    ({ upstream, server } = started);
  });

  const router = (rest: object = {}) => ({
    upstreams: [{ name: 'router', kind: 'openrouter', base_url: upstream.url, ...rest }],
  });
  const environment = { OPENROUTER_API_KEY: upstreamKey };

  const errors: Readonly<Record<string, { status: number; message: string; prepare: () => void }>> = {
    'a key that is not set': {
      status: 424,
      message: 'OPENROUTER_API_KEY',
      prepare: () => server.useConfigFile(router()),
    },
    'a key that the upstream rejects': {
      status: 424,
      message: 'OPENROUTER_API_KEY',
      prepare: () => upstream.respondAlways(upstreamError(401, 'Wrong key')),
    },
    'an upstream that redirects': {
      status: 424,
      message: 'base URL',
      prepare: () => upstream.respondAlways(redirect('http://127.0.0.1:1/')),
    },
    'a model that no upstream serves': {
      status: 400,
      message: model,
      prepare: () => server.useConfigFile(router({ models: ['other/*'] }), environment),
    },
  };

  it.each(
    Object.keys(clients).flatMap((client) =>
      Object.keys(errors).map((error) => [client, error] as [keyof typeof clients, string]),
    ),
  )('is thrown by the %s client after one request: %s', async (client, error) => {
    const { status, message, prepare } = errors[error] ?? expect.unreachable();
    prepare();
    const seen: Response[] = [];
    const counted = async (...input: Parameters<typeof fetch>) => {
      const response = await fetch(...input);
      seen.push(response);
      return response;
    };
    await expect(clients[client](server.url, counted)).rejects.toThrow(message);
    expect(seen.map((each) => [each.status, each.headers.get('x-should-retry')])).toEqual([
      [status, 'false'],
    ]);
  });
});
