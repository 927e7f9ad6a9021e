import { setTimeout as delay } from 'node:timers/promises';
import { OpenRouter } from '@openrouter/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Dialect, dialects } from '../../src/core/presets/preset.ts';
import {
  compatible,
  type GatewayServer,
  startUpstreams,
  startWithFile,
  upstreamKey,
} from '../support/gateway-server.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { connectResponses } from '../support/responses-socket.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey, type TestResponse } from '../support/server.ts';
import { makeSession, ofSession } from '../support/sessions.ts';
import { cut, json, stream, upstreamError } from '../support/upstream-scripts.ts';
import { completionText, recordingOf } from '../support/wire/recordings.ts';

const secret = 'ada@example.com';
const question = `Where is my parcel? Mail me at ${secret}.`;
const metricsToken = 'a-token-for-metrics';

describe('the content log', () => {
  let upstream: ScriptedUpstream;
  let other: ScriptedUpstream;
  let server: GatewayServer;
  beforeAll(async () => {
    [upstream, other] = (await startUpstreams(2)) as [ScriptedUpstream, ScriptedUpstream];
    server = await startWithFile(
      {
        upstreams: [
          ...dialects.map((dialect) =>
            compatible(dialect, upstream, {
              dialects: [dialect],
              models: [`${dialect}/*`],
              api_key_env: 'UPSTREAM_KEY',
              endpoints: ['completions', 'embeddings', 'images/generations', 'audio/transcriptions'],
            }),
          ),
          compatible('spare', other, { dialects: ['chat-completions'], models: ['spare/*'] }),
        ],
      },
      { PRESETD_METRICS_TOKEN: metricsToken, UPSTREAM_KEY: upstreamKey },
    );
    await configure({ enabled: true, redaction_patterns: ['[a-z]+@example\\.com'] });
  });
  beforeEach(() => {
    upstream.clear();
    other.clear();
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    await other.stop();
  });

  const configure = async (settings: object, workspace = 'default') => {
    const path = `/api/v1/workspaces/${workspace}/content-log`;
    const { status, text } = await server.send('PATCH', path, settings, { key: managementKey });
    expect([text, status]).toEqual([text, 200]);
  };
  const idOf = (response: { readonly headers: Headers }) => response.headers.get('x-generation-id') ?? '';

  /** Repeats a request until what it asks for is stored. */
  async function stored(path: string, options: object = {}): Promise<TestResponse> {
    for (;;) {
      const response = await server.get(path, options);
      if (response.status === 200) return response;
      expect([path, response.status]).toEqual([path, 404]);
      await delay(20);
    }
  }
  /** A read of the content once the record of the call is stored. */
  async function read(id: string, options: object = {}): Promise<TestResponse> {
    await stored(`/api/v1/generation?id=${id}`);
    return server.get(`/api/v1/generation/content?id=${id}`, options);
  }
  const contentOf = async (response: { readonly headers: Headers }) =>
    (await stored(`/api/v1/generation/content?id=${idOf(response)}`)).body.data;
  /** Contents are written in the order of their calls: one that is there would be after others. */
  async function expectNothingOf(response: { readonly headers: Headers }): Promise<void> {
    await contentOf(await server.call({ ...chat, model: 'chat-completions/after' }));
    const { status, body } = await read(idOf(response));
    expect([status, body.error.message]).toEqual([404, expect.stringContaining('is not stored')]);
  }

  const chat = { messages: [{ role: 'user', content: question }], max_tokens: 50 };
  const requestOf = (dialect: Dialect) => (dialect === 'responses' ? { input: question } : chat);
  const pairs = dialects.flatMap((from) =>
    dialects.flatMap((to) => [false, true].map((isStreamed) => [from, to, isStreamed] as const)),
  );

  it.each(pairs)(
    'the content of a call in %s to an upstream with %s is logged, streamed: %s',
    async (from, to, isStreamed) => {
      const model = `${to}/m`;
      const request = { ...requestOf(from), model, stream: isStreamed, user: secret };
      const response = await server.call(request, { dialect: from });
      const { input, output, error, presetd } = await contentOf(response);
      const redacted = JSON.parse(JSON.stringify(request).replaceAll(secret, '[redacted]'));
      expect(presetd).toMatchObject({ dialect: from, request: redacted, truncated: [] });
      expect(presetd.case).toEqual({
        variables: {},
        messages: [{ role: 'user', content: 'Where is my parcel? Mail me at [redacted].' }],
      });
      expect(input.messages).toMatchObject([
        { role: 'user', content: 'Where is my parcel? Mail me at [redacted].' },
      ]);
      expect(output.completion).toBe(completionText);
      expect(error).toBeNull();
      if (presetd.sent === null) expect(from).toBe(to);
      else expect(presetd).toMatchObject({ sent_dialect: to });
      expect(JSON.stringify(presetd)).not.toContain(secret);
      const recorded = JSON.parse(recordingOf[to].json.toString());
      expect(presetd.response.model).toBe(recorded.model);
      if (isStreamed) expect(response.text).toContain(presetd.response.id);
      else expect(presetd.response).toEqual(JSON.parse(response.text.replaceAll(secret, '[redacted]')));
    },
  );

  it('the sent request has what the preset added, and the test case has the values of its variables', async () => {
    await server.capture('parcel-bot', {
      model: 'messages/m',
      messages: [{ role: 'system', content: 'You work for {{company}}.' }],
      presetd: { variables: { company: { type: 'string' } } },
    });
    const response = await server.call({
      ...chat,
      prompt: { id: 'parcel-bot', variables: { company: 'Acme' } },
    });
    const { input, presetd } = await contentOf(response);
    expect(presetd.request).toMatchObject({ prompt: { id: 'parcel-bot' } });
    expect(JSON.stringify(presetd.request)).not.toContain('You work');
    expect(JSON.stringify(presetd.sent.system)).toContain('You work for Acme.');
    expect(input.messages[0]).toMatchObject({ role: 'system', content: 'You work for Acme.' });
    expect(presetd.case.variables).toEqual({ company: 'Acme' });
    const saved = await server.send('PUT', '/api/v1/presets/parcel-bot/cases/logged', presetd.case);
    expect([saved.text, saved.status]).toEqual([saved.text, 200]);
  });

  it('errors of a call and of its earlier attempts are logged without keys of upstreams', async () => {
    upstream.respondWith(upstreamError(500, `down, with ${upstreamKey}`));
    other.respondWith(upstreamError(400, `no, ${secret}`));
    const response = await server.call({ ...chat, model: 'chat-completions/m', models: ['spare/m'] });
    expect(response.status).toBe(400);
    const { output, error, presetd } = await contentOf(response);
    expect(output).toEqual({ completion: null, reasoning: null });
    expect(error).toEqual({
      message: 'no, [redacted]',
      previous_errors: [
        { code: 500, message: 'down, with …', provider_name: 'chat-completions', raw: expect.any(String) },
      ],
      provider_name: 'spare',
      raw: expect.stringContaining('[redacted]'),
      status: 400,
    });
    expect(JSON.stringify({ error, presetd })).not.toContain(upstreamKey);
  });

  it('a request that is rejected before it is sent is logged', async () => {
    const { error, presetd } = await contentOf(await server.call({ ...chat, model: '@preset/nowhere' }));
    expect(error).toMatchObject({
      status: 404,
      provider_name: null,
      message: expect.stringContaining('nowhere'),
    });
    expect(presetd).toMatchObject({ sent: null, request: { model: '@preset/nowhere' } });
  });

  it('a stream that was cut off is logged as far as it arrived', async () => {
    const { stream } = recordingOf['chat-completions'];
    upstream.respondWith(cut(stream.subarray(0, Math.floor(stream.length / 2))));
    const response = await server.call({ ...chat, model: 'chat-completions/m', stream: true });
    const { presetd } = await contentOf(response);
    expect(presetd.truncated).toEqual(['response']);
    const [choice] = presetd.response.choices;
    expect(choice.message.content.length).toBeGreaterThan(0);
    expect(completionText).toContain(choice.message.content);
  });

  it('a request over a WebSocket is logged like any other', async () => {
    const client = await connectResponses(server);
    const events = await client.turn({ model: 'responses/m', input: question });
    await client.close();
    const id = events.at(-1)?.response.id;
    const { data } = (await stored(`/api/v1/generation/content?id=${id}`)).body;
    expect(data.output.completion).toBe(completionText);
  });

  it('a run of the workbench in a session is logged like any other', async () => {
    const workspace = await makeWorkspace(server, 'with-runs');
    await configure({ enabled: true }, workspace);
    const admin = (await server.get('/api/v1/key')).body.data.creator_user_id;
    const session = ofSession(await makeSession(server, admin));
    const response = await server.post(
      `/api/v1/chat/completions?workspace_id=${workspace}`,
      { ...chat, model: 'chat-completions/m' },
      { key: null, headers: session },
    );
    expect((await contentOf(response)).input.messages).toEqual(chat.messages);
  });

  describe('calls to other endpoints', () => {
    it('JSON of other endpoints is logged as it is', async () => {
      upstream.respondWith(
        json({ object: 'list', data: [{ embedding: [0.5] }], usage: { prompt_tokens: 5 } }),
      );
      const response = await server.post('/api/v1/embeddings', { model: 'messages/e', input: question });
      const { input, output, presetd } = await contentOf(response);
      expect(input).toEqual({ prompt: 'Where is my parcel? Mail me at [redacted].' });
      expect(output.completion).toBeNull();
      expect(presetd).toMatchObject({
        dialect: 'embeddings',
        case: null,
        response: { data: [{ embedding: [0.5] }] },
      });
    });

    it('a stream of another endpoint is logged as a list of its events', async () => {
      upstream.respondWith(
        stream(
          'data: {"choices":[{"text":"It "}]}\n\ndata: {"choices":[{"text":"rains"}]}\n\ndata: [DONE]\n\n',
        ),
      );
      const request = { model: 'messages/e', prompt: 'How is it?', stream: true };
      const { input, presetd } = await contentOf(await server.post('/api/v1/completions', request));
      expect(input).toEqual({ prompt: 'How is it?' });
      expect(presetd.response).toEqual([{ choices: [{ text: 'It ' }] }, { choices: [{ text: 'rains' }] }]);
    });

    it('a form is logged as its text fields and file sizes', async () => {
      upstream.respondWith(json({ text: `Hello ${secret}` }));
      const form =
        '--x\r\nContent-Disposition: form-data; name="model"\r\n\r\nmessages/w\r\n' +
        '--x\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\nsecret audio\r\n--x--\r\n';
      const response = await server.post('/api/v1/audio/transcriptions', form, {
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
      });
      const { output, presetd } = await contentOf(response);
      expect(presetd.request).toEqual([
        { name: 'model', value: 'messages/w' },
        { name: 'file', filename: 'a.mp3', bytes: 12 },
      ]);
      expect(output.completion).toBe('Hello [redacted]');
      expect(presetd.sent).toBeNull();
    });

    it('generated images are not logged', async () => {
      upstream.respondWith(json({ data: [{ b64_json: 'AAAA' }] }));
      const request = { model: 'messages/i', prompt: 'A cat' };
      const { input, presetd } = await contentOf(await server.post('/api/v1/images/generations', request));
      expect([input, presetd.response]).toEqual([{ prompt: 'A cat' }, null]);
    });
  });

  describe('calls that are not logged', () => {
    it.each(dialects)('a call in %s with "store": false is not logged', async (dialect) => {
      const request = { ...requestOf(dialect), model: `${dialect}/m`, store: false };
      await expectNothingOf(await server.call(request, { dialect }));
      await expectNothingOf(await server.call({ ...request, stream: true }, { dialect }));
    });

    it('reading a stored response is not logged', async () => {
      const created = await server.call({ input: 'Hi', model: 'responses/m' }, { dialect: 'responses' });
      upstream.respondWith(json(created.body));
      await expectNothingOf(await server.send('GET', `/api/v1/responses/${created.body.id}`));
    });

    it('a call in a workspace whose content log is off is not logged', async () => {
      const workspace = await makeWorkspace(server, 'off');
      const { secret: key } = await makeKey(server, { workspace_id: workspace });
      const call = () => server.call({ ...chat, model: 'chat-completions/m' }, { key });
      const first = await call();
      await configure({ enabled: true }, workspace);
      expect((await contentOf(await call())).input.messages).toEqual(chat.messages);
      await configure({ enabled: false }, workspace);
      await expectNothingOf(await call());
      await expectNothingOf(first);
    });
  });

  it('a sampled log has about its share of the calls', async () => {
    const workspace = await makeWorkspace(server, 'sampled');
    await configure({ enabled: true, sampling_rate: 0.4 }, workspace);
    const { secret: key } = await makeKey(server, { workspace_id: workspace });
    const calls = [];
    for (let index = 0; index < 60; index += 1)
      calls.push(await server.call({ ...chat, model: 'chat-completions/m' }, { key }));
    await contentOf(await server.call({ ...chat, model: 'chat-completions/after' }));
    const statuses = await Promise.all(calls.map(async (call) => (await read(idOf(call))).status));
    const logged = statuses.filter((status) => status === 200).length;
    expect(logged).toBeGreaterThan(8);
    expect(logged).toBeLessThan(42);
  });

  it('content is truncated to the limit of the workspace, and names the truncated parts', async () => {
    const workspace = await makeWorkspace(server, 'small');
    await configure({ enabled: true, bytes_max: 2_048 }, workspace);
    const { secret: key } = await makeKey(server, { workspace_id: workspace });
    const long = 'long '.repeat(10_000);
    upstream.respondWith(
      stream(`${chunk(long)}${chunk(long)}${chunk('end', 'stop')}data: [DONE]\n\n`),
      json({ object: 'chat.completion', choices: [{ message: { content: 'x'.repeat(1_500_000) } }] }),
    );
    const request = { messages: [{ role: 'user', content: long }], model: 'chat-completions/m' };
    for (const isStreamed of [true, false]) {
      const { presetd } = await contentOf(await server.call({ ...request, stream: isStreamed }, { key }));
      expect(presetd.truncated).toEqual(expect.arrayContaining(['request', 'response']));
      expect(presetd.case).toBeNull();
      expect(JSON.stringify(presetd).length).toBeLessThan(3_000);
    }
  });

  describe('readers of content', () => {
    let id: string;
    let workspace: string;
    beforeAll(async () => {
      workspace = await makeWorkspace(server, 'readers');
      await configure({ enabled: true }, workspace);
      const { secret: key } = await makeKey(server, { workspace_id: workspace });
      const response = await server.call({ ...chat, model: 'chat-completions/m' }, { key });
      await contentOf(response);
      id = idOf(response);
    });
    const member = async (email: string, role: string) => {
      const userId = await makeMember(server, email);
      const path = `/api/v1/workspaces/${workspace}/members/add`;
      await server.send('POST', path, { user_ids: [userId], role }, { key: managementKey });
      await server.send(
        'PATCH',
        `/api/v1/workspaces/default/members/${userId}`,
        { role: 'viewer' },
        { key: managementKey },
      );
      return ofSession(await makeSession(server, userId));
    };

    it.each([
      ['an admin of the workspace can', 'admin', 200],
      ['an editor cannot', 'editor', 403],
      ['a viewer cannot', 'viewer', 403],
    ])('%s read content', async (_, role, expected) => {
      const headers = await member(`${role}@readers.example`, role);
      expect((await read(id, { key: null, headers })).status).toBe(expected);
      expect((await server.get(`/api/v1/generation?id=${id}`, { key: null, headers })).status).toBe(200);
    });

    it('for an admin of another workspace, the call does not exist', async () => {
      const userId = await makeMember(server, 'elsewhere@readers.example');
      const headers = ofSession(await makeSession(server, userId));
      const missing = await read(id, { key: null, headers });
      expect(missing.status).toBe(404);
      expect(missing.text).toContain('There is no call');
    });

    it.each(['call', 'read', 'write'])('an API key with the scope %s cannot read content', async (scope) => {
      const { secret: key } = await makeKey(server, { workspace_id: workspace, scope });
      const { status, text } = await read(id, { key });
      expect(status).toBe(401);
      expect(text).not.toContain('parcel');
    });

    it('reading content stores an event that names the call and nothing of its content', async () => {
      const events = async () =>
        (await server.get(`/api/v1/audit?kind=workspace.content_read&workspace=${workspace}`)).body.data;
      const before = (await events()).length;
      await read(id);
      await read(id, { key: apiKey });
      const after = await events();
      expect(after.length - before).toBe(1);
      expect(after[0]).toMatchObject({
        subject: 'readers',
        before: null,
        after: { generation_id: id },
      });
    });
  });

  describe('feedback', () => {
    it('feedback is stored with the call, by those who may see it', async () => {
      const response = await server.call({ ...chat, model: 'chat-completions/m' });
      const id = idOf(response);
      await read(id);
      const report = (value: object, key = apiKey) =>
        server.post('/api/v1/generation/feedback', { generation_id: id, ...value }, { key });
      const { status, body: sent } = await report({ category: 'incorrect_response', comment: 'Wrong city' });
      expect([status, sent]).toEqual([200, { data: { success: true } }]);
      const feedback = async () =>
        (await server.get(`/api/v1/generation?id=${id}`)).body.data.presetd.feedback;
      expect(await feedback()).toEqual([{ category: 'incorrect_response', comment: 'Wrong city' }]);
      await report({ category: 'other' });
      expect(await feedback()).toEqual([{ category: 'other', comment: null }]);
      const { secret: key } = await makeKey(server, {
        workspace_id: await makeWorkspace(server, 'strangers'),
      });
      expect((await report({ category: 'other' }, key)).status).toBe(404);
      expect((await report({ category: 'praise' })).status).toBe(400);
      expect((await report({ category: 'other', comment: 'nul\0' })).status).toBe(400);
    });
  });

  it("OpenRouter's SDK reads content and reports feedback", async () => {
    const id = idOf(await server.call({ ...chat, model: 'chat-completions/m' }));
    await stored(`/api/v1/generation/content?id=${id}`);
    const { generations } = new OpenRouter({
      apiKey: managementKey,
      serverURL: `${server.url}/api/v1`,
      retryConfig: { strategy: 'none' },
    });
    expect((await generations.listGenerationContent({ id })).data).toEqual({
      input: { messages: [{ role: 'user', content: 'Where is my parcel? Mail me at [redacted].' }] },
      output: { completion: completionText, reasoning: null },
      error: null,
    });
    const report = { generationId: id, category: 'formatting', comment: 'No list' } as const;
    const { data } = await generations.submitFeedback({ submitGenerationFeedbackRequest: report });
    expect(data).toEqual({ success: true });
  });

  it('the metric of dropped content is there, and 0', async () => {
    const { text } = await server.get('/metrics', { key: metricsToken });
    expect(text).toContain('presetd_content_log_dropped_total 0');
  });
});

function chunk(content: string, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm-1', choices })}\n\n`;
}
