import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inSeveralLines } from '../support/event-stream.ts';
import { compatible, type GatewayServer, startUpstreams, startWithFile } from '../support/gateway-server.ts';
import { makeKey, makeWorkspace } from '../support/organizations.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { storingResponses } from '../support/storing-upstream.ts';
import { cut, json, recorded, stall, stream } from '../support/upstream-scripts.ts';
import { recordings } from '../support/wire/recordings.ts';

const metricsToken = 'a-token-for-metrics';

const operations = [
  ['GET', ''],
  ['DELETE', ''],
  ['POST', '/cancel'],
  ['GET', '/input_items'],
] as const;

describe('stored responses', () => {
  let first: ScriptedUpstream;
  let second: ScriptedUpstream;
  let server: GatewayServer;
  let openai: OpenAI;
  const upstreamAt = (name: string, upstream: ScriptedUpstream) =>
    compatible(name, upstream, { dialects: ['responses'], models: [`${name}/*`] });
  beforeAll(async () => {
    [first, second] = (await startUpstreams(2)) as [ScriptedUpstream, ScriptedUpstream];
    server = await startWithFile(
      { upstreams: [upstreamAt('first', first), upstreamAt('second', second)] },
      { PRESETD_METRICS_TOKEN: metricsToken },
    );
    openai = new OpenAI({ apiKey, baseURL: `${server.url}/api/v1`, maxRetries: 0 });
  });
  beforeEach(() => {
    for (const upstream of [first, second]) upstream.clear();
    first.respondAlways(storingResponses('a'));
    second.respondAlways(storingResponses('b'));
  });
  afterAll(async () => {
    await Promise.all([first, second].map((upstream) => upstream.stop()));
    await server.stop();
  });

  const create = (more: object = {}) =>
    openai.responses.create({ model: 'second/m', input: 'Hi', stream: false, ...more });
  const sent = ({ requests }: ScriptedUpstream) => requests.map(({ method, path }) => `${method} ${path}`);

  it('no caller chooses the id of a response', async () => {
    const request = { model: 'second/m', input: 'Hi', request_id: 'resp_of_another' };
    const { headers } = await server.post('/api/v1/responses', request);
    expect(headers.get('x-presetd-dropped-fields')).toBe('request_id');
    expect(second.requests[0]?.body).toEqual({ model: 'second/m', input: 'Hi' });
  });

  it('the id of a response is dropped with what the preset loses and with useless reasoning', async () => {
    const messages = [{ role: 'user', content: 'Hi' }];
    await server.capture('biased', { model: 'second/m', logit_bias: { 5: 1 }, messages });
    const input = [{ type: 'reasoning', id: 'rs_1', summary: [] }];
    const request = { model: '@preset/biased', input, request_id: 'resp_of_another' };
    const { headers } = await server.post('/api/v1/responses', request);
    expect(headers.get('x-presetd-dropped-fields')).toBe('logit_bias, request_id, input.*.reasoning');
  });

  it('ids of the upstream are encoded in its URLs', async () => {
    second.respondWith(json({ id: 'resp_a+b=', object: 'response', output: [{ id: 'msg_a+b=' }] }));
    const { id, output } = await create();
    await server.get(`/api/v1/responses/${id}/input_items?limit=1&after=${output[0]?.id}`, { key: apiKey });
    expect(sent(second).at(-1)).toBe(
      'GET /v1/responses/resp_a%2Bb%3D/input_items?limit=1&after=msg_a%2Bb%3D',
    );
  });

  it.each([
    ['the request contains', 'resp_of_another', '{"model":"second/m","metadata":{"id":"resp_of_another"}}'],
    ['the request contains in escapes', 'resp_1', '{"model":"second/m","user":"resp\\u005f1"}'],
    ['is a path', '..', '{"model":"second/m"}'],
  ])('an id that %s is not signed', async (_, id, request) => {
    second.respondWith(json({ id, object: 'response', output: [] }));
    const { body } = await server.post('/api/v1/responses', request);
    expect(body.id).toBe(id);
  });

  it('an id in data of several lines is signed', async () => {
    const text = recordings['openai-responses'].stream.toString();
    second.respondWith(stream(inSeveralLines(text)));
    const received = await server.post('/api/v1/responses', { model: 'second/m', input: 'Hi', stream: true });
    expect(received.text).toContain('"response.completed"');
    expect(received.text).not.toContain('"resp_0a1"');
  });

  it('the id of a response whose stream breaks off is signed', async () => {
    const [created = ''] = recordings['openai-responses'].stream.toString().split(/(?<=\n\n)/);
    second.respondWith(cut(created));
    const received = await server.post('/api/v1/responses', { model: 'second/m', input: 'Hi', stream: true });
    expect(received.text).toContain('event: response.failed');
    expect(received.text).not.toContain('"resp_0a1"');
    expect(new Set(received.text.match(/"id":"resp_[^"]+"/g)).size).toBe(1);
  });

  describe('the OpenAI SDK', () => {
    it('retrieves a response that it created, from the upstream that has it', async () => {
      const created = await create();
      expect(await openai.responses.retrieve(created.id)).toEqual(created);
      expect(sent(second)).toEqual(['POST /v1/responses', 'GET /v1/responses/resp_b0']);
      expect(sent(first)).toEqual([]);
    });

    it('finds the previous response of one that it retrieves', async () => {
      const created = await create();
      const next = await create({ previous_response_id: created.id });
      const retrieved = await openai.responses.retrieve(next.id);
      expect(retrieved.previous_response_id).toBe(created.id);
      expect((await openai.responses.retrieve(retrieved.previous_response_id ?? '')).id).toBe(created.id);
    });

    it('retrieves a stream from where it broke off', async () => {
      const previous = await create();
      const { id, output } = await create({ background: true, previous_response_id: previous.id });
      const events = [];
      for await (const event of await openai.responses.retrieve(id, { stream: true, starting_after: 2 }))
        events.push(event);
      const [item] = output;
      expect(events.map(({ type }) => type)).toEqual([
        'response.output_text.delta',
        'response.output_text.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.completed',
      ]);
      expect(events[0]).toMatchObject({ item_id: item?.id });
      expect(events[3]).toMatchObject({ item });
      expect(events[4]).toMatchObject({ response: { id, previous_response_id: previous.id, output } });
      expect(second.requests.at(-1)?.path).toBe('/v1/responses/resp_b1?stream=true&starting_after=2');
    });

    it('deletes a stored response, which is then gone', async () => {
      const { id } = await create();
      await openai.responses.delete(id);
      const error = await openai.responses.retrieve(id).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(OpenAI.NotFoundError);
      expect(String(error)).toContain(`Response with id '${id}' not found.`);
      expect(sent(second)).toContain('DELETE /v1/responses/resp_b0');
    });

    it('cancels a response that runs in the background', async () => {
      const { id } = await create({ background: true });
      const canceled = await openai.responses.cancel(id);
      expect(canceled).toMatchObject({ id, status: 'cancelled' });
      expect(sent(second).at(-1)).toBe('POST /v1/responses/resp_b0/cancel');
      expect(second.requests.at(-1)?.bytes).toHaveLength(0);
    });

    it('lists the input of a stored response, page by page', async () => {
      const input = ['Hi', 'Hello'].map((content) => ({ role: 'user', content }));
      const { id } = await create({ input });
      const items = [];
      for await (const item of openai.responses.inputItems.list(id, { limit: 1, order: 'asc' }))
        items.push(item);
      expect(items).toMatchObject([
        { id: expect.stringMatching(/^msg_[\w-]{30}/), content: 'Hi' },
        { id: expect.stringMatching(/^msg_[\w-]{30}/), content: 'Hello' },
      ]);
      expect(second.requests.slice(1).map(({ path }) => path)).toEqual([
        '/v1/responses/resp_b0/input_items?limit=1&order=asc',
        '/v1/responses/resp_b0/input_items?limit=1&order=asc&after=msg_b_in0',
      ]);
      await openai.get(`/responses/${id}/input_items?before=${items[1]?.id}`);
      expect(second.requests.at(-1)?.path).toBe('/v1/responses/resp_b0/input_items?before=msg_b_in1');
    });

    it('refers to an item of the input of a stored response', async () => {
      const { id } = await create();
      const { data } = await openai.responses.inputItems.list(id);
      const reference = { type: 'item_reference', id: data[0]?.id };
      expect(await create({ input: [reference] })).toMatchObject({ seen: ['the secret of msg_b_in0'] });
    });

    it('retrieves a response that it streamed', async () => {
      const events = [];
      for await (const event of await openai.responses.create({
        model: 'first/m',
        input: 'Hi',
        stream: true,
      }))
        events.push(event);
      const ids = events.flatMap((event) => ('response' in event ? [event.response.id] : []));
      expect(new Set(ids).size).toBe(1);
      expect((await openai.responses.retrieve(ids[0] ?? '')).id).toBe(ids[0]);
    });
  });

  describe.each(operations)('%s /responses/{id}%s', (method, action) => {
    const send = (id: string, key = apiKey) =>
      server.send(method, `/api/v1/responses/${id}${action}`, undefined, { key });
    const refused = async (id: string, key = apiKey) => {
      const { status, body } = await send(id, key);
      expect(status).toBe(404);
      expect(sent(second)).toEqual(['POST /v1/responses']);
      expect(sent(first)).toEqual([]);
      return body.error.message;
    };

    it('returns the headers of a call', async () => {
      const { id } = await create();
      const sentAt = performance.now();
      const { status, headers } = await send(id);
      expect([status, headers.get('x-presetd-upstream')]).toEqual([200, 'second']);
      expect(Number(headers.get('x-presetd-overhead-ms'))).toBeLessThan(performance.now() - sentAt);
    });

    it('is 404 for an id that presetd did not return, and says what is stored', async () => {
      await create();
      for (const id of ['resp_b0', 'resp_1', '..%2Fresponses', '%00', 'a'.repeat(2_000)])
        expect(await refused(id)).toContain('those with "store": false are not stored');
    });

    it('is 404 for an id that was changed', async () => {
      const { id } = await create();
      await refused(`${id}A`);
      await refused(id.slice(0, -1));
      await refused(id.toLowerCase());
      await refused(`resp_A${id.slice(6)}`);
    });

    it('is 404 in another workspace, as if it did not exist', async () => {
      const workspaceId = await makeWorkspace(server, `other-${method.toLowerCase()}-${action.length}`);
      const { secret } = await makeKey(server, { workspace_id: workspaceId });
      const { id } = await create();
      const unknown = await refused(`${id.slice(0, -4)}AAAA`, secret);
      expect(await refused(id, secret)).toBe(unknown.replace(/"resp_[^"]+"/, JSON.stringify(id)));
    });

    it('is 404 once its upstream is removed', async () => {
      const { id } = await create();
      server.useConfigFile({ upstreams: [upstreamAt('first', first)] });
      expect(await refused(id)).toContain('its upstream "second" is no longer configured');
    });

    it('is 403 for a management key', async () => {
      const { id } = await create();
      expect((await send(id, managementKey)).status).toBe(403);
    });

    it('returns errors of the upstream with the id that the client knows', async () => {
      const { id } = await create();
      second.respondWith(json({ error: { message: 'No resp_b0 here.', type: 'x' } }, 409));
      const { status, body } = await send(id);
      expect([status, body.error.message]).toEqual([409, `No ${id} here.`]);
    });
  });

  it('responses to translated calls are not stored', async () => {
    server.useConfigFile({
      upstreams: [compatible('chat', first, { dialects: ['chat-completions'], models: ['*'] })],
    });
    first.respondAlways(json(JSON.parse(recordings['openai-chat'].json.toString())));
    const { id } = await openai.responses.create({ model: 'm', input: 'Hi' });
    const error = await openai.responses.retrieve(id).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(String(error)).toContain('Translated responses and those with "store": false are not stored');
  });

  it('stored responses are counted as requests, but their tokens only once', async () => {
    const readMetrics = async () => (await server.get('/metrics', { key: metricsToken })).text;
    second.respondAlways(recorded(recordings['openai-responses']));
    const { id } = await create();
    await openai.responses.retrieve(id);
    await expect.poll(readMetrics).toMatch(/gateway_requests_total\{dialect="stored-responses".*"200"\} \d/);
    const text = await readMetrics();
    expect(text).toMatch(/gateway_tokens_total\{dialect="responses"/);
    expect(text).not.toMatch(/gateway_tokens_total\{dialect="stored-responses"/);
  });

  it('a dry run shows where a request for a stored response would go', async () => {
    const { id } = await create();
    const { body } = await server.get(`/api/v1/responses/${id}?include[]=reasoning`, {
      key: apiKey,
      headers: { 'x-presetd-dry-run': 'true' },
    });
    expect(body.data).toMatchObject({
      method: 'GET',
      upstream: 'second',
      url: `${second.url}/responses/resp_b0?include[]=reasoning`,
      body: null,
    });
    expect(sent(second)).toEqual(['POST /v1/responses']);
  });

  it('a request for a stored response is canceled when the client disconnects', async () => {
    const { id } = await create();
    second.respondWith(stall);
    await second.nextExchange();
    const aborter = new AbortController();
    const pending = openai.responses.retrieve(id, {}, { signal: aborter.signal }).catch(() => 'aborted');
    const exchange = await second.nextExchange();
    aborter.abort();
    expect(await pending).toBe('aborted');
    expect(await exchange.ended).toBe('disconnected');
  });
});
