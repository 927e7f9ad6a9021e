import { createOpenAI } from '@ai-sdk/openai';
import { generateText, type ModelMessage, streamText } from 'ai';
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compatible, type GatewayServer, startUpstreams, startWithFile } from '../support/gateway-server.ts';
import { makeKey } from '../support/organizations.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { storingResponses } from '../support/storing-upstream.ts';
import { cut, halfBody, respondInDialect } from '../support/upstream-scripts.ts';
import { recordingOf } from '../support/wire/recordings.ts';

describe('SDKs that leave conversations to the upstream', () => {
  let storing: ScriptedUpstream;
  let chat: ScriptedUpstream;
  let server: GatewayServer;
  /** Limited to the preset. */
  let limitedKey: string;
  beforeAll(async () => {
    [storing, chat] = (await startUpstreams(2)) as [ScriptedUpstream, ScriptedUpstream];
    server = await startWithFile({
      upstreams: [
        compatible('storing', storing, { dialects: ['responses'], models: ['storing/*'] }),
        compatible('chat', chat, { dialects: ['chat-completions'], models: ['chat/*'] }),
      ],
    });
    await server.capture('assistant', { model: 'storing/m', instructions: 'Be brief.' }, 'responses');
    limitedKey = (await makeKey(server, { presets: ['assistant'], scope: 'call' })).secret;
  });
  beforeEach(() => {
    for (const upstream of [storing, chat]) upstream.clear();
    storing.respondAlways(storingResponses('s'));
    chat.respondAlways(respondInDialect);
  });
  afterAll(async () => {
    await Promise.all([storing, chat].map((upstream) => upstream.stop()));
    await server.stop();
  });

  const user = (content: string) => ({ role: 'user', content }) as const;
  const inputs = ({ requests }: ScriptedUpstream) => requests.map(({ body }) => body.input);

  describe("Vercel's AI SDK, which refers to items by default", () => {
    const model = (name: string, key = apiKey) =>
      createOpenAI({ apiKey: key, baseURL: `${server.url}/api/v1` }).responses(name);
    const whole = async (name: string, messages: ModelMessage[], key?: string) => {
      const { text, response } = await generateText({ model: model(name, key), messages, maxRetries: 0 });
      return { text, messages: response.messages };
    };
    const streamed = async (name: string, messages: ModelMessage[], key?: string) => {
      const failures: unknown[] = [];
      const result = streamText({
        model: model(name, key),
        messages,
        maxRetries: 0,
        onError: ({ error }) => void failures.push(error),
      });
      await result.consumeStream();
      if (failures.length > 0) throw failures[0];
      const { messages: answers } = await result.response;
      return { text: await result.text, messages: answers };
    };

    describe.each([
      ['whole', whole],
      ['streamed', streamed],
    ] as const)('%s', (_, ask) => {
      it.each([
        ['a model', 'storing/m', () => apiKey],
        ['a preset', '@preset/assistant', () => apiKey],
        ['a preset with a key limited to it', '@preset/assistant', () => limitedKey],
      ])('continues a conversation with %s', async (_title, name, key) => {
        const first = await ask(name, [user('Hi')], key());
        expect(first.text).toBe('after null');
        await ask(name, [user('Hi'), ...first.messages, user('Why?')], key());
        expect(inputs(storing)[1]).toEqual([
          { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
          { type: 'item_reference', id: 'msg_s0' },
          { role: 'user', content: [{ type: 'input_text', text: 'Why?' }] },
        ]);
      });

      it('throws what broke a response off', async () => {
        const { stream, json } = recordingOf['chat-completions'];
        chat.respondWith(({ request, ...exchange }) =>
          request.body.stream
            ? cut(stream.subarray(0, 400))({ request, ...exchange })
            : halfBody(json)({ request, ...exchange }),
        );
        await expect(ask('chat/m', [user('Hi')])).rejects.toThrow('The upstream "chat"');
      });

      it('gets an error that says what to do where nothing is stored', async () => {
        const first = await ask('chat/m', [user('Hi')]);
        const next = ask('chat/m', [user('Hi'), ...first.messages, user('Why?')]);
        await expect(next).rejects.toThrow('Send the item itself, as SDKs do with "store": false.');
      });
    });

    it('needs no stored items if nothing is to be stored', async () => {
      const ask = (messages: ModelMessage[]) =>
        generateText({
          model: model('chat/m'),
          messages,
          maxRetries: 0,
          providerOptions: { openai: { store: false } },
        });
      const first = await ask([user('Hi')]);
      await ask([user('Hi'), ...first.response.messages, user('Why?')]);
      expect(chat.requests[1]?.body.messages).toMatchObject([
        user('Hi'),
        { role: 'assistant', content: first.text },
        user('Why?'),
      ]);
    });
  });

  describe("OpenAI's SDK over a WebSocket", () => {
    const connect = (key = apiKey) =>
      new ResponsesWS(new OpenAI({ apiKey: key, baseURL: `${server.url}/api/v1` }));
    const turn = (socket: ResponsesWS, body: object) =>
      new Promise<OpenAI.Responses.Response>((resolve, reject) => {
        socket.once('error', reject);
        socket.once('response.completed', ({ response }) => {
          socket.off('error', reject);
          resolve(response);
        });
        socket.send({ type: 'response.create', model: '@preset/assistant', ...body });
      });

    it.each([
      ['an API key', () => apiKey],
      ['a key limited to the preset', () => limitedKey],
    ])('continues a response and refers to its items with %s', async (_, key) => {
      const socket = connect(key());
      const first = await turn(socket, { input: 'Hi' });
      const second = await turn(socket, { input: 'Why?', previous_response_id: first.id });
      expect(second).toMatchObject({ previous_response_id: first.id });
      const references = [first, second].map(({ output }) => ({
        type: 'item_reference',
        id: output[0]?.id,
      }));
      await turn(socket, { input: references });
      expect(storing.requests[1]?.body.previous_response_id).toBe('resp_s0');
      expect(inputs(storing)[2]).toEqual([
        { type: 'item_reference', id: 'msg_s0' },
        { type: 'item_reference', id: 'msg_s1' },
      ]);
      socket.close();
    });

    it('gets an error for a response of another preset', async () => {
      const { body } = await server.post('/api/v1/responses', { model: 'storing/m', input: 'Hi' });
      const socket = connect(limitedKey);
      const next = turn(socket, { input: 'Why?', previous_response_id: body.id });
      await expect(next).rejects.toThrow('is limited to presets');
      socket.close();
    });
  });

  describe("OpenAI's SDK", () => {
    const openai = (key = apiKey) =>
      new OpenAI({ apiKey: key, baseURL: `${server.url}/api/v1`, maxRetries: 0 });

    it('sends the output of a response back as input', async () => {
      // OpenAI's guides do this, although the types of its SDK disagree about rare items.
      const create = (input: readonly object[]) =>
        openai().responses.create({
          model: 'storing/m',
          input: input as OpenAI.Responses.ResponseInput,
          reasoning: { effort: 'low' },
        });
      const first = await create([user('Hi')]);
      await create([user('Hi'), ...first.output, user('Why?')]);
      expect(inputs(storing)[1]).toMatchObject([
        user('Hi'),
        { type: 'reasoning', id: 'rs_s0' },
        { type: 'message', id: 'msg_s0' },
        user('Why?'),
      ]);
    });

    it('streams events whose items it can put together', async () => {
      const stream = openai().responses.stream({ model: 'storing/m', input: 'Hi' });
      const ids = new Set<string>();
      for await (const event of stream) if ('item_id' in event) ids.add(event.item_id);
      const { output, output_text: text } = await stream.finalResponse();
      expect([[...ids], text]).toEqual([[output[0]?.id], 'after null']);
    });

    it('throws for a conversation', async () => {
      const create = openai().responses.create({ model: 'storing/m', input: 'Hi', conversation: 'conv_1' });
      await expect(create).rejects.toThrow('send previous_response_id, or the whole conversation in input');
    });
  });
});
