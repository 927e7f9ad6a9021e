import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyEngine } from '../support/engines.ts';
import { apiKey, startTestServer, type TestServer } from '../support/server.ts';
import { expectedConfig } from './expected-config.ts';
import { type RecordingUpstream, startRecordingUpstream } from './recording-upstream.ts';
import { marker, type SdkClients, sdkCalls } from './sdk-calls.ts';

describe('requests of the official SDKs, captured', () => {
  let server: TestServer;
  let upstream: RecordingUpstream;
  let clients: SdkClients;

  beforeAll(async () => {
    [server, upstream] = await Promise.all([startTestServer(anyEngine), startRecordingUpstream()]);
    const options = { apiKey: 'a key of the upstream', maxRetries: 0 };
    clients = {
      openai: new OpenAI({ ...options, baseURL: `${upstream.url}/v1` }),
      anthropic: new Anthropic({ ...options, baseURL: upstream.url, logLevel: 'error' }),
    };
  });
  afterAll(async () => {
    await Promise.all([server.stop(), upstream.stop()]);
  });

  it.each(sdkCalls())('$title is captured with its settings and without its conversation', async (call) => {
    const { path, bytes } = await upstream.record(() => call.send(clients));
    const sent = JSON.parse(bytes.toString());
    const hasConversation = 'messages' in sent || 'input' in sent;
    expect(bytes.includes(marker)).toBe(hasConversation);
    expect(sent.stream === true).toBe(call.title.includes('stream'));

    const created = await server.post(path.replace(/^\/v1/, '/api/v1/presets/captured'), bytes);

    expect(created).toMatchObject({ status: 200, body: { data: { slug: 'captured', status: 'active' } } });
    expect(created.text).not.toContain(marker);
    const { config, system_prompt } = created.body.data.designated_version;
    expect(config).toEqual(expectedConfig(bytes.toString()));
    expect(config.model).toBe(sent.model);
    expect(system_prompt).toBe(call.systemPrompt);
    expect(created.headers.get('x-presetd-ignored-fields')).toBeNull();
  });

  describe('the OpenAI SDK with a preset as its base URL', () => {
    const openai = () =>
      new OpenAI({ apiKey, baseURL: `${server.url}/api/v1/presets/direct`, maxRetries: 0 });

    it('creates versions', async () => {
      const first = await openai().chat.completions.create({
        model: 'gpt-5.2',
        messages: [{ role: 'user', content: 'Hello' }],
      });
      const second = await openai().responses.create({ model: 'gpt-5.2', input: 'Hello' });
      expect(first).toMatchObject({ data: { slug: 'direct', designated_version: { version: 1 } } });
      expect(second).toMatchObject({ data: { slug: 'direct', designated_version: { version: 2 } } });
    });

    it('throws its own error classes with the message of presetd', async () => {
      await expect(openai().responses.create({ temperature: 3 })).rejects.toMatchObject({
        constructor: OpenAI.BadRequestError,
        status: 400,
        message: expect.stringContaining('/temperature must be at most 2'),
      });
      const stranger = openai().withOptions({ apiKey: 'unknown' });
      await expect(stranger.responses.create({})).rejects.toMatchObject({
        constructor: OpenAI.AuthenticationError,
        status: 401,
        message: expect.stringContaining('Unknown API key'),
      });
    });
  });
});
