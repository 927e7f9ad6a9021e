import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sealReasoning } from '../../src/dialects/model/sealed-reasoning.ts';
import { input as inputSchema } from '../../src/dialects/responses/conversation.ts';
import {
  compatible,
  type GatewayServer,
  startUpstreams,
  startWithFile,
  upstreamKey,
} from '../support/gateway-server.ts';
import { parseResponseStream, type ResponseEvent } from '../support/open-responses.ts';
import { makeKey, makeWorkspace } from '../support/organizations.ts';
import { connectResponses, type ResponsesClient } from '../support/responses-socket.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { storingResponses } from '../support/storing-upstream.ts';
import { json, upstreamError } from '../support/upstream-scripts.ts';

type Json = Readonly<Record<string, unknown>>;

/** A call to `/responses`, and the response that came of it, or the error. */
// biome-ignore lint/suspicious/noExplicitAny: tests examine responses; a type would assume the result
type Send = (body: object, key?: string) => Promise<{ readonly status: number; readonly response: any }>;

describe('items that an upstream has stored', () => {
  let first: ScriptedUpstream;
  let second: ScriptedUpstream;
  let other: ScriptedUpstream;
  let server: GatewayServer;
  /** A key of another workspace. */
  let elsewhere: string;
  const clients: ResponsesClient[] = [];
  const at = (name: string, upstream: ScriptedUpstream, more: Json = {}) =>
    compatible(name, upstream, {
      dialects: ['responses'],
      models: [`${name}/*`, 'shared'],
      endpoints: ['responses/input_tokens', 'responses/compact'],
      ...more,
    });
  beforeAll(async () => {
    [first, second, other] = (await startUpstreams(3)) as [
      ScriptedUpstream,
      ScriptedUpstream,
      ScriptedUpstream,
    ];
    const translated = { dialects: ['chat-completions'], models: ['chat/*'] };
    server = await startWithFile(
      {
        upstreams: [
          at('first', first),
          at('second', second),
          compatible('chat', other, translated),
          {
            ...compatible('stateless', other, { dialects: ['responses'], models: ['stateless/*'] }),
            kind: 'openrouter',
            api_key_env: 'OPENROUTER_API_KEY',
          },
        ],
      },
      { OPENROUTER_API_KEY: upstreamKey },
    );
    const workspaceId = await makeWorkspace(server, 'elsewhere');
    elsewhere = (await makeKey(server, { workspace_id: workspaceId })).secret;
  });
  beforeEach(() => {
    for (const upstream of [first, second, other]) upstream.clear();
    first.respondAlways(storingResponses('a'));
    second.respondAlways(storingResponses('b'));
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });
  afterAll(async () => {
    await Promise.all([first, second, other].map((upstream) => upstream.stop()));
    await server.stop();
  });

  const post = (body: object, key = apiKey, path = '/api/v1/responses', headers = {}) =>
    server.post(path, { model: 'first/m', input: 'Hi', ...body }, { key, headers });
  const whole: Send = async (body, key) => {
    const { status, body: response } = await post(body, key);
    return { status, response };
  };
  const responseIn = (events: readonly ResponseEvent[]) => {
    const last = events.at(-1);
    if (last.type === 'error') return { status: last.status, response: last };
    const { response } = last;
    // Every event names the items as the response does.
    const ids = events.flatMap(({ item, item_id: id }) => (item || id ? [item?.id ?? id] : []));
    expect(new Set(ids)).toEqual(new Set(response.output.map(({ id }: { id: string }) => id)));
    return { status: 200, response };
  };
  const streamed: Send = async (body, key) => {
    const { status, text, body: response } = await post({ ...body, stream: true }, key);
    return status === 200 ? responseIn(parseResponseStream(`${text}data: [DONE]\n\n`)) : { status, response };
  };
  const overSocket: Send = async (body, key = apiKey) => {
    const client = await connectResponses(server, { authorization: `Bearer ${key}` });
    clients.push(client);
    return responseIn(await client.turn({ model: 'first/m', input: 'Hi', ...body }));
  };
  const onRegularRoute: Send = async (body, key) => {
    const type = { 'content-type': 'application/json; charset=utf-8' };
    const { status, body: response } = await post(body, key, '/api/v1/responses', type);
    return { status, response };
  };
  const ways: readonly (readonly [string, Send])[] = [
    ['whole', whole],
    ['streamed', streamed],
    ['over a WebSocket', overSocket],
    ['on the regular route', onRegularRoute],
  ];

  const reference = (id: unknown) => ({ type: 'item_reference', id });
  const lastInput = ({ requests }: ScriptedUpstream) => requests.at(-1)?.body.input;
  /** The id of the message of a new response. */
  const newItem = async (more: object = {}, key = apiKey): Promise<string> => {
    const { status, response } = await whole(more, key);
    expect(status).toBe(200);
    return response.output.at(-1).id;
  };

  describe.each(ways)('%s', (_, send) => {
    it('an item can be referred to by its signed id, which the upstream never sees', async () => {
      const { response } = await send({});
      const id = response.output[0].id;
      expect(id).toMatch(/^msg_[\w-]{30,}$/);
      const next = await send({ input: [reference(id), { role: 'user', content: 'Why?' }] });
      expect([next.status, next.response.seen]).toEqual([200, ['the secret of msg_a0', 'Why?']]);
      expect(lastInput(first)).toEqual([reference('msg_a0'), { role: 'user', content: 'Why?' }]);
    });

    it('an item that is sent back as a whole has the id that the upstream knows', async () => {
      const { response } = await send({ reasoning: {} });
      const next = await send({ input: response.output });
      expect([next.status, next.response.seen]).toEqual([
        200,
        ['the secret of rs_a0', 'the secret of msg_a0'],
      ]);
      expect(lastInput(first)).toEqual(
        response.output.map((item: Json, index: number) => ({
          ...item,
          id: ['rs_a0', 'msg_a0'][index],
        })),
      );
    });

    it.each<[string, (id: string) => unknown]>([
      ["the upstream's own id", () => reference('msg_a0')],
      ['an id that was changed', (id) => reference(`${id.slice(0, -2)}AA`)],
      ['no id', () => reference(undefined)],
      ['an id of another type', () => reference(['msg_a0'])],
      ['an id without a type', () => ({ id: 'msg_a0' })],
      ['an id with an empty type', () => ({ type: null, id: 'msg_a0' })],
      ['the id of an image', () => ({ type: 'image_generation_call', id: 'msg_a0', status: 'completed' })],
    ])('an item cannot be referred to by %s', async (_title, refer) => {
      const id = await newItem();
      const { length } = first.requests;
      const { status, response } = await send({ input: ['Hi', refer(id)] });
      expect([status, response.error.message]).toEqual([
        400,
        expect.stringMatching(/^The item .* cannot be used: nothing stored for this workspace has this id/),
      ]);
      expect(response.error.message).toContain('Send the item itself, as SDKs do with "store": false.');
      expect(response.error.param).toBe('input[1]');
      expect(first.requests).toHaveLength(length);
    });

    it('an item of another workspace cannot be referred to', async () => {
      const theirs = await newItem({}, elsewhere);
      expect((await send({ input: [reference(theirs)] })).status).toBe(400);
      expect((await send({ input: [reference(theirs)] }, elsewhere)).status).toBe(200);
    });

    it.each(['conv_1', { id: 'conv_1' }, {}, 1])('the conversation %j is rejected', async (conversation) => {
      const { status, response } = await send({ conversation });
      expect([status, response.error.message]).toEqual([
        400,
        expect.stringContaining('/conversation is not supported'),
      ]);
      expect(first.requests).toEqual([]);
    });

    it.each([null, ''])('a conversation of %j is none', async (conversation) => {
      expect((await send({ conversation })).status).toBe(200);
    });
  });

  describe.each(['input_tokens', 'compact'])('calls to /responses/%s', (endpoint) => {
    const path = `/api/v1/responses/${endpoint}`;

    it('can refer to items', async () => {
      const id = await newItem();
      expect((await post({ input: [reference(id)] }, apiKey, path)).status).toBe(200);
      expect(lastInput(first)).toEqual([reference('msg_a0')]);
    });

    it('cannot refer to items of another workspace, or to conversations', async () => {
      const id = await newItem();
      for (const body of [{ input: [reference(id)] }, { conversation: 'conv_1' }])
        expect((await post(body, elsewhere, path)).status).toBe(400);
      expect(first.requests).toHaveLength(1);
    });
  });

  it('compacting a conversation at an upstream that cannot do it resolves references too', async () => {
    const id = await newItem();
    const upstreams = [at('first', first, { endpoints: [] })];
    server.useConfigFile({ upstreams });
    const path = '/api/v1/responses/compact';
    const { status } = await post({ input: [reference(id)] }, apiKey, path);
    expect([status, lastInput(first)[0]]).toEqual([200, reference('msg_a0')]);
    expect((await post({ input: [reference('msg_a0')] }, apiKey, path)).status).toBe(400);
  });

  describe('routing', () => {
    it('a call that refers to an item goes to the upstream that has it', async () => {
      const id = await newItem({ model: 'second/m' });
      const { headers } = await post({ model: 'shared', input: [reference(id)] });
      expect(headers.get('x-presetd-upstream')).toBe('second');
      expect(first.requests).toEqual([]);
    });

    it('a call cannot refer to items of two upstreams', async () => {
      const input = [reference(await newItem()), reference(await newItem({ model: 'second/m' }))];
      const { status, body } = await post({ model: 'shared', input });
      expect([status, body.error.message, body.error.metadata.issues]).toEqual([
        400,
        expect.stringContaining(
          'it is stored at the upstream "second", but an earlier reference is stored at "first"',
        ),
        [{ path: '/input/1', message: 'must refer to an item of a stored response' }],
      ]);
    });

    it('a call cannot refer to an item of an upstream that does not serve its model', async () => {
      const { status, body } = await post({ model: 'second/m', input: [reference(await newItem())] });
      expect([status, body.error.message]).toEqual([
        400,
        expect.stringContaining('stored at the upstream "first", which does not serve the model "second/m"'),
      ]);
    });

    it('a call cannot refer to an item of an upstream that is gone', async () => {
      const id = await newItem();
      server.useConfigFile({ upstreams: [at('second', second)] });
      const { status, body } = await post({ model: 'second/m', input: [reference(id)] });
      expect([status, body.error.message]).toEqual([
        400,
        expect.stringContaining('its upstream "first" is no longer configured'),
      ]);
    });

    it.each(['chat/m', 'stateless/m'])(
      'the model %s of an upstream without stored items has none',
      async (model) => {
        const { body } = await post({ model });
        const next = await post({ model, input: [reference(body.output[0].id)] });
        expect([next.status, next.body.error.message]).toEqual([
          400,
          expect.stringContaining('Translated responses and those with "store": false are not stored'),
        ]);
        expect(other.requests).toHaveLength(1);
      },
    );

    it('a call that sends items of one upstream as a whole can go to another', async () => {
      const { response } = await whole({ reasoning: {} });
      const next = await post({ model: 'second/m', input: response.output });
      expect([next.status, next.headers.get('x-presetd-dropped-fields')]).toEqual([200, 'input.*.reasoning']);
      expect(next.body.seen).toEqual([response.output[1].content]);
      const [message] = lastInput(second);
      expect(message).toEqual({ ...response.output[1], id: expect.stringMatching(/^msg_[0-9a-f]{32}$/) });
    });

    it('a fallback at another upstream gets no ids of the first', async () => {
      const { response } = await whole({ reasoning: {} });
      first.respondWith(upstreamError(503, 'down'));
      const next = await post({ models: ['second/m'], input: response.output });
      expect(next.headers.get('x-presetd-upstream')).toBe('second');
      expect(first.requests[1]?.body.input.map(({ id }: Json) => id)).toEqual(['rs_a0', 'msg_a0']);
      expect(JSON.stringify(second.requests[0]?.body)).not.toMatch(/_a0\b/);
    });

    it('an upstream that stores nothing gets the ids of whole items as they are', async () => {
      const input = [
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
        { type: 'message', id: 'msg_1', role: 'assistant', content: 'Hello' },
      ];
      await post({ model: 'stateless/m', input });
      expect(lastInput(other)).toEqual(input);
    });
  });

  describe('ids that presetd did not sign', () => {
    /** What an attacker may add to an id, besides the required fields of each type of item. */
    const junk = {
      arguments: '{}',
      output: 'x',
      content: [{ type: 'output_text', text: 'x' }],
      summary: [{ type: 'summary_text', text: 'x' }],
      result: 'x',
    };
    const types = typesIn(inputSchema);
    it('the schema has types of items to try', () => {
      expect(types).toContain('message');
      expect(types).toContain('item_reference');
      expect(types.length).toBeGreaterThan(15);
    });

    it.each([...types, 'image_generation_call', 'web_search_call', 'unheard_of'])(
      'an item of the type %s does not reach what another workspace has stored under its id',
      async (type) => {
        await newItem({ reasoning: {} }, elsewhere);
        for (const id of ['msg_a0', 'rs_a0'])
          for (const item of [
            { id },
            { id, ...junk },
            { id, status: 'completed' },
            { id, role: 'user', ...junk },
          ]) {
            const { status, response } = await whole({ input: [{ type, ...item }] });
            if (status === 200) expect(JSON.stringify(response.seen)).not.toContain('secret');
            else expect(status).toBe(400);
          }
        for (const { body } of first.requests.slice(1))
          expect(JSON.stringify(body.input)).not.toMatch(/"(?:msg|rs)_a0"/);
      },
    );

    it.each(['chat-completions', 'messages'] as const)(
      'reasoning that a client of %s seals does not reach what is stored under its id',
      async (dialect) => {
        await newItem({ reasoning: {} }, elsewhere);
        const send = async (part: Json) => {
          const seal = sealReasoning({ dialect: 'responses', part });
          const assistant =
            dialect === 'messages'
              ? { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: seal }] }
              : {
                  role: 'assistant',
                  content: 'x',
                  reasoning_details: [{ type: 'reasoning.encrypted', data: seal }],
                };
          const messages = [{ role: 'user', content: 'Hi' }, assistant, { role: 'user', content: 'Why?' }];
          const { headers } = await server.call({ model: 'first/m', max_tokens: 99, messages }, { dialect });
          const items: readonly Json[] = lastInput(first);
          return {
            reasoning: items.find(({ type }) => type === 'reasoning'),
            dropped: headers.get('x-presetd-dropped-fields'),
          };
        };
        const part = { type: 'reasoning', id: 'rs_a0', summary: [] };
        const content = [{ type: 'reasoning_text', text: 'x' }];
        expect(await send({ ...part, content })).toEqual({
          reasoning: { ...part, content, id: expect.stringMatching(/^rs_[0-9a-f]{32}$/) },
          dropped: null,
        });
        expect(await send({ ...part, encrypted_content: '' })).toEqual({
          reasoning: undefined,
          dropped: 'input.*.reasoning',
        });
      },
    );

    it('an item gets the same id in every turn, and another in each workspace', async () => {
      const input = [{ type: 'message', id: 'msg_1', role: 'assistant', content: 'x' }];
      for (const key of [apiKey, apiKey, elsewhere]) await post({ input }, key);
      const [one, two, three] = first.requests.map(({ body }) => body.input[0].id);
      expect([one, three]).toEqual([two, expect.stringMatching(/^msg_[0-9a-f]{32}$/)]);
      expect(three).not.toBe(one);
    });

    it('an approval keeps referring to its request', async () => {
      const input = [
        { type: 'mcp_approval_request', id: 'approval_1', server_label: 's', name: 'n', arguments: '{}' },
        { type: 'mcp_approval_response', approval_request_id: 'approval_1', approve: true },
      ];
      await post({ input, store: false });
      const [request, response] = lastInput(first);
      expect(request.id).toMatch(/^approval_[0-9a-f]{32}$/);
      expect(response.approval_request_id).toBe(request.id);
    });

    it('an id that is signed for an approval is the one that the upstream knows', async () => {
      first.respondWith(
        json({ id: 'resp_9', output: [{ type: 'mcp_approval_request', id: 'approval_9', name: 'n' }] }),
      );
      const { response } = await whole({});
      const { id } = response.output[0];
      const approval = { type: 'mcp_approval_response', approval_request_id: id, approve: true };
      await post({ input: [reference(id), approval] });
      expect(lastInput(first)).toEqual([
        reference('approval_9'),
        { ...approval, approval_request_id: 'approval_9' },
      ]);
    });

    it.each(['reasoning', 'compaction'])(
      'the id of encrypted content of the type %s stays, because providers check it',
      async (type) => {
        const input = [{ type, id: 'rs_1', summary: [], encrypted_content: 'gAAAA' }];
        await post({ input });
        expect(lastInput(first)).toEqual(input);
      },
    );

    it('encrypted content of a stored response has the id that the upstream knows', async () => {
      const { response } = await whole({ reasoning: {} });
      const [reasoning] = response.output;
      const input = [{ ...reasoning, encrypted_content: 'gAAAA' }];
      for (const [model, upstream] of [
        ['first/m', first],
        ['second/m', second],
      ] as const) {
        await post({ model, input });
        expect(lastInput(upstream)).toEqual([{ ...input[0], id: 'rs_a0' }]);
      }
    });

    it('reasoning with content gets another id', async () => {
      const input = [{ type: 'reasoning', id: 'rs_a0', content: [{ type: 'reasoning_text', text: 'Hm.' }] }];
      await post({ input });
      expect(lastInput(first)).toEqual([{ ...input[0], id: expect.stringMatching(/^rs_[0-9a-f]{32}$/) }]);
    });

    it('reasoning that is only an id is dropped, and the response says so', async () => {
      const user = { role: 'user', content: 'Why?' };
      const summary = [{ type: 'summary_text', text: 'Hm.' }];
      for (const item of [
        { summary: [] },
        { summary },
        { summary, content: null },
        { encrypted_content: '' },
      ]) {
        const { status, headers } = await post({ input: [{ type: 'reasoning', id: 'rs_1', ...item }, user] });
        expect([status, headers.get('x-presetd-dropped-fields')]).toEqual([200, 'input.*.reasoning']);
        expect(lastInput(first)).toEqual([user]);
      }
    });

    it('items without an id stay as they are, and so do the bytes of the request', async () => {
      const text =
        '{"model":"first/m", "input":[{"role":"user","content":"Hi"},{"type":"reasoning","summary":[]},7,null]}';
      await server.post('/api/v1/responses', text);
      expect(first.requests[0]?.bytes.toString()).toBe(text);
    });
  });

  it.each([true, false])(
    'errors of the upstream quote the ids that the client knows (store: %s)',
    async (store) => {
      const id = await newItem();
      const input = [reference(id), { type: 'message', id: 'msg_mine', role: 'assistant', content: 'x' }];
      first.respondWith(({ request, ...exchange }) => {
        const [one, two] = request.body.input;
        return json(
          { error: { message: `${one.id} and ${two.id} are odd.` } },
          400,
        )({ request, ...exchange });
      });
      expect((await post({ input, store })).body.error.message).toBe(`${id} and msg_mine are odd.`);
    },
  );

  it('several unknown items are listed', async () => {
    const { body } = await post({ input: [reference('msg_1'), 'Hi', reference('msg_2')] });
    expect(body.error.metadata.issues).toEqual([
      { path: '/input/0', message: 'must refer to an item of a stored response' },
      { path: '/input/2', message: 'must refer to an item of a stored response' },
    ]);
  });

  it('a request with more than 10,000 ids is rejected', async () => {
    const input = Array.from({ length: 10_001 }, (_, index) => reference(`msg_${index}`));
    const { status, body } = await post({ input });
    expect([status, body.error.metadata.issues]).toEqual([
      400,
      [{ path: '/input', message: 'must have at most 10000 ids of items' }],
    ]);
    const most = await post({ input: input.slice(1) });
    expect([most.status, most.body.error.metadata.issues.length]).toEqual([400, 50]);
  });

  it('items of responses that are not stored keep their ids', async () => {
    const { response } = await whole({ store: false });
    expect(response.output[0].id).toBe('msg_a0');
  });

  it('an item has the same id when its response is retrieved', async () => {
    const { response } = await whole({ reasoning: {} });
    const { body } = await server.get(`/api/v1/responses/${response.id}`, { key: apiKey });
    expect(body.output).toEqual(response.output);
  });

  it('a dry run shows the ids that the upstream would get', async () => {
    const id = await newItem();
    const { body } = await post({ input: [reference(id)] }, apiKey, '/api/v1/responses', {
      'x-presetd-dry-run': 'true',
    });
    expect(body.data).toMatchObject({ upstream: 'first', body: { input: [reference('msg_a0')] } });
  });

  describe('a response to compare the prompt cache with', () => {
    const compare = (id: unknown) => ({
      prompt_cache_options: { mode: 'implicit', comparison_response_id: id },
    });

    it('is named by its signed id, which the upstream never sees', async () => {
      const { response } = await whole({});
      first.respondWith(json({ id: 'resp_9', output: [], ...compare('resp_a0') }));
      const next = await whole(compare(response.id));
      expect(first.requests.at(-1)?.body.prompt_cache_options).toEqual(
        compare('resp_a0').prompt_cache_options,
      );
      expect(next.response.prompt_cache_options).toEqual(compare(response.id).prompt_cache_options);
    });

    it('is unknown in another workspace, and by any other id', async () => {
      const { response } = await whole({});
      for (const [id, key] of [
        [response.id, elsewhere],
        ['resp_a0', apiKey],
        [7, apiKey],
      ]) {
        const { status, body } = await post(compare(id), key);
        expect([status, body.error.metadata.issues]).toEqual([
          400,
          [
            {
              path: '/prompt_cache_options/comparison_response_id',
              message: 'must be the id of a stored response',
            },
          ],
        ]);
      }
      expect((await whole(compare(null))).status).toBe(200);
    });
  });

  describe('keys that are limited to presets', () => {
    beforeAll(async () => {
      for (const slug of ['one', 'two']) await server.capture(slug, { model: 'first/m' }, 'responses');
    });
    const through = (preset: string, more: object = {}) => ({ model: `@preset/${preset}`, ...more });

    it.each(ways)('refer to items of their presets only: %s', async (_, send) => {
      const { secret } = await makeKey(server, { presets: ['one'], scope: 'call' });
      const own = await newItem(through('one'), secret);
      const items = [await newItem(through('two')), await newItem()];
      expect((await send(through('one', { input: [reference(own)] }), secret)).status).toBe(200);
      for (const id of items) {
        const { status, response } = await send(through('one', { input: [reference(id)] }), secret);
        expect([status, response.error.message]).toEqual([
          400,
          expect.stringContaining(
            'is limited to presets, and not all of the conversation came through these',
          ),
        ]);
      }
    });

    it('send items of other presets as a whole, without reaching what is stored', async () => {
      const { secret } = await makeKey(server, { presets: ['one'], scope: 'call' });
      const { response } = await whole(through('two', { reasoning: {} }));
      const next = await whole(through('one', { input: response.output }), secret);
      expect(next.response.seen).toEqual([response.output[1].content]);
    });

    it('cannot continue a response that refers to an item of another preset', async () => {
      const { secret } = await makeKey(server, { presets: ['one'], scope: 'call' });
      for (const item of [await newItem(through('two')), await newItem()]) {
        const { response } = await whole(through('one', { input: [reference(item)] }));
        const next = await whole(through('one', { previous_response_id: response.id }), secret);
        expect(next.status).toBe(400);
      }
    });
  });
});

/** The types that a union of objects can have. */
function typesIn(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(typesIn);
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties, ...others } = schema as { properties?: { type?: object } };
  const type: { const?: unknown; enum?: readonly unknown[]; anyOf?: readonly object[] } =
    properties?.type ?? {};
  const own = [type, ...(type.anyOf ?? [])].flatMap((each: typeof type) => each.enum ?? [each.const]);
  return [
    ...new Set([
      ...own.filter((each) => typeof each === 'string'),
      ...Object.values(others).flatMap(typesIn),
    ]),
  ];
}
