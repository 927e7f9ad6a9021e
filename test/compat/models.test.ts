import Anthropic from '@anthropic-ai/sdk';
import { NotFoundResponseError } from '@openrouter/sdk/models/errors';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKey, startTestServer, type TestServer } from '../support/server.ts';
import { type StubServer, startStubServer } from '../support/stub-server.ts';
import { writeUpstreams } from '../support/upstream-file.ts';
import { sdkClient } from './sdk-client.ts';

/** Model lists of OpenRouter, Anthropic and vLLM. The first exceeds a page of its SDK. */
const lists: Readonly<Record<string, unknown>> = {
  '/router/models': {
    data: Array.from({ length: 1_100 }, (_, index) => openrouterModel(`vendor/m-${index}`)),
  },
  '/claude/models?limit=1000': {
    data: [
      {
        type: 'model',
        id: 'claude-opus-4-6',
        display_name: 'Claude Opus 4.6',
        created_at: '2026-02-04T00:00:00Z',
        max_input_tokens: 200_000,
        max_tokens: 128_000,
      },
    ],
    has_more: false,
    first_id: 'claude-opus-4-6',
    last_id: 'claude-opus-4-6',
  },
  '/local/models': {
    object: 'list',
    data: [{ id: 'llama', object: 'model', created: 1_760_000_000, owned_by: 'vllm', max_model_len: 8_192 }],
  },
};

function openrouterModel(id: string) {
  return {
    id,
    canonical_slug: id,
    hugging_face_id: '',
    name: id,
    created: 1_760_000_000,
    description: 'A model.',
    context_length: 128_000,
    architecture: {
      modality: 'text+image->text',
      input_modalities: ['text', 'image'],
      output_modalities: ['text'],
      tokenizer: 'GPT',
      instruct_type: null,
    },
    pricing: { prompt: '0.0000025', completion: '0.00001' },
    top_provider: { context_length: 128_000, max_completion_tokens: 16_384, is_moderated: true },
    per_request_limits: null,
    supported_parameters: ['temperature', 'tools'],
    supported_voices: null,
    default_parameters: { temperature: null },
    links: { details: `/api/v1/models/${id}/endpoints` },
  };
}

const count = 1 + 1 + 1 + 1_100;

describe('the model list', () => {
  let upstream: StubServer;
  let server: TestServer;
  let file: ReturnType<typeof writeUpstreams>;
  beforeAll(async () => {
    upstream = await startStubServer(({ url = '' }, response) => response.end(JSON.stringify(lists[url])));
    file = writeUpstreams([
      { name: 'claude', kind: 'anthropic', base_url: `${upstream.url}/claude`, models: ['claude-*'] },
      {
        name: 'local',
        kind: 'openai-compatible',
        base_url: `${upstream.url}/local`,
        models: ['local/*'],
        strip_prefix: 'local/',
      },
      { name: 'router', kind: 'openrouter', base_url: `${upstream.url}/router` },
    ]);
    server = await startTestServer('sqlite', {
      PRESETD_CONFIG: file.path,
      OPENROUTER_API_KEY: 'sk-router',
      ANTHROPIC_API_KEY: 'sk-ant',
    });
    await server.post('/api/v1/presets/support-bot/responses', { model: 'm' });
    await server.send('PATCH', '/api/v1/presets/support-bot', { name: 'Support', description: 'Helps.' });
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    file.remove();
  });

  it("is readable by OpenAI's SDK", async () => {
    const client = new OpenAI({ apiKey, baseURL: `${server.url}/api/v1`, maxRetries: 0 });
    const models = await Array.fromAsync(await client.models.list());
    expect(models).toHaveLength(count);
    expect(models.slice(0, 3)).toMatchObject([
      { id: '@preset/support-bot', object: 'model', owned_by: 'presetd', created: expect.any(Number) },
      { id: 'claude-opus-4-6', object: 'model', owned_by: 'claude', created: 1_770_163_200 },
      { id: 'local/llama', object: 'model', owned_by: 'vllm', created: 1_760_000_000 },
    ]);
  });

  it("is readable by Anthropic's SDK", async () => {
    const client = new Anthropic({ apiKey, baseURL: `${server.url}/api`, maxRetries: 0 });
    const models = await Array.fromAsync(await client.models.list({ limit: 20 }));
    expect(models).toHaveLength(count);
    expect(models.slice(0, 2)).toMatchObject([
      {
        id: 'anthropic/@preset/support-bot',
        type: 'model',
        display_name: 'Support',
        created_at: expect.any(String),
      },
      { id: 'claude-opus-4-6', type: 'model', display_name: 'Claude Opus 4.6', max_tokens: 128_000 },
    ]);
  });

  it("is readable by OpenRouter's SDK", async () => {
    const pages = await Array.fromAsync(await sdkClient(server, apiKey).models.list());
    const models = pages.flatMap(({ result }) => result.data);
    expect(models).toHaveLength(count);
    expect(models.slice(0, 4)).toMatchObject([
      { id: '@preset/support-bot', name: 'Support', description: 'Helps.' },
      { id: 'claude-opus-4-6', name: 'Claude Opus 4.6', contextLength: 200_000 },
      { id: 'local/llama', name: 'local/llama', contextLength: 8_192 },
      { id: 'vendor/m-0', pricing: { prompt: '0.0000025' }, supportedParameters: ['temperature', 'tools'] },
    ]);
  });

  it.each(['@preset/support-bot', '@preset/support-bot@1', 'claude-opus-4-6', 'local/llama', 'vendor/m-7'])(
    "OpenAI's and Anthropic's SDKs can retrieve %s",
    async (id) => {
      const openai = new OpenAI({ apiKey, baseURL: `${server.url}/api/v1`, maxRetries: 0 });
      expect(await openai.models.retrieve(id)).toMatchObject({ id, object: 'model' });
      const anthropic = new Anthropic({ apiKey, baseURL: `${server.url}/api`, maxRetries: 0 });
      expect(await anthropic.models.retrieve(id)).toMatchObject({ id, type: 'model' });
    },
  );

  it('SDKs throw their own errors for an unknown model', async () => {
    const openai = new OpenAI({ apiKey, baseURL: `${server.url}/api/v1`, maxRetries: 0 });
    await expect(openai.models.retrieve('vendor/none')).rejects.toThrow(OpenAI.NotFoundError);
    const anthropic = new Anthropic({ apiKey, baseURL: `${server.url}/api`, maxRetries: 0 });
    await expect(anthropic.models.retrieve('@preset/none')).rejects.toThrow(Anthropic.NotFoundError);
    const openrouter = sdkClient(server, apiKey);
    await expect(openrouter.models.get({ author: 'vendor', slug: 'none' })).rejects.toThrow(
      NotFoundResponseError,
    );
  });

  it("OpenRouter's SDK reads single models, counts, endpoints and providers", async () => {
    const client = sdkClient(server, apiKey);
    const preset = { author: '@preset', slug: 'support-bot' };
    expect((await client.models.get(preset)).data).toMatchObject({ id: '@preset/support-bot' });
    expect((await client.models.get({ author: 'local', slug: 'llama' })).data).toMatchObject({
      id: 'local/llama',
      contextLength: 8_192,
    });
    expect((await client.models.count()).data).toEqual({ count });
    const pages = await Array.fromAsync(await client.models.listForUser({ bearer: apiKey }));
    expect(pages.flatMap(({ result }) => result.data)).toHaveLength(count);
    const { data } = await client.endpoints.list({ author: 'vendor', slug: 'm-0' });
    expect(data).toMatchObject({
      id: 'vendor/m-0',
      endpoints: [
        {
          providerName: 'router',
          contextLength: 128_000,
          maxCompletionTokens: 16_384,
          pricing: { prompt: '0.0000025', completion: '0.00001' },
        },
      ],
    });
    expect((await client.endpoints.list(preset)).data).toMatchObject({ endpoints: [] });
    expect((await client.providers.list()).data.map(({ slug }) => slug)).toEqual([
      'claude',
      'local',
      'router',
    ]);
  });
});
