import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compatible, type GatewayServer, startUpstreams, startWithFile } from '../support/gateway-server.ts';
import { makeKey } from '../support/organizations.ts';
import { connectResponses, type ResponsesClient } from '../support/responses-socket.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { storingResponses } from '../support/storing-upstream.ts';

/** What came of a request that continues a response. */
interface Outcome {
  readonly status: number;
  readonly message: string | undefined;
}

const issues = [{ path: '/previous_response_id', message: 'must be the id of a stored response' }];

describe('stored responses and keys that are limited to presets', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  /** Limited to the presets `one`, and `one` and `two`. */
  let ofOne: string;
  let ofBoth: string;
  const clients: ResponsesClient[] = [];
  beforeAll(async () => {
    [upstream] = (await startUpstreams(1)) as [ScriptedUpstream];
    server = await startWithFile({
      upstreams: [
        compatible('storing', upstream, {
          dialects: ['responses'],
          models: ['m'],
          endpoints: ['responses/input_tokens', 'responses/compact'],
        }),
      ],
    });
    for (const slug of ['one', 'two', 'three']) await server.capture(slug, { model: 'm' }, 'responses');
    ofOne = (await makeKey(server, { presets: ['one'], scope: 'call' })).secret;
    ofBoth = (await makeKey(server, { presets: ['one', 'two'], scope: 'call' })).secret;
  });
  beforeEach(() => {
    upstream.clear();
    upstream.respondAlways(storingResponses('s'));
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });
  afterAll(async () => {
    await upstream.stop();
    await server.stop();
  });

  const respond = (body: object, key: string, path = '/api/v1/responses') =>
    server.post(path, { input: 'Hi', ...body }, { key });
  /** The id of a response that a preset creates, or without a name a model. */
  const create = async (preset?: string, previous: string | null = null, key = apiKey): Promise<string> => {
    const model = preset === undefined ? 'm' : `@preset/${preset}`;
    const { status, text, body } = await respond({ model, previous_response_id: previous }, key);
    expect([status, text]).toEqual([200, expect.any(String)]);
    return body.id;
  };

  const post = async (body: object, key: string, path?: string): Promise<Outcome> => {
    const { status, body: response } = await respond(body, key, path);
    if (status !== 200) expect(response.error.metadata.issues).toEqual(issues);
    return { status, message: response?.error?.message };
  };
  const sendOverSocket = async (body: object, key: string): Promise<Outcome> => {
    const client = await connectResponses(server, { authorization: `Bearer ${key}` });
    clients.push(client);
    const last = (await client.turn({ input: 'Hi', ...body })).at(-1);
    if (last.type === 'response.completed') return { status: 200, message: undefined };
    expect(last.error).toMatchObject({
      code: 'previous_response_not_found',
      param: 'previous_response_id',
    });
    return { status: last.status, message: last.error.message };
  };

  describe.each<[string, (body: object, key: string) => Promise<Outcome>]>([
    ['in a whole response', post],
    ['in a stream', (body, key) => post({ ...body, stream: true }, key)],
    ['without storing the next one', (body, key) => post({ ...body, store: false }, key)],
    ['to count tokens', (body, key) => post(body, key, '/api/v1/responses/input_tokens')],
    ['to compact it', (body, key) => post(body, key, '/api/v1/responses/compact')],
    ['over a WebSocket', sendOverSocket],
  ])('continuing a response %s', (_, send) => {
    const through = (preset: string, previous: string, key: string) =>
      send({ model: `@preset/${preset}`, previous_response_id: previous }, key);
    const refused = async (preset: string, previous: string, key: string) => {
      const { length } = upstream.requests;
      const { status, message } = await through(preset, previous, key);
      expect([status, message]).toEqual([400, expect.stringContaining('is limited to presets')]);
      expect(upstream.requests).toHaveLength(length);
    };
    const allowed = async (preset: string, previous: string, key: string) => {
      expect(await through(preset, previous, key)).toEqual({ status: 200, message: undefined });
      expect(upstream.requests.at(-1)?.body.previous_response_id).toMatch(/^resp_s\d$/);
    };

    it('is possible for a limited key if its preset created the response', async () => {
      await allowed('one', await create('one', null, ofOne), ofOne);
      await allowed('one', await create('one'), ofOne);
    });

    it('is possible for a limited key through any of its presets', async () => {
      await allowed('two', await create('one', null, ofBoth), ofBoth);
      await allowed('one', await create('two'), ofBoth);
    });

    it('is possible for a limited key if all of the conversation came through its presets', async () => {
      const both = await create('two', await create('one'));
      await allowed('two', both, ofBoth);
      await allowed('one', await create('one', both), ofBoth);
    });

    it('is impossible for a limited key if another preset created the response', async () => {
      await refused('one', await create('two'), ofOne);
      await refused('two', await create('three'), ofBoth);
    });

    it('is impossible for a limited key if no preset created the response', async () => {
      await refused('one', await create(), ofOne);
      await refused('one', await create(undefined, await create('one')), ofOne);
    });

    it('is impossible for a limited key if the conversation began elsewhere', async () => {
      await refused('one', await create('one', await create('two')), ofOne);
      await refused('one', await create('one', await create('two', await create('one'))), ofOne);
      await refused('one', await create('one', await create()), ofOne);
    });

    it('is possible for other keys whatever created the response', async () => {
      for (const id of [await create(), await create('one'), await create('two', await create('one'))])
        await allowed('three', id, apiKey);
    });
  });

  it('a limited key continues responses of a preset that has another name by now', async () => {
    await server.capture('before', { model: 'm' }, 'responses');
    const { secret } = await makeKey(server, { presets: ['before', 'two'], scope: 'call' });
    const id = await create('before');
    const { status } = await server.send('PATCH', '/api/v1/presets/before', { slug: 'after' });
    expect(status).toBe(200);
    await create('before', id, secret);
    await create('two', id, secret);
    await create('before', await create('after'), secret);
  });

  it('a limited key cannot continue responses of a preset that took the name of another', async () => {
    await server.capture('first', { model: 'm' }, 'responses');
    const { secret } = await makeKey(server, { presets: ['first', 'one'], scope: 'call' });
    const id = await create('first');
    await server.send('PATCH', '/api/v1/presets/first', { slug: 'moved' });
    await server.send('DELETE', '/api/v1/presets/moved/aliases/first');
    await server.capture('first', { model: 'm' }, 'responses');
    for (const model of ['@preset/first', '@preset/one'])
      expect((await post({ model, previous_response_id: id }, secret)).status).toBe(400);
  });

  it.each([
    ['disabled', (slug: string) => server.send('PATCH', `/api/v1/presets/${slug}`, { status: 'disabled' })],
    ['archived', (slug: string) => server.send('DELETE', `/api/v1/presets/${slug}`)],
  ])('a limited key cannot continue responses of a preset that is %s', async (state, change) => {
    const slug = `soon-${state}`;
    await server.capture(slug, { model: 'm' }, 'responses');
    const { secret } = await makeKey(server, { presets: [slug, 'one'], scope: 'call' });
    const id = await create(slug);
    await create('one', id, secret);
    expect((await change(slug)).status).toBe(200);
    expect((await post({ model: '@preset/one', previous_response_id: id }, secret)).status).toBe(400);
  });

  it('a limited key cannot continue responses of a draft', async () => {
    const draft = { dialect: 'responses', request: { model: 'm' } };
    const { body } = await respond({ model: '@preset/one', presetd: { draft } }, apiKey);
    expect((await post({ model: '@preset/one', previous_response_id: body.id }, ofOne)).status).toBe(400);
  });

  it('no limited key continues a conversation that came through more than eight presets', async () => {
    const presets = Array.from({ length: 9 }, (_, index) => `part-${index}`);
    for (const slug of presets) await server.capture(slug, { model: 'm' }, 'responses');
    const { secret } = await makeKey(server, { presets, scope: 'call' });
    let id = await create(presets[0], null, secret);
    for (const slug of presets.slice(1)) id = await create(slug, id, secret);
    expect((await post({ model: '@preset/part-0', previous_response_id: id }, secret)).status).toBe(400);
    await create('part-0', id);
  });

  it.each([
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/cancel'],
    ['GET', '/input_items'],
  ])('a limited key cannot %s /responses/{id}%s, even of its own preset', async (method, action) => {
    const id = await create('one', null, ofOne);
    const { status } = await server.send(method, `/api/v1/responses/${id}${action}`, undefined, {
      key: ofOne,
    });
    expect(status).toBe(403);
    expect(upstream.requests).toHaveLength(1);
  });

  it.each(['one', 'two'])(
    'a response that continues one of the preset %s has the same ids when it is retrieved',
    async (other) => {
      const first = await create(other, await create('one'));
      const second = await create('one', first);
      const { body } = await server.get(`/api/v1/responses/${second}`, { key: apiKey });
      expect([body.id, body.previous_response_id]).toEqual([second, first]);
    },
  );

  it('a response that is retrieved names no previous response that limited keys could continue by mistake', async () => {
    const mixed = await create('two', await create('one'));
    const { body } = await server.get(`/api/v1/responses/${mixed}`, { key: apiKey });
    const previous = { model: '@preset/one', previous_response_id: body.previous_response_id };
    expect((await post(previous, ofOne)).status).toBe(400);
    expect((await post(previous, ofBoth)).status).toBe(200);
  });
});
