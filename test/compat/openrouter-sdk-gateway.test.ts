import type { OpenRouter } from '@openrouter/sdk';
import {
  NotFoundResponseError,
  OpenRouterDefaultError,
  TooManyRequestsResponseError,
  UnauthorizedResponseError,
} from '@openrouter/sdk/models/errors';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiKey } from '../support/server.ts';
import { body, cut, json, recorded, upstreamError } from '../support/upstream-scripts.ts';
import { completionText, recordings } from '../support/wire/recordings.ts';
import {
  appliedPreset,
  type GatewayWithPresets,
  presetModels,
  startGatewayWithPresets,
  systemMessage,
} from './gateway-presets.ts';
import { sdkClient } from './sdk-client.ts';
import { thrownBy } from './thrown-by.ts';

const messages = [{ role: 'user' as const, content: 'Will it rain?' }];
const input = 'Will it rain?';
const spokenWeather = { city: 'Zürich', degrees: 21 };

describe("OpenRouter's SDK with presetd as its server", () => {
  let gateway: GatewayWithPresets;
  let openrouter: OpenRouter;
  beforeAll(async () => {
    gateway = await startGatewayWithPresets();
    openrouter = sdkClient(gateway.server, apiKey);
  });
  beforeEach(() => {
    gateway.upstream.clear();
    gateway.upstream.respondAlways((exchange) =>
      recorded(
        recordings[exchange.request.path.endsWith('/responses') ? 'openai-responses' : 'openrouter-chat'],
      )(exchange),
    );
  });
  afterAll(() => gateway.stop());

  type ChatRequest = Parameters<OpenRouter['chat']['send']>[0]['chatRequest'];
  type ResponsesRequest = Parameters<OpenRouter['responses']['send']>[0]['responsesRequest'];
  const chat = async (request: ChatRequest, client = openrouter) =>
    nonStreaming(await client.chat.send({ chatRequest: { ...request, stream: false } }));
  const chatStream = async (request: ChatRequest) =>
    collected(await openrouter.chat.send({ chatRequest: { ...request, stream: true } }));
  const respond = async (request: ResponsesRequest) =>
    nonStreaming(await openrouter.responses.send({ responsesRequest: { ...request, stream: false } }));
  const responseStream = async (request: ResponsesRequest) =>
    collected(await openrouter.responses.send({ responsesRequest: { ...request, stream: true } }));
  const sent = () => gateway.upstream.requests.map((request) => request.body);

  describe.each(presetModels)('through the preset %s', (model) => {
    it('the SDK completes a chat', async () => {
      const result = await chat({ model, messages });
      expect(result.choices[0]?.message.content).toBe(completionText);
      expect(result.usage?.totalTokens).toBe(23);
      expect(sent()).toEqual([
        { ...appliedPreset['chat-completions'], messages: [systemMessage, ...messages], stream: false },
      ]);
    });

    it('the SDK streams a chat', async () => {
      const chunks = await chatStream({ model, messages });
      expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(completionText);
      expect(chunks.at(-1)?.usage?.totalTokens).toBe(23);
      expect(sent()).toMatchObject([{ ...appliedPreset['chat-completions'], stream: true }]);
    });

    it("the SDK calls the preset's tool, streamed or not", async () => {
      gateway.upstream.respondAlways(recorded(recordings['openrouter-chat-tool']));
      const whole = await chat({ model, messages });
      expect(whole.choices[0]?.message.toolCalls).toMatchObject([
        { id: 'call_Hs81', function: { name: 'get_weather', arguments: '{"city":"Zürich"}' } },
      ]);
      let spoken = '';
      for (const { choices } of await chatStream({ model, messages }))
        for (const call of choices[0]?.delta.toolCalls ?? []) spoken += call.function?.arguments ?? '';
      expect(spoken).toBe('{"city":"Zürich"}');
    });

    it('the SDK requests structured output', async () => {
      const spoken = JSON.stringify(JSON.stringify(spokenWeather)).slice(1, -1);
      const { json } = recordings['openrouter-chat'];
      gateway.upstream.respondWith(
        body(200, 'application/json', json.toString().replaceAll(completionText, spoken)),
      );
      const schema = { type: 'object', properties: { city: { type: 'string' } } };
      const result = await chat({
        model,
        messages,
        responseFormat: { type: 'json_schema', jsonSchema: { name: 'weather', schema, strict: true } },
      });
      expect(JSON.parse(String(result.choices[0]?.message.content))).toEqual(spokenWeather);
      expect(sent()).toMatchObject([
        { response_format: { type: 'json_schema', json_schema: { name: 'weather', schema, strict: true } } },
      ]);
    });

    it('the SDK gets a response', async () => {
      const result = await respond({ model, input });
      expect([result.status, result.usage?.totalTokens]).toEqual(['completed', 23]);
      expect(result.output).toMatchObject([{ type: 'message', content: [{ text: completionText }] }]);
      expect(sent()).toMatchObject([{ ...appliedPreset.responses, input }]);
    });

    it('the SDK streams a response', async () => {
      let spoken = '';
      const types: string[] = [];
      for (const event of await responseStream({ model, input })) {
        types.push(event.type);
        if (event.type === 'response.output_text.delta' && 'delta' in event) spoken += event.delta;
      }
      expect(spoken).toBe(completionText);
      expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.completed']);
    });
  });

  it('has the headers that identify an application forwarded', async () => {
    await openrouter.chat.send({
      httpReferer: 'https://example.com',
      appTitle: 'Tests',
      chatRequest: { model: 'vendor/model', messages },
    });
    const headers = gateway.upstream.requests[0]?.headers;
    expect(headers).toMatchObject({ 'http-referer': 'https://example.com', 'x-openrouter-title': 'Tests' });
    // The SDK always sends an empty cookie.
    expect(headers?.cookie).toBeUndefined();
  });

  it('lists presets among the models', async () => {
    const ids: string[] = [];
    for await (const { result } of await openrouter.models.list())
      ids.push(...result.data.map(({ id }) => id));
    expect(ids.slice(0, 3).toSorted()).toEqual([...presetModels].toSorted());
  });

  it('throws its own error classes', async () => {
    const ask = (model: string, client?: OpenRouter) => chat({ model, messages }, client);
    const unknown = await thrownBy(ask('@preset/nothing'), NotFoundResponseError);
    expect(unknown.error).toMatchObject({ code: 404, message: expect.stringContaining('nothing') });
    const response = respond({ model: '@preset/nothing', input });
    expect((await thrownBy(response, NotFoundResponseError)).error.code).toBe(404);
    await thrownBy(ask('vendor/model', sdkClient(gateway.server, 'wrong')), UnauthorizedResponseError);
    gateway.upstream.respondWith(upstreamError(429, 'Slow down'));
    const slow = await thrownBy(ask('vendor/a'), TooManyRequestsResponseError);
    expect(slow.error.message).toBe('Slow down');
    gateway.upstream.respondWith(({ socket }) => socket.destroy());
    expect(await ask('vendor/model').catch((error: unknown) => error)).toMatchObject({
      statusCode: 502,
      name: expect.not.stringContaining(OpenRouterDefaultError.name),
    });
  });

  it.each(presetModels)(
    'creates embeddings, rankings, speech, transcripts and images through %s',
    async (model) => {
      const speech = Buffer.from([0xff, 0xf3, 0, 13, 10]);
      gateway.upstream.respondWith(
        json({ object: 'list', model: 'm', data: [{ object: 'embedding', index: 0, embedding: [0.5] }] }),
        json({
          id: 'r1',
          model: 'm',
          results: [{ index: 1, relevance_score: 0.9, document: { text: 'sun' } }],
        }),
        body(200, 'audio/mpeg', speech),
        json({ text: 'Hello' }),
        json({ created: 1, data: [{ b64_json: 'iVBORw' }] }),
      );
      const vectors = await openrouter.embeddings.generate({ requestBody: { model, input } });
      expect(vectors).toMatchObject({ data: [{ embedding: [0.5] }] });
      const ranked = await openrouter.rerank.rerank({
        requestBody: { model, query: input, documents: ['rain', 'sun'] },
      });
      expect(ranked).toMatchObject({ results: [{ index: 1 }] });
      const spoken = await openrouter.tts.createSpeech({ speechRequest: { model, input, voice: 'alloy' } });
      expect(Buffer.from(await new Response(spoken).arrayBuffer())).toEqual(speech);
      const file = { fileName: 'a.mp3', content: speech };
      const transcript = await openrouter.stt.createTranscriptionMultipart({ requestBody: { model, file } });
      expect(transcript.text).toBe('Hello');
      const images = await openrouter.images.generate({ imageGenerationRequest: { model, prompt: input } });
      expect(images).toMatchObject({ data: [{ b64Json: 'iVBORw' }] });
      expect(gateway.upstream.requests.map(({ path }) => path)).toEqual([
        '/v1/embeddings',
        '/v1/rerank',
        '/v1/audio/speech',
        '/v1/audio/transcriptions',
        '/v1/images',
      ]);
      const { model: expected } = appliedPreset['chat-completions'];
      for (const { bytes } of gateway.upstream.requests) expect(bytes.toString('latin1')).toContain(expected);
    },
  );

  it('parses the error of a stream that breaks off', async () => {
    const cutHalf = ({ stream }: { stream: Buffer }) => cut(stream.subarray(0, stream.length / 2));
    gateway.upstream.respondWith(cutHalf(recordings['openrouter-chat']));
    const chunks = await chatStream({ model: 'vendor/model', messages });
    expect(chunks.at(-1)).toMatchObject({
      error: {
        code: 502,
        message: expect.stringContaining('openrouter'),
        metadata: { errorType: 'provider_unavailable' },
      },
      choices: [{ finishReason: 'error' }],
    });
    gateway.upstream.respondWith(cutHalf(recordings['openai-responses']));
    const events = await responseStream({ model: 'vendor/model', input });
    const message = expect.stringContaining('openrouter');
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', message },
      { type: 'response.failed', response: { status: 'failed', error: { message } } },
    ]);
  });
});

/** Narrows the SDK's result type, which is the same for streams and other responses. */
function nonStreaming<Result extends object>(result: Result): Exclude<Result, AsyncIterable<unknown>> {
  if (Symbol.asyncIterator in result) throw new Error('the response is a stream');
  return result as Exclude<Result, AsyncIterable<unknown>>;
}

type EventOf<Result> = Result extends AsyncIterable<infer Event> ? Event : never;

async function collected<Result extends object>(result: Result): Promise<readonly EventOf<Result>[]> {
  if (!(Symbol.asyncIterator in result)) throw new Error('the response is not a stream');
  const events: EventOf<Result>[] = [];
  for await (const event of result as unknown as AsyncIterable<EventOf<Result>>) events.push(event);
  return events;
}
