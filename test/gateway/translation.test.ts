import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/presets/preset.ts';
import { inSeveralLines, parseEvents } from '../support/event-stream.ts';
import { compatible, type GatewayServer, startUpstreams, startWithFile } from '../support/gateway-server.ts';
import { nextRequest } from '../support/next-request.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { streamOf } from '../support/stream-of.ts';
import { body, cut, json, recorded, stream } from '../support/upstream-scripts.ts';
import { completionText, dialects, pathOf, recordingOf, recordings } from '../support/wire/recordings.ts';

const pairs = dialects.flatMap((from) =>
  dialects.filter((to) => to !== from).map((to) => [from, to] as const),
);

/** A request in each dialect that says the same. */
const question: Readonly<Record<Dialect, object>> = {
  'chat-completions': { messages: [{ role: 'user', content: 'Will it rain?' }], max_completion_tokens: 99 },
  messages: { messages: [{ role: 'user', content: 'Will it rain?' }], max_tokens: 99 },
  responses: { input: 'Will it rain?', max_output_tokens: 99 },
};

const token = 'a-token-for-metrics';

const tools: Readonly<Record<Dialect, keyof typeof recordings>> = {
  'chat-completions': 'openai-chat-tool',
  messages: 'anthropic-messages-tool',
  responses: 'openai-responses-tool',
};

describe('a call to an upstream of another dialect', () => {
  let upstreams: Readonly<Record<Dialect, ScriptedUpstream>>;
  let server: GatewayServer;
  beforeAll(async () => {
    const [chat, messages, responses] = (await startUpstreams(3)) as [
      ScriptedUpstream,
      ScriptedUpstream,
      ScriptedUpstream,
    ];
    upstreams = { 'chat-completions': chat, messages, responses };
    server = await startWithFile(
      {
        upstreams: dialects.map((dialect) =>
          compatible(dialect, upstreams[dialect], {
            dialects: [dialect],
            models: [`${dialect}/*`],
            strip_prefix: `${dialect}/`,
          }),
        ),
      },
      { PRESETD_METRICS_TOKEN: token },
    );
  });
  beforeEach(() => {
    for (const dialect of dialects) upstreams[dialect].clear();
  });
  afterAll(async () => {
    await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
    await server.stop();
  });

  const ask = (from: Dialect, to: Dialect, more: object = {}, query = '') =>
    server.post(`/api/v1${pathOf[from]}${query}`, { model: `${to}/model`, ...question[from], ...more });

  it.each(pairs)('is translated from %s to %s, and its response back', async (from, to) => {
    const response = await ask(from, to);
    expect([response.status, response.headers.get('x-presetd-upstream')]).toEqual([200, to]);
    expect(upstreams[to].requests.map(({ path }) => path)).toEqual([`/v1${pathOf[to]}`]);
    expect(upstreams[to].requests[0]?.body).toMatchObject({ model: 'model' });
    expect(JSON.stringify(upstreams[to].requests[0]?.body)).toContain('Will it rain?');
    expect(tokenLimitOf(upstreams[to].requests[0]?.body)).toBe(99);
    expect(textOf(response.body, from)).toBe(completionText);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it.each(pairs)('is translated from %s to %s, and its stream back', async (from, to) => {
    const response = await ask(from, to, { stream: true });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const { events, rest } = parseEvents(response.text);
    expect(rest).toBe('');
    expect(events.map(({ data }) => deltaOf(data ?? '')).join('')).toBe(completionText);
    expect(upstreams[to].requests[0]?.body.stream).toBe(true);
  });

  it.each(pairs)('is translated from %s to %s if events have several lines', async (from, to) => {
    upstreams[to].respondWith(stream(inSeveralLines(recordingOf[to].stream.toString())));
    const { text } = await ask(from, to, { stream: true });
    expect(
      parseEvents(text)
        .events.map(({ data }) => deltaOf(data ?? ''))
        .join(''),
    ).toBe(completionText);
    expect(text).not.toContain('"error":{');
  });

  it.each(pairs)('gets tool calls of %s clients from %s', async (from, to) => {
    upstreams[to].respondAlways(recorded(recordings[tools[to]]));
    const whole = await ask(from, to);
    const streamed = await ask(from, to, { stream: true });
    const names = (text: string) => new Set(text.match(/"name":"[^"]+"/g));
    expect(names(whole.text)).toEqual(
      names(recordings[tools[from]].json.toString().replaceAll('": "', '":"')),
    );
    expect(names(streamed.text)).toEqual(names(whole.text));
  });

  it.each(pairs)('reports errors of the upstream to %s clients: %s', async (from, to) => {
    upstreams[to].respondWith(json({ error: { type: 'invalid_request_error', message: 'too hot' } }, 400));
    const response = await ask(from, to);
    expect([response.status, response.body.error.message]).toEqual([400, 'too hot']);
    expect(response.body.type).toBe(from === 'messages' ? 'error' : undefined);
  });

  it.each<[Dialect, string, object]>([
    ['chat-completions', 'abort', { choices: [{ message: { content: 'Hi' }, finish_reason: 'abort' }] }],
    ['responses', 'cancelled', { status: 'cancelled', error: null, output: [] }],
  ])('fails if the model of %s did not finish: %s', async (to, reason, reply) => {
    for (const from of dialects.filter((dialect) => dialect !== to)) {
      upstreams[to].respondWith(json({ id: 'x', ...reply }));
      const response = await ask(from, to);
      expect([response.status, response.body.error.message]).toEqual([
        502,
        `The model did not finish its response: the upstream reported the ${to === 'responses' ? 'status' : 'finish reason'} "${reason}". Send the request again.`,
      ]);
    }
  });

  it.each([false, true])('keeps the digits of numbers in tool calls, streamed: %s', async (isStream) => {
    const id = '12345678901234567890';
    const input = { id: 'here', id_again: 1 };
    const reply = JSON.stringify({
      id: 'x',
      content: [{ type: 'tool_use', id: 'a', name: 'f', input }],
      stop_reason: 'tool_use',
    });
    const text = isStream ? streamOf('messages', JSON.parse(reply)) : reply;
    const exact = text.replaceAll(/\\?"here\\?"/g, id);
    upstreams.messages.respondWith(isStream ? stream(exact) : body(200, 'application/json', exact));
    const response = await ask('chat-completions', 'messages', { stream: isStream });
    expect(response.text).toContain(`\\"id\\":${id}`);
  });

  it('tries the next model if the first did not finish', async () => {
    const choices = [{ index: 0, message: { content: 'Hi' }, finish_reason: 'error' }];
    upstreams['chat-completions'].respondWith(json({ id: 'x', choices }));
    const models = ['responses/model'];
    const response = await ask('messages', 'chat-completions', { models });
    expect([response.status, response.headers.get('x-presetd-upstream')]).toEqual([200, 'responses']);
  });

  it('reports an error that the upstream put in a choice, with its message', async () => {
    const error = { code: 429, message: 'Slow down.' };
    upstreams['chat-completions'].respondWith(json({ choices: [{ finish_reason: 'error', error }] }));
    const response = await ask('messages', 'chat-completions');
    expect([response.status, response.body.error.message]).toEqual([429, 'Slow down.']);
  });

  it.each(pairs)('ends a broken stream with the error event of %s: %s', async (from, to) => {
    const whole = recordingOf[to].stream;
    upstreams[to].respondWith(cut(whole.subarray(0, Math.floor(whole.length / 2))));
    const { text } = await ask(from, to, { stream: true });
    const { events, rest } = parseEvents(text);
    expect(rest).toBe('');
    const ended = events.filter(({ data }) => data !== '[DONE]').map(({ data }) => JSON.parse(data ?? ''));
    const error = { message: expect.stringContaining('closed the connection') };
    const endings = {
      'chat-completions': [{ object: 'chat.completion.chunk', error: { ...error, code: 502 } }],
      messages: [{ type: 'error', error: { ...error, type: 'api_error' } }],
      responses: [
        { type: 'error', ...error, code: 'server_error', error: { ...error, type: 'server_error' } },
        { type: 'response.failed', response: { id: ended[0].response?.id, status: 'failed', error } },
      ],
    };
    expect(ended.slice(-endings[from].length)).toMatchObject(endings[from]);
    expect(ended.length).toBeGreaterThan(endings[from].length);
  });

  it.each(pairs)('fails if the response is not a JSON object, from %s to %s', async (from, to) => {
    upstreams[to].respondWith(body(200, 'application/json', '{"id":'), body(200, 'application/json', '{]}'));
    expect([(await ask(from, to)).status, (await ask(from, to)).status]).toEqual([502, 502]);
  });

  it('begins a stream of messages with an estimate of the input, which the end corrects', async () => {
    const long = { messages: [{ role: 'user', content: 'word '.repeat(4_000) }] };
    const { text } = await ask('messages', 'chat-completions', { ...long, stream: true });
    const events = parseEvents(text).events.map(({ data }) => JSON.parse(data ?? ''));
    const start = events.find(({ type }) => type === 'message_start').message.usage.input_tokens;
    expect([start > 4_900, start < 5_200]).toEqual([true, true]);
    expect(events.find(({ type }) => type === 'message_delta').usage.input_tokens).toBe(14);
    // Metrics have the count of the upstream.
    const series = 'presetd_gateway_tokens_total{dialect="messages",preset="",upstream="chat-completions"';
    await expect
      .poll(async () => (await server.get('/metrics', { key: token })).text)
      .toMatch(new RegExp(`^${RegExp.escape(series)},direction="input"} \\d{1,3}$`, 'm'));
  });

  const counted = async (from: Dialect, to: Dialect) => {
    const { text } = await server.get('/metrics', { key: token });
    const series = `presetd_gateway_tokens_total{dialect="${from}",preset="",upstream="${to}",direction=`;
    return ['input', 'output'].map((direction) =>
      Number(text.split(`${series}"${direction}"} `)[1]?.split('\n')[0] ?? 0),
    );
  };

  it.each(dialects.flatMap((from) => dialects.map((to) => [from, to] as const)))(
    'counts the same tokens for %s clients of %s, whole and streamed',
    async (from, to) => {
      for (const isStream of [false, true]) {
        const [input = 0, output = 0] = await counted(from, to);
        await ask(from, to, { stream: isStream });
        await expect.poll(() => counted(from, to)).toEqual([input + 14, output + 9]);
      }
    },
  );

  it('counts the tokens of a response that the model did not finish, whole and streamed', async () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'abort' }];
    const usage = { prompt_tokens: 5, completion_tokens: 3 };
    for (const isStream of [false, true]) {
      upstreams['chat-completions'].respondWith(
        isStream ? stream(streamOf('chat-completions', { choices, usage })) : json({ choices, usage }),
      );
      const [input = 0, output = 0] = await counted('messages', 'chat-completions');
      await ask('messages', 'chat-completions', { stream: isStream });
      await expect.poll(() => counted('messages', 'chat-completions')).toEqual([input + 5, output + 3]);
    }
  });

  it.each([false, true])('names usage that the upstream did not report, streamed: %s', async (isStream) => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }];
    upstreams['chat-completions'].respondWith(
      isStream ? stream(streamOf('chat-completions', { id: 'x', choices })) : json({ id: 'x', choices }),
    );
    const { text } = await ask('messages', 'chat-completions', { stream: isStream });
    expect(text).toContain('"missing_fields":["usage.input_tokens","usage.output_tokens"]');
    // An estimate, because 0 would make Claude Code lose track of the conversation's length.
    expect(text).toMatch(/"input_tokens":[1-9]/);
    expect(text).not.toContain('"input_tokens":0');
  });

  it('omits query parameters, which belong to the API of its dialect', async () => {
    await ask('messages', 'chat-completions', {}, '?beta=true');
    await ask('messages', 'messages', {}, '?beta=true');
    expect(upstreams['chat-completions'].requests[0]?.path).toBe('/v1/chat/completions');
    expect(upstreams.messages.requests[0]?.path).toBe('/v1/messages?beta=true');
  });

  it('applies a preset in the dialect of the upstream, so that it loses nothing', async () => {
    const cached = { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } };
    await server.capture(
      'cached',
      {
        model: 'messages/model',
        max_tokens: 9_000,
        thinking: { type: 'enabled', budget_tokens: 2_000 },
        tools: [{ name: 'f', input_schema: { type: 'object' }, cache_control: { type: 'ephemeral' } }],
        messages: [{ role: 'user', content: [cached] }],
      },
      'messages',
    );
    const { messages } = question['chat-completions'] as { messages: unknown };
    const response = await server.call({ messages, model: '@preset/cached' });
    expect(response.status).toBe(200);
    expect(upstreams.messages.requests[0]?.body).toMatchObject({
      model: 'model',
      max_tokens: 9_000,
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      tools: [{ name: 'f', cache_control: { type: 'ephemeral' } }],
    });
  });

  it.each<[Dialect, Dialect, string]>([
    ['messages', 'chat-completions', 'messages.*.content.*.thinking'],
    ['responses', 'chat-completions', 'input.*.reasoning'],
    ['responses', 'messages', 'input.*.reasoning'],
  ])(
    'keeps reasoning from upstreams that did not send it: %s client, %s, then its own',
    async (client, first, name) => {
      const thought: Readonly<Partial<Record<Dialect, object>>> = {
        'chat-completions': {
          choices: [
            { index: 0, message: { content: 'Hi', reasoning_content: 'Hmm.' }, finish_reason: 'stop' },
          ],
        },
        messages: {
          content: [
            { type: 'thinking', thinking: 'Hmm.', signature: 'sig' },
            { type: 'text', text: 'Hi' },
          ],
        },
      };
      upstreams[first].respondWith(json({ id: 'x', ...thought[first] }));
      const { body: received } = await ask(client, first);
      const response = await ask(client, client, nextRequest(client, received));
      expect(response.status).toBe(200);
      const sent = JSON.stringify(upstreams[client].requests[0]?.body);
      expect(sent).toContain('Go on');
      expect(sent).not.toContain('presetd.v1.');
      expect(response.headers.get('x-presetd-dropped-fields')).toBe(name);
    },
  );

  it('keeps system texts of the request out if the prompt of the preset is locked', async () => {
    await server.capture('locked', {
      model: 'messages/model',
      messages: [{ role: 'system', content: 'Be brief.' }],
      presetd: { policy: { system_prompt: 'lock' } },
    });
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'New rules' },
      { role: 'user', content: 'Go on' },
    ];
    const response = await server.call({ model: '@preset/locked', messages });
    expect(response.headers.get('x-presetd-overridden-fields')).toBe('system_prompt;preset');
    expect(JSON.stringify(upstreams.messages.requests[0]?.body)).not.toContain('New rules');
  });

  it.each(pairs)('keeps within the limits of a preset from %s to %s', async (from, to) => {
    const presetd = { policy: { limits: { max_tokens: 60, temperature: 0.5 } } };
    const messages = [{ role: 'user', content: 'Hello' }];
    await server.capture('limited', { model: `${to}/model`, messages, presetd });
    const [limit = ''] = Object.keys(question[from]).filter((name) => name.startsWith('max_'));
    const call = (more: object) =>
      server.post(`/api/v1${pathOf[from]}`, { ...question[from], ...more, model: '@preset/limited' });
    await call({ [limit]: '900000', temperature: '2' });
    await call({ [limit]: -1, temperature: -1 });
    await call({ [limit]: undefined });
    const sent = upstreams[to].requests.map(({ body }) => [tokenLimitOf(body), body.temperature]);
    // Messages requires a token limit, so a missing one is added.
    const added = to === 'messages' ? 60 : undefined;
    expect(sent).toEqual([
      [60, 0.5],
      [60, 0.5],
      [added, undefined],
    ]);
  });

  it("reports lost fields of a request with a preset by their names in the client's dialect", async () => {
    await server.capture('shown', { model: 'chat-completions/model', ...question['chat-completions'] });
    const { messages } = question.messages as { messages: unknown };
    const body = { model: '@preset/shown', messages, thinking: { type: 'adaptive', display: 'omitted' } };
    const response = await server.call(body, { dialect: 'messages' });
    expect(response.headers.get('x-presetd-dropped-fields')).toBe('thinking.display');
  });

  it.each([false, true])('logs which parts of a response are lost, streamed: %s', async (isStream) => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }];
    const completion = { id: 'gen-1', choices, system_fingerprint: 'fp_1', usage: {} };
    upstreams['chat-completions'].respondAlways(
      isStream ? stream(streamOf('chat-completions', completion)) : json(completion),
    );
    const response = await ask('messages', 'chat-completions', { stream: isStream });
    expect(response.text).toContain('"dropped_fields":["system_fingerprint"]');
    const id = response.headers.get('x-request-id');
    await expect
      .poll(() => server.log.find((line) => line.includes(`"reqId":"${id}"`)))
      .toContain('"lost":["system_fingerprint"]');
  });

  it('reports which fields the dialect of the upstream cannot express', async () => {
    const response = await ask('chat-completions', 'messages', { n: 2, logit_bias: { 5: 1 } });
    expect(response.headers.get('x-presetd-dropped-fields')?.split(', ').toSorted()).toEqual([
      'logit_bias',
      'n',
    ]);
  });

  it('reports dropped fields in a dry run, which shows the translated request', async () => {
    const response = await server.call(
      { model: 'messages/model', ...question['chat-completions'], n: 2 },
      { headers: { 'x-presetd-dry-run': 'true' } },
    );
    expect(response.body.data).toMatchObject({
      url: `${upstreams.messages.url}/messages`,
      dropped_fields: ['n'],
      body: { model: 'model', max_tokens: 99 },
    });
  });

  it('falls back from one dialect to another', async () => {
    upstreams.messages.respondWith(
      json({ type: 'error', error: { type: 'api_error', message: 'down' } }, 500),
    );
    const response = await server.call({
      ...question['chat-completions'],
      model: 'messages/model',
      models: ['responses/model'],
    });
    expect([response.status, response.headers.get('x-presetd-upstream')]).toEqual([200, 'responses']);
    expect(response.body.choices[0].message.content).toBe(completionText);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: responses of three dialects
function textOf(response: any, dialect: Dialect): string {
  if (dialect === 'chat-completions') return response.choices[0].message.content;
  if (dialect === 'messages') return response.content[0].text;
  return response.output.at(-1).content[0].text;
}

// biome-ignore lint/suspicious/noExplicitAny: requests of three dialects
function tokenLimitOf(request: any): number {
  return request.max_tokens ?? request.max_completion_tokens ?? request.max_output_tokens;
}

/** The piece of text in an event of any dialect. */
function deltaOf(data: string): string {
  if (data === '[DONE]') return '';
  const event = JSON.parse(data);
  if (event.type === 'response.output_text.delta') return event.delta;
  if (event.type === 'content_block_delta') return event.delta.text ?? '';
  return event.choices?.[0]?.delta?.content ?? '';
}
