import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compatible, type GatewayServer, startUpstreams, startWithFile } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey } from '../support/server.ts';
import {
  beginStream,
  body,
  cut,
  html,
  json,
  stall,
  stream,
  upstreamError,
} from '../support/upstream-scripts.ts';

const vectors = { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.1, -0.2] }] };
const audio = Buffer.from([0xff, 0xf3, 0, 13, 10, 45, 45, 0x80]);
const token = 'a-token-for-metrics';
const messages = [{ role: 'user', content: 'Hi' }];

/** Endpoints with JSON that only take the model of a preset. */
const plain = [
  'completions',
  'embeddings',
  'rerank',
  'moderations',
  'images',
  'images/generations',
  'images/edits',
  'images/variations',
  'audio/speech',
  'audio/transcriptions',
  'audio/translations',
];

describe('a relayed call', () => {
  let first: ScriptedUpstream;
  let second: ScriptedUpstream;
  let server: GatewayServer;
  let openai: OpenAI;
  beforeAll(async () => {
    [first, second] = (await startUpstreams(2)) as [ScriptedUpstream, ScriptedUpstream];
    server = await startWithFile(
      {
        upstreams: [
          compatible('first', first, {
            dialects: ['chat-completions', 'responses'],
            models: ['one/*'],
            strip_prefix: 'one/',
          }),
          compatible('second', second, { models: ['two/*'] }),
          { name: 'claude', kind: 'anthropic', base_url: first.url, models: ['anthropic/*'] },
        ],
      },
      { PRESETD_METRICS_TOKEN: token, PRESETD_BODY_LIMIT: '2MiB', ANTHROPIC_API_KEY: 'sk-ant-0123456789' },
    );
    await server.capture('vectors', { model: 'one/preset', temperature: 0.5, messages });
    await server.capture('locked', {
      model: 'one/preset',
      messages: [{ role: 'system', content: 'Be brief, {{name}}.' }],
      presetd: {
        policy: { locked: ['model'] },
        variables: { name: { type: 'string' } },
      },
    });
    await server.capture('spare', { model: 'one/a', models: ['two/b'], messages });
    openai = new OpenAI({ apiKey, baseURL: `${server.url}/api/v1`, maxRetries: 0 });
  });
  beforeEach(() => {
    for (const upstream of [first, second]) {
      upstream.clear();
      upstream.respondAlways(json(vectors));
    }
  });
  afterAll(async () => {
    await Promise.all([first.stop(), second.stop()]);
    await server.stop();
  });

  const post = (path: string, sent: unknown, headers: Readonly<Record<string, string>> = {}) =>
    server.post(`/api/v1/${path}`, sent, { headers });

  it.each(plain)('reaches /%s of the upstream that serves its model, unchanged', async (path) => {
    const text = '{ "model": "two/m",\n "input": 1.10000000000000000001, "prompt": {"x": 1} }';
    const response = await post(`${path}?api-version=1`, text, { traceparent: '00-a', cookie: 'no' });
    expect([response.status, response.body]).toEqual([200, vectors]);
    const [request] = second.requests;
    expect([request?.method, request?.path, request?.bytes.toString()]).toEqual([
      'POST',
      `/v1/${path}?api-version=1`,
      text,
    ]);
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', traceparent: '00-a' });
    expect(Object.keys(request?.headers ?? {})).not.toContain('cookie');
    expect(JSON.stringify(request?.headers)).not.toContain(apiKey);
    expect(response.headers.get('x-presetd-upstream')).toBe('second');
    expect(Number(response.headers.get('x-presetd-overhead-ms'))).toBeGreaterThan(0);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    [{ model: '@preset/vectors' }, 'preset', null],
    [{ model: '@preset/vectors', presetd: { variables: {} } }, 'preset', null],
    [{ preset: 'vectors' }, 'preset', null],
    [{ preset: 'vectors@1', model: null }, 'preset', null],
    [{ model: 'one/other@preset/vectors' }, 'other', 'model'],
    [{ model: 'anthropic/@preset/vectors:latest' }, 'preset', null],
    [{ model: 'two/other@preset/locked' }, 'preset', 'model;preset'],
  ])('takes its model from a preset: %j', async (reference, model, overridden) => {
    const response = await post('embeddings', { ...reference, input: ['a'] });
    expect(response.status).toBe(200);
    expect(first.requests.map((request) => JSON.parse(request.bytes.toString()))).toEqual([
      { model, input: ['a'] },
    ]);
    expect(response.headers.get('x-presetd-preset')).toMatch(/^(vectors|locked)@1$/);
    expect(response.headers.get('x-presetd-overridden-fields')).toBe(overridden);
  });

  it('is forwarded without a preset that is null', async () => {
    await post('embeddings', { model: 'one/m', preset: null, input: ['a'] });
    expect(first.requests.map(({ body }) => body)).toEqual([{ model: 'm', input: ['a'] }]);
  });

  it('gets no other model if a preset locks its own', async () => {
    const others = { models: ['two/b'], fallbacks: [{ model: 'two/c' }], route: 'fallback' };
    const response = await post('completions', { preset: 'locked', prompt: 'Once', ...others });
    expect([response.status, response.headers.get('x-presetd-overridden-fields')]).toEqual([
      200,
      'model;preset',
    ]);
    expect(first.requests.map(({ body }) => body)).toEqual([{ model: 'preset', prompt: 'Once' }]);
  });

  it.each(plain)('is not passed on to /%s if it spells a field in another case', async (path) => {
    for (const name of ['Model', 'MODELS', 'Preset', 'Fallbacks']) {
      const { status, body } = await post(path, { model: '@preset/locked', [name]: 'two/b' });
      expect([status, body.error.metadata.issues]).toMatchObject([400, [{ path: `/${name}` }]]);
    }
    expect([...first.requests, ...second.requests]).toEqual([]);
  });

  it('keeps all digits of its numbers when its model is replaced', async () => {
    await post('embeddings', '{"input":[12345678901234567890],"model":"@preset/vectors"}');
    expect(first.requests[0]?.bytes.toString()).toContain('12345678901234567890');
  });

  it('falls back to the other models of a request or a preset', async () => {
    first.respondAlways(upstreamError(500, 'Oops'));
    const asked = await post('embeddings', { model: 'one/a', models: ['one/b', 'two/c'], input: 'x' });
    expect([asked.status, asked.headers.get('x-presetd-fallbacks')]).toEqual([
      200,
      'one%2Fa;500, one%2Fb;500',
    ]);
    expect((await post('embeddings', { model: '@preset/spare', input: 'x' })).status).toBe(200);
    expect(second.requests.map((request) => request.body)).toEqual([
      { model: 'two/c', input: 'x' },
      { model: 'two/b', input: 'x' },
    ]);
  });

  it('a relayed call without a model goes to the first upstream that has the endpoint', async () => {
    expect((await post('moderations', { input: 'x' })).headers.get('x-presetd-upstream')).toBe('first');
    expect(first.requests.map((request) => request.bytes.toString())).toEqual(['{"input":"x"}']);
  });

  it.each([
    [
      'embeddings',
      'anthropic/claude',
      'No upstream that serves the model "anthropic/claude" has the endpoint embeddings. Of the endpoints that are passed on, claude has messages/count_tokens.',
    ],
    ['rerank', 'three/x', 'No upstream serves the model "three/x": first serves one/*;'],
  ])(
    'a relayed call to %s returns 400 if no upstream has the endpoint for the model %s',
    async (path, model, message) => {
      const response = await post(path, { model });
      expect([response.status, response.body.error.message]).toEqual([400, expect.stringContaining(message)]);
      expect(response.headers.get('x-should-retry')).toBe('false');
    },
  );

  it('goes only to upstreams that list its endpoint', async () => {
    server.useConfigFile({
      upstreams: [
        compatible('chat', first, { endpoints: [] }),
        compatible('vectors', second, { endpoints: ['embeddings'] }),
      ],
    });
    expect((await post('embeddings', { model: 'm' })).headers.get('x-presetd-upstream')).toBe('vectors');
    const response = await post('rerank', { model: 'm' });
    expect([response.status, response.body.error.message]).toEqual([
      400,
      expect.stringContaining('chat has none; vectors has embeddings.'),
    ]);
  });

  it.each([
    ['a management key', 403, { key: managementKey }, {}],
    ['no key', 401, { key: null }, {}],
    ['a preset that does not exist', 404, {}, { model: '@preset/unknown' }],
    ['a model that is not text', 400, {}, { model: 5 }],
    ['a preset among its fallbacks', 400, {}, { model: 'one/a', models: ['@preset/vectors'] }],
    ['a body that is not an object', 400, {}, []],
  ])('a relayed call with %s is rejected', async (_title, status, options, sent) => {
    const response = await server.post('/api/v1/embeddings', sent, options);
    expect([response.status, response.body.error.code]).toEqual([status, status]);
    expect(first.requests).toEqual([]);
  });

  it('cannot have a form as its body where no file is expected', async () => {
    const response = await post('embeddings', '--b--', { 'content-type': 'multipart/form-data; boundary=b' });
    expect([response.status, response.body.error.message]).toEqual([
      415,
      'The request body must be JSON. Send it with "Content-Type: application/json".',
    ]);
    expect((await post('images/edits', 'x', { 'content-type': 'text/plain' })).body.error.message).toBe(
      'The request body must be JSON or a form. Send it with "Content-Type: application/json" or "Content-Type: multipart/form-data".',
    );
  });

  it('a dry run shows a relayed call with its fallbacks', async () => {
    const { body: shown } = await post(
      'embeddings?x=1',
      { model: '@preset/spare', input: 'x' },
      { 'x-presetd-dry-run': 'true' },
    );
    expect(shown.data).toMatchObject({
      preset: 'spare@1',
      upstream: 'first',
      method: 'POST',
      url: `${first.url}/embeddings?x=1`,
      headers: { 'content-type': 'application/json' },
      fallbacks: [{ upstream: 'second', url: `${second.url}/embeddings?x=1`, model: 'two/b' }],
      body: { model: 'a', input: 'x' },
    });
    expect(first.requests).toEqual([]);
  });

  it('is logged and counted under its endpoint', async () => {
    first.respondWith(json({ ...vectors, usage: { prompt_tokens: 7_000_000, total_tokens: 7_000_000 } }));
    await post('embeddings', { model: '@preset/vectors' });
    const labels = 'dialect="embeddings",preset="vectors",upstream="first"';
    // The calls before it have tokens, too.
    await expect
      .poll(async () => (await server.get('/metrics', { key: token })).text)
      .toMatch(new RegExp(`presetd_gateway_tokens_total\\{${labels},direction="input"\\} 7\\d{6}\\n`));
    const { text } = await server.get('/metrics', { key: token });
    expect(text).toMatch(new RegExp(`presetd_gateway_requests_total\\{${labels},status="200"\\} \\d`));
    expect(server.log.join('')).toMatch(
      /"route":"\/api\/v1\/embeddings","status":200,.*"preset":"vectors@1","upstream":"first"/,
    );
  });

  it.each([
    ['an error', upstreamError(422, 'Too many dimensions'), 422, 'Too many dimensions'],
    ['a rejected key', upstreamError(401, 'Bad key'), 424, 'rejected presetd'],
    ['a web page', html(200), 502, 'text/html'],
    ['audio', body(200, 'audio/mpeg', audio), 502, 'audio/mpeg'],
    ['half a body', body(200, 'application/json', '{"data":'), 502, 'not a JSON object'],
  ])(
    'fails with the error format of OpenAI if the upstream returns %s',
    async (_title, script, status, message) => {
      first.respondWith(script);
      const response = await post('embeddings', { model: 'one/m' });
      expect([response.status, response.body.error]).toEqual([
        status,
        expect.objectContaining({ code: status, message: expect.stringContaining(message) }),
      ]);
    },
  );

  it.each(['application/json', 'multipart/form-data; boundary=b'])(
    'a body of type %s that exceeds the limit is rejected',
    async (type) => {
      const response = await post('audio/transcriptions', ' '.repeat(2_097_153), { 'content-type': type });
      expect([response.status, response.body.error.message]).toEqual([
        413,
        expect.stringContaining('raise PRESETD_BODY_LIMIT'),
      ]);
    },
  );

  it('is sent as application/json, without the parameters of its content type', async () => {
    await post('embeddings', '{"model":"one/m"}', { 'content-type': 'application/json; charset=utf-7' });
    expect(first.requests[0]?.headers['content-type']).toBe('application/json');
  });

  it('counts towards the concurrency of its upstream', async () => {
    server.useConfigFile({ upstreams: [compatible('busy', first, { concurrency_max: 1, queue_max: 0 })] });
    first.respondWith(stall);
    const stalled = post('embeddings', { model: 'm' });
    const { response } = await first.nextExchange();
    expect((await post('embeddings', { model: 'm' })).status).toBe(503);
    expect((await server.call({ model: 'm', messages })).status).toBe(503);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    expect((await stalled).status).toBe(200);
  });

  it('is aborted when its client disconnects', async () => {
    first.respondWith(stall);
    const controller = new AbortController();
    const call = openai.embeddings.create({ model: 'one/m', input: 'x' }, { signal: controller.signal });
    const exchange = await first.nextExchange();
    controller.abort();
    await expect(call).rejects.toThrow('aborted');
    expect(await exchange.ended).toBe('disconnected');
  });

  describe('the OpenAI SDK', () => {
    it('creates embeddings', async () => {
      const created = await openai.embeddings.create({
        model: '@preset/vectors',
        input: 'x',
        encoding_format: 'float',
      });
      expect(created.data[0]?.embedding).toEqual([0.1, -0.2]);
    });

    it('moderates text', async () => {
      first.respondWith(json({ id: 'm1', model: 'm', results: [{ flagged: true }] }));
      expect((await openai.moderations.create({ input: 'x' })).results[0]?.flagged).toBe(true);
    });

    it('completes a text, streamed or not', async () => {
      first.respondWith(
        json({
          id: 'c1',
          object: 'text_completion',
          choices: [{ index: 0, text: 'Hi', finish_reason: 'stop' }],
        }),
        stream('data: {"choices":[{"index":0,"text":"Hi","finish_reason":null}]}\n\ndata: [DONE]\n\n'),
      );
      const asked = { model: '@preset/vectors', prompt: 'Say hi' };
      expect((await openai.completions.create(asked)).choices[0]?.text).toBe('Hi');
      const texts = [];
      for await (const chunk of await openai.completions.create({ ...asked, stream: true }))
        texts.push(chunk.choices[0]?.text);
      expect(texts).toEqual(['Hi']);
    });

    it('creates an image, streamed or not', async () => {
      first.respondWith(
        json({ created: 1, data: [{ b64_json: 'iVBORw' }] }),
        stream(
          'event: image_generation.partial_image\ndata: {"type":"image_generation.partial_image","b64_json":"a"}\n\n' +
            'event: image_generation.completed\ndata: {"type":"image_generation.completed","b64_json":"b"}\n\n',
        ),
      );
      const asked = { model: '@preset/vectors', prompt: 'Rain' };
      expect((await openai.images.generate(asked)).data?.[0]?.b64_json).toBe('iVBORw');
      const images = [];
      for await (const event of await openai.images.generate({ ...asked, stream: true }))
        images.push(event.b64_json);
      expect(images).toEqual(['a', 'b']);
    });

    it('edits an image, and makes a variation of it', async () => {
      const image = await toFile(audio, 'a.png', { type: 'image/png' });
      first.respondAlways(json({ created: 1, data: [{ url: 'https://example.com/a.png' }] }));
      const edited = await openai.images.edit({ model: 'one/m', image: [image, image], prompt: 'Rain' });
      const varied = await openai.images.createVariation({ model: '@preset/vectors', image });
      expect([edited.data?.[0]?.url, varied.data?.[0]?.url]).toEqual(
        Array(2).fill('https://example.com/a.png'),
      );
      expect(first.requests.map(({ path, bytes }) => [path, textField(bytes, 'model')])).toEqual([
        ['/v1/images/edits', 'm'],
        ['/v1/images/variations', 'preset'],
      ]);
      for (const { bytes } of first.requests) expect(bytes.includes(audio)).toBe(true);
    });

    it('creates speech, and gets the start before the end', async () => {
      first.respondWith(stall);
      const speech = openai.audio.speech.create({ model: '@preset/vectors', voice: 'alloy', input: 'Hi' });
      const { response, request } = await first.nextExchange();
      expect(request.body).toEqual({ model: 'preset', voice: 'alloy', input: 'Hi' });
      response.writeHead(200, { 'content-type': 'audio/mpeg' });
      response.write(audio);
      const answer = await speech;
      expect(answer.headers.get('content-type')).toBe('audio/mpeg');
      const reader = answer.body?.getReader();
      expect(Buffer.from((await reader?.read())?.value ?? [])).toEqual(audio);
      response.end(audio);
      expect(Buffer.from((await reader?.read())?.value ?? [])).toEqual(audio);
      expect((await reader?.read())?.done).toBe(true);
    });

    it('transcribes a file, every byte of which reaches the upstream', async () => {
      first.respondWith(json({ text: 'Hello' }));
      const file = await toFile(audio, 'Zürich "1".mp3', { type: 'audio/mpeg' });
      const { text } = await openai.audio.transcriptions.create({
        model: '@preset/vectors',
        file,
        language: 'de',
      });
      expect(text).toBe('Hello');
      const [request] = first.requests;
      expect(textField(request?.bytes, 'model')).toBe('preset');
      expect(textField(request?.bytes, 'language')).toBe('de');
      expect(
        request?.bytes.includes(Buffer.concat([Buffer.from('\r\n\r\n'), audio, Buffer.from('\r\n--')])),
      ).toBe(true);
      expect(request?.headers['content-length']).toBe(String(request?.bytes.length));
    });

    it('transcribes to text and to a stream, and translates', async () => {
      const file = await toFile(audio, 'a.mp3');
      first.respondWith(
        body(200, 'text/plain; charset=utf-8', 'Grüezi\n'),
        stream(
          'data: {"type":"transcript.text.delta","delta":"Hi"}\n\ndata: {"type":"transcript.text.done","text":"Hi"}\n\n',
        ),
        json({ text: 'Hello' }),
        body(200, 'text/plain', ''),
      );
      const asked = { model: 'one/m', file };
      const { create } = openai.audio.transcriptions;
      expect(await create.call(openai.audio.transcriptions, { ...asked, response_format: 'text' })).toBe(
        'Grüezi\n',
      );
      const events = [];
      for await (const { type } of await openai.audio.transcriptions.create({ ...asked, stream: true }))
        events.push(type);
      expect(events).toEqual(['transcript.text.delta', 'transcript.text.done']);
      expect((await openai.audio.translations.create(asked)).text).toBe('Hello');
      expect(await openai.audio.transcriptions.create({ ...asked, response_format: 'text' })).toBe('');
    });
  });

  describe('a relayed form', () => {
    const send = (form: FormData, headers: Readonly<Record<string, string>> = {}) =>
      fetch(`${server.url}/api/v1/audio/transcriptions`, {
        method: 'POST',
        body: form,
        headers: { authorization: `Bearer ${apiKey}`, ...headers },
      });
    const formOf = (fields: Readonly<Record<string, string>>) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append('file', new Blob([audio], { type: 'audio/mpeg' }), 'a.mp3');
      return form;
    };

    it('may name its preset in a field, which is not forwarded', async () => {
      expect((await send(formOf({ preset: 'vectors', language: 'de' }))).status).toBe(200);
      const [request] = first.requests;
      expect([textField(request?.bytes, 'model'), textField(request?.bytes, 'preset')]).toEqual([
        'preset',
        undefined,
      ]);
    });

    it('is not passed on if it spells a field in another case', async () => {
      for (const name of ['Model', 'PRESET', 'model\u017f']) {
        const response = await send(formOf({ model: '@preset/locked', [name]: 'two/b' }));
        const { error } = JSON.parse(await response.text());
        expect([response.status, error.metadata.issues]).toMatchObject([400, [{ path: `/${name}` }]]);
      }
      expect([...first.requests, ...second.requests]).toEqual([]);
    });

    it('a relayed form that names its model is forwarded byte for byte', async () => {
      const form = new Response(formOf({ model: 'two/m' }));
      const type = form.headers.get('content-type') ?? '';
      const bytes = Buffer.from(await form.arrayBuffer());
      const response = await fetch(`${server.url}/api/v1/audio/translations`, {
        method: 'POST',
        body: bytes,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': type },
      });
      expect(response.status).toBe(200);
      expect(second.requests[0]?.bytes).toEqual(bytes);
      expect(second.requests[0]?.headers['content-type']).toBe(type);
    });

    it.each([
      ['a', 'multipart/form-data; boundary=a; boundary=b'],
      ['a:b', 'Multipart/Form-Data; charset=utf-8; boundary="a:b"'],
    ])('a relayed form is sent with the boundary %s if its type is %s', async (boundary, type) => {
      const model = 'Content-Disposition: form-data; name="model"\r\n\r\ntwo/m\r\n';
      const form = `--${boundary}\r\n${model}--${boundary}--`;
      await post('audio/transcriptions', form, { 'content-type': type });
      const value = boundary === 'a' ? boundary : `"${boundary}"`;
      expect(second.requests[0]?.headers['content-type']).toBe(`multipart/form-data; boundary=${value}`);
    });

    it('a dry run describes the fields of a form', async () => {
      const response = await send(formOf({ model: '@preset/vectors' }), { 'x-presetd-dry-run': 'true' });
      expect(JSON.parse(await response.text()).data.body).toEqual([
        { name: 'model', value: 'preset' },
        { name: 'file', filename: 'a.mp3', bytes: audio.length },
      ]);
    });

    it('a malformed form returns 400', async () => {
      const response = await post('audio/transcriptions', '--b', {
        'content-type': 'multipart/form-data; boundary=b',
      });
      expect([response.status, response.body.error.message]).toEqual([
        400,
        'The form in the request body has no closing boundary.',
      ]);
    });
  });

  describe('a relayed response that breaks off', () => {
    it('audio that breaks off closes the connection', async () => {
      first.respondWith(async ({ response, socket }) => {
        response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': 99 });
        response.write(audio);
        await new Promise(setImmediate);
        socket.destroySoon();
      });
      const response = await openai.audio.speech.create({ model: 'one/m', voice: 'alloy', input: 'x' });
      await expect(response.arrayBuffer()).rejects.toThrow();
    });

    it('a stream that breaks off ends with an error event', async () => {
      first.respondWith(cut(Buffer.from('event: speech.audio.delta\ndata: {"audio":"a"}\n\ndata: {"aud')));
      const { status, text } = await post('audio/speech', { model: 'one/m', stream_format: 'sse' });
      expect(status).toBe(200);
      expect(text).toMatch(
        /^event: speech\.audio\.delta\ndata: \{"audio":"a"\}\n\ndata: \{.*"error":\{"code":502/,
      );
    });

    it('a stream that breaks off after its last event is complete', async () => {
      const text = 'event: speech.audio.done\ndata: {}\n\n';
      first.respondWith(cut(Buffer.from(text)));
      expect((await post('audio/speech', { model: 'one/m' })).text).toBe(text);
    });

    it('a stream that breaks off before its first byte falls back to another model', async () => {
      first.respondWith(({ response, socket }) => {
        beginStream(response);
        socket.resetAndDestroy();
      });
      const response = await post('audio/speech', { model: 'one/m', models: ['two/m'] });
      expect([response.status, response.headers.get('x-presetd-upstream')]).toEqual([200, 'second']);
    });
  });

  describe.each(['responses/input_tokens', 'responses/compact'])('a call to /%s', (path) => {
    it('gets the preset as other calls of the dialect do, without fields that the endpoint lacks', async () => {
      await server.capture(
        'agent',
        { model: 'one/gpt', instructions: 'Be brief.', temperature: 0.2, service_tier: 'flex', tools: [] },
        'responses',
      );
      first.respondWith(json({ object: 'response.input_tokens', input_tokens: 11 }));
      const response = await post(path, { model: '@preset/agent', input: 'Hi', new_field: 1 });
      expect([response.status, response.body.input_tokens]).toEqual([200, 11]);
      expect(first.requests[0]?.path).toBe(`/v1/${path}`);
      const kept = path === 'responses/compact' ? { service_tier: 'flex' } : { tools: [] };
      expect(first.requests[0]?.body).toEqual({
        model: 'gpt',
        instructions: 'Be brief.',
        input: 'Hi',
        new_field: 1,
        ...kept,
      });
      expect(response.headers.get('x-presetd-dropped-fields')).toContain('temperature');
    });

    it('returns ids as they are, because the upstream does not store the result', async () => {
      const result = { id: 'resp_1', output: [{ type: 'message', id: 'msg_1', role: 'user', content: [] }] };
      first.respondWith(json(result));
      expect((await post(path, { model: 'one/gpt', input: 'Hi' })).body).toEqual(result);
    });
  });
});

/** The value of a text field in a form. */
function textField(bytes: Buffer | undefined, name: string): string | undefined {
  return new RegExp(`name="${name}"\\r\\n\\r\\n(.*?)\\r\\n--`, 's').exec(
    bytes?.toString('latin1') ?? '',
  )?.[1];
}
