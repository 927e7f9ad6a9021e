import { beforeAll, describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/presets/preset.ts';
import { type GatewayServer, startWithUpstream, useUpstream } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { dialects } from '../support/wire/recordings.ts';

const user = { role: 'user', content: 'Will it rain?' };
const chatTool = (name: string, description = name) => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object' } },
});

describe('the request to the upstream', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  useUpstream((started) => {
    ({ upstream, server } = started);
  });

  type Body = Readonly<Record<string, unknown>>;

  async function sent(request: Body | string, dialect: Dialect = 'chat-completions') {
    upstream.clear();
    const response = await server.call(request, { dialect });
    if (response.status !== 200) throw new Error(response.text);
    const [received, ...others] = upstream.requests;
    if (received === undefined || others.length > 0)
      throw new Error('the upstream did not get exactly one request');
    return { ...received, dropped: response.headers.get('x-presetd-dropped-fields') };
  }

  it.each(dialects)("is the client's request if it names no preset, in %s", async (dialect) => {
    const text =
      '{"model":"vendor/model","stream":false,"seed":12345678901234567890,"temperature":0.10,"top_p":1e-1,' +
      '"messages":[{"role":"user","content":"\\u00fc ☔ \\ud83c\\udf27"}],"unknown":{"__proto__":1,"b":[1.0,null]}}';
    const { bytes, path, method, headers } = await sent(text, dialect);
    expect(method).toBe('POST');
    expect(path).toMatch(/^\/v1\/(chat\/completions|messages|responses)$/);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(JSON.parse(bytes.toString())).toEqual(JSON.parse(text));
    expect(bytes.toString()).toContain('12345678901234567890');
    expect(bytes.toString()).toContain('"__proto__":1');
  });

  it('keeps every digit of numbers in the preset and the request', async () => {
    const text = `{"model":"vendor/model","seed":9007199254740993,"messages":[{"role":"user","content":"x"}]}`;
    expect((await server.post('/api/v1/presets/digits/chat/completions', text)).status).toBe(200);
    const { bytes } = await sent('{"model":"@preset/digits","top_p":0.12345678901234567890,"messages":[]}');
    expect(bytes.toString()).toContain('"seed":9007199254740993');
    expect(bytes.toString()).toContain('"top_p":0.12345678901234567890');
  });

  describe('calls with a preset', () => {
    beforeAll(() =>
      server.capture('full', {
        model: 'vendor/preset',
        temperature: 0.2,
        max_tokens: 100,
        stop: ['END'],
        provider: { order: ['a'], sort: 'price' },
        tools: [chatTool('first'), chatTool('second')],
        tool_choice: 'auto',
        messages: [{ role: 'system', content: 'You are the preset.' }, user],
      }),
    );

    const base = {
      model: 'vendor/preset',
      temperature: 0.2,
      max_tokens: 100,
      stop: ['END'],
      provider: { order: ['a'], sort: 'price' },
      tools: [chatTool('first'), chatTool('second')],
      tool_choice: 'auto',
      messages: [{ role: 'system', content: 'You are the preset.' }, user],
    };
    const without = (...names: string[]) =>
      Object.fromEntries(Object.entries(base).filter(([name]) => !names.includes(name)));

    it.each<[string, Body, Body]>([
      ['everything from the preset', {}, base],
      ["the request's value of a field", { temperature: 0.9 }, { ...base, temperature: 0.9 }],
      ["the request's object as a whole", { provider: { zdr: true } }, { ...base, provider: { zdr: true } }],
      ['fields that the preset lacks', { top_k: 5, user: 'u' }, { ...base, top_k: 5, user: 'u' }],
      ['no field that the request sets to null', { temperature: null }, without('temperature')],
      ['none of several fields set to null', { stop: null, provider: null }, without('stop', 'provider')],
      [
        'one name of the token limit',
        { max_completion_tokens: 7 },
        { ...without('max_tokens'), max_completion_tokens: 7 },
      ],
      [
        'the tools of both, with a replaced one in its position',
        { tools: [chatTool('third'), chatTool('first', 'Other')] },
        { ...base, tools: [chatTool('first', 'Other'), chatTool('second'), chatTool('third')] },
      ],
      ["the preset's tools if the request has an empty list", { tools: [] }, base],
      [
        "only the request's system prompt",
        { messages: [{ role: 'system', content: 'You are the request.' }, user] },
        { ...base, messages: [{ role: 'system', content: 'You are the request.' }, user] },
      ],
      [
        "only the request's developer message",
        { messages: [{ role: 'developer', content: 'You are the request.' }, user] },
        { ...base, messages: [{ role: 'developer', content: 'You are the request.' }, user] },
      ],
      [
        'both system prompts if that of the request comes within the conversation',
        { messages: [user, { role: 'developer', content: 'Late.' }] },
        { ...base, messages: [base.messages[0], user, { role: 'developer', content: 'Late.' }] },
      ],
    ])('a call with a preset sends %s', async (_title, request, expected) => {
      const { body, dropped } = await sent({ model: '@preset/full', messages: [user], ...request });
      expect(body).toEqual(expected);
      expect(dropped).toBeNull();
    });

    it('a call with a preset sends neither tools nor a tool choice if the request removes the tools', async () => {
      const { body } = await sent({
        model: '@preset/full',
        messages: [user],
        tools: null,
        tool_choice: null,
      });
      expect(body).toEqual(without('tools', 'tool_choice'));
    });

    it('a call with a preset is translated to a messages request', async () => {
      const { body, path } = await sent({ model: '@preset/full', messages: [user] }, 'messages');
      expect(path).toBe('/v1/messages');
      expect(body).toMatchObject({
        model: 'vendor/preset',
        max_tokens: 100,
        stop_sequences: ['END'],
        temperature: 0.2,
        system: 'You are the preset.',
        messages: [user],
        tools: [
          { name: 'first', description: 'first', input_schema: { type: 'object' } },
          { name: 'second', description: 'second', input_schema: { type: 'object' } },
        ],
        tool_choice: { type: 'auto' },
      });
      expect(Object.keys(body)).not.toContain('stop');
    });

    it('a call with a preset is translated to a responses request', async () => {
      const { body, path, dropped } = await sent({ model: '@preset/full', input: 'Rain?' }, 'responses');
      expect(path).toBe('/v1/responses');
      expect(body).toMatchObject({
        model: 'vendor/preset',
        max_output_tokens: 100,
        stop: ['END'],
        temperature: 0.2,
        instructions: 'You are the preset.',
        input: 'Rain?',
        tools: [
          { type: 'function', name: 'first', description: 'first', parameters: { type: 'object' } },
          { type: 'function', name: 'second', description: 'second', parameters: { type: 'object' } },
        ],
        tool_choice: 'auto',
      });
      expect(dropped).toBeNull();
    });
  });

  it('dropped fields are reported percent-encoded, so that the header can contain any name', async () => {
    const name = 'Wetter ☔, morgen';
    await server.capture(
      'named',
      {
        model: 'vendor/model',
        max_tokens: 5,
        tools: [{ name, input_schema: { type: 'object' }, eager_input_streaming: true }],
        messages: [user],
      },
      'messages',
    );
    const { dropped } = await sent({ model: '@preset/named', messages: [user] });
    expect(dropped?.split(/, ?/).map(decodeURIComponent)).toEqual([`tools.${name}.eager_input_streaming`]);
  });

  it('is not affected by concurrent requests with the same preset', async () => {
    await server.capture('busy', {
      model: 'vendor/model',
      stop: ['END'],
      tools: [chatTool('first')],
      messages: [{ role: 'system', content: 'Once.' }, user],
    });
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        server.call({
          model: '@preset/busy',
          user: String(index),
          messages: [user],
          ...(index % 2 === 0 && { tools: [chatTool(`own-${index}`)] }),
          ...(index % 3 === 0 && { stop: null }),
        }),
      ),
    );
    expect(upstream.requests).toHaveLength(40);
    for (const { body } of upstream.requests) {
      const index = Number(body.user);
      expect(body).toEqual({
        model: 'vendor/model',
        user: String(index),
        messages: [{ role: 'system', content: 'Once.' }, user],
        tools: index % 2 === 0 ? [chatTool('first'), chatTool(`own-${index}`)] : [chatTool('first')],
        ...(index % 3 !== 0 && { stop: ['END'] }),
      });
    }
  });

  it.each([
    ['messages', 7],
    ['messages', { role: 'user' }],
    ['messages', ['text', null, [], { role: 7 }]],
    ['tools', 'none'],
    ['tools', [null, 7, {}, { type: 'function' }, { function: null }]],
    ['stop', { a: [] }],
    ['__proto__', { polluted: true }],
    ['constructor', { prototype: 1 }],
    ['toString', 'x'],
  ])('has %s as %j if the client sends that, without validation', async (name, value) => {
    await server.capture('odd', { model: 'vendor/model', top_p: 0.5, messages: [user] });
    const text = `{"model":"@preset/odd",${JSON.stringify(name)}:${JSON.stringify(value)}}`;
    for (const dialect of dialects) {
      const { bytes } = await sent(text, dialect);
      expect(bytes.toString()).toContain(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
      expect(JSON.parse(bytes.toString())).toMatchObject({ model: 'vendor/model', top_p: 0.5 });
    }
  });

  it('forward a message of five megabytes', async () => {
    const content = 'x'.repeat(5 * 1024 * 1024);
    const { body } = await sent({ model: 'vendor/model', messages: [{ role: 'user', content }] });
    expect(body.messages[0].content.length).toBe(content.length);
  });

  it.each([
    ['malformed JSON', '{"model":', 400],
    ['an empty body', '', 400],
    ['a list', '[]', 400],
    ['null', 'null', 400],
    ['a duplicate key', '{"model":"@preset/full","model":"vendor/model"}', 400],
    ['a nested duplicate key', '{"model":"vendor/model","a":{"b":1,"b":2}}', 400],
    ['invalid UTF-8', Buffer.from('{"model":"\xff"}', 'latin1'), 400],
    ['excessive nesting', `{"model":"vendor/model","a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 400],
    ['a model that is a number', '{"model":5,"messages":[]}', 400],
  ])('is not sent if the client sends %s', async (_title, body, status) => {
    for (const path of ['chat/completions', 'messages', 'responses']) {
      const response = await server.post(`/api/v1/${path}`, body);
      expect([path, response.status]).toEqual([path, status]);
      expect(response.body.error.message.length).toBeGreaterThan(10);
      expect(response.body.type).toBe(path === 'messages' ? 'error' : undefined);
    }
    expect(upstream.requests).toEqual([]);
  });

  it('can lack a model for OpenRouter, where each account has a default', async () => {
    const { body } = await sent({ messages: [user] });
    expect(body).toEqual({ messages: [user] });
  });

  it('is not sent if the body has another content type, is compressed or too large', async () => {
    const limited = await startWithUpstream(upstream, { PRESETD_BODY_LIMIT: '2KiB' });
    const model = 'vendor/model';
    const statuses = await Promise.all([
      limited.call({ model }, { headers: { 'content-type': 'text/plain' } }),
      limited.call({ model }, { headers: { 'content-encoding': 'gzip' } }),
      limited.call({ model, messages: 'x'.repeat(3_000) }),
    ]);
    await limited.stop();
    expect(statuses.map(({ status }) => status)).toEqual([415, 415, 413]);
    expect(upstream.requests).toEqual([]);
  });
});
