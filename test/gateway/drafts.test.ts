import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Issue } from '../../src/core/errors.ts';
import type { Dialect } from '../../src/core/presets/preset.ts';
import {
  type CallOptions,
  compatible,
  type GatewayServer,
  startUpstreams,
  startWithFile,
} from '../support/gateway-server.ts';
import { makeKey, makeMember } from '../support/organizations.ts';
import { connectResponses } from '../support/responses-socket.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { managementKey, type TestResponse } from '../support/server.ts';
import { makeSession, ofSession } from '../support/sessions.ts';
import { dialects, pathOf } from '../support/wire/recordings.ts';

type Body = Readonly<Record<string, unknown>>;

const metricsToken = 'a-token-for-metrics';
const prompt = 'Answer {{customer}} in a {{tone}} tone. Keep { braces }.';
const description = 'Finds orders of {{customer}}.';
const parameters = { type: 'object', properties: { id: { type: 'string' } } };
const presetd = {
  note: 'Not saved yet',
  designate: false,
  variables: { customer: { type: 'string' }, tone: { type: 'string', default: 'casual' } },
  messages: [
    { role: 'user', content: 'I am {{customer}}.' },
    { role: 'assistant', content: 'Hello!' },
  ],
  policy: {
    system_prompt: 'prepend',
    locked: ['top_p'],
    limits: { max_tokens: 60, temperature: 0.5 },
  },
};

/** A request of each dialect, to save or to run as a draft. */
const drafts: Readonly<Record<Dialect, Body>> = {
  'chat-completions': {
    temperature: 0.25,
    max_completion_tokens: 50,
    seed: 7,
    stop: ['END'],
    user: 'never saved',
    messages: [{ role: 'system', content: prompt }],
    tools: [{ type: 'function', function: { name: 'find', description, parameters } }],
    presetd,
  },
  messages: {
    max_tokens: 50,
    stop_sequences: ['END'],
    system: prompt,
    messages: [],
    tools: [{ name: 'find', description, input_schema: parameters, cache_control: { type: 'ephemeral' } }],
    presetd,
  },
  responses: {
    max_output_tokens: 50,
    reasoning: { effort: 'low' },
    instructions: prompt,
    tools: [{ type: 'function', name: 'find', description, parameters, strict: null }],
    presetd,
  },
};

const question = { role: 'user', content: 'Is it late?' };
const ownTool = { name: 'own', description: 'Not a {{template}}.' };

/** Calls that override some of the preset, within and beyond its policy. */
const calls: Readonly<Record<Dialect, Body>> = {
  'chat-completions': {
    messages: [{ role: 'system', content: 'Rhyme.' }, question],
    temperature: 1,
    top_p: 0.1,
    tools: [{ type: 'function', function: { ...ownTool, parameters } }],
  },
  messages: {
    system: 'Rhyme.',
    messages: [question],
    max_tokens: 900,
    top_p: 0.1,
    tools: [{ ...ownTool, input_schema: parameters }],
  },
  responses: {
    instructions: 'Rhyme.',
    input: 'Is it late?',
    store: false,
    top_p: 0.1,
    tools: [{ type: 'function', ...ownTool, parameters, strict: null }],
  },
};

describe('a call with a draft', () => {
  let upstreams: Readonly<Record<Dialect, ScriptedUpstream>>;
  let server: GatewayServer;
  beforeAll(async () => {
    const started = await startUpstreams(dialects.length);
    upstreams = Object.fromEntries(dialects.map((dialect, at) => [dialect, started[at]])) as typeof upstreams;
    server = await startWithFile(
      {
        upstreams: dialects.map((dialect) =>
          compatible(dialect, upstreams[dialect], { dialects: [dialect], models: [`${dialect}/*`] }),
        ),
      },
      { PRESETD_METRICS_TOKEN: metricsToken, PRESETD_BODY_LIMIT: '4MiB' },
    );
    await server.capture('live', { ...plain, temperature: 0.75 }, 'responses');
    await server.send('PUT', '/api/v1/presets/live/aliases/nickname');
    for (const slug of ['off', 'gone']) await server.capture(slug, plain, 'responses');
    await server.send('PATCH', '/api/v1/presets/off', { status: 'disabled' });
    await server.send('DELETE', '/api/v1/presets/gone');
  });
  beforeEach(() => {
    for (const upstream of Object.values(upstreams)) upstream.clear();
  });
  afterAll(async () => {
    await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
    await server.stop();
  });

  const plain = { model: 'chat-completions/m' };
  const hello = { messages: [{ role: 'user', content: 'Hello' }] };
  const draftOf = (request: unknown, dialect: Dialect = 'responses') => ({ draft: { dialect, request } });
  const runDraft = (request: unknown, more: Body = {}, options: CallOptions = {}) =>
    server.call({ preset: 'planned', ...hello, presetd: draftOf(request), ...more }, options);
  const sent = () => Object.values(upstreams).flatMap(({ requests }) => requests);
  const issuesOf = ({ body }: TestResponse): readonly Issue[] => body.error.metadata?.issues ?? [];
  /** Errors of messages calls have no field for issues. */
  const expectIssues = (response: TestResponse, dialect: Dialect, expected: readonly Issue[]) => {
    expect([response.status, response.text]).toEqual([400, expect.any(String)]);
    if (dialect !== 'messages') expect(issuesOf(response)).toEqual(expected);
    for (const { path, message } of dialect === 'messages' ? expected : expected.slice(0, 1))
      expect(response.body.error.message).toContain(`${path} ${message}`);
  };
  const named = ({ status, headers }: TestResponse) => [status, headers.get('x-presetd-preset')];

  describe.each(dialects)('a draft in %s', (drafted) => {
    describe.each(dialects)('a %s call with the draft', (dialect) => {
      it.each(dialects)('sends a %s upstream the same request as the saved version', async (target) => {
        const slug = `saved-${drafted}-${dialect}-${target}`;
        const request = { ...drafts[drafted], model: `${target}/m` };
        const call = { ...calls[dialect], prompt: { id: slug, variables: { customer: 'Ada "A" {{tone}}' } } };
        const exchange = async (more: Body, headers = {}) => {
          upstreams[target].clear();
          const response = await server.call({ ...call, ...more }, { dialect, headers });
          expect([response.status, response.text]).toEqual([200, expect.any(String)]);
          return {
            preset: response.headers.get('x-presetd-preset'),
            dropped: response.headers.get('x-presetd-dropped-fields'),
            overridden: response.headers.get('x-presetd-overridden-fields'),
            sent: sent().map(({ path, bytes }) => [path, bytes.toString()]),
          };
        };
        const ways = [{}, { stream: true }];
        const dryRun = { 'x-presetd-dry-run': 'true' };
        const draft = { presetd: draftOf(request, drafted) };
        const fromDraft = [];
        for (const way of ways) fromDraft.push(await exchange({ ...way, ...draft }));
        const shown = await server.call({ ...call, ...draft }, { dialect, headers: dryRun });

        await server.capture(slug, request, drafted);
        const fromVersion = [];
        for (const way of ways) fromVersion.push(await exchange(way));
        expect(fromDraft).toEqual(fromVersion.map((each) => ({ ...each, preset: `${slug}@draft` })));
        expect(fromVersion.map((each) => [each.preset, each.sent.length])).toEqual(
          ways.map(() => [`${slug}@1`, 1]),
        );
        const [, bytes = ''] = fromVersion[0]?.sent[0] ?? [];
        for (const text of ['Answer Ada', 'Rhyme.', 'I am Ada', 'Finds orders of Ada', 'Not a {{template}}.'])
          expect(bytes).toContain(text);
        expect(bytes).not.toMatch(/presetd|top_p|never saved/);

        const expected = await server.call(call, { dialect, headers: dryRun });
        expect(shown.text).toBe(expected.text.replace(`"${slug}@1"`, `"${slug}@draft"`));
        expect(shown.text).toContain(`"preset":"${slug}@draft"`);
      });
    });
  });

  it('keeps all digits of its numbers', async () => {
    const draft =
      '{"dialect":"chat-completions","request":{"seed":12345678901234567890,"messages":[{"role":"user","content":""}]}}';
    const { status } = await server.call(
      `{"model":"chat-completions/m@preset/planned","messages":[],"presetd":{"draft":${draft}}}`,
    );
    expect([status, sent()[0]?.bytes.toString()]).toEqual([
      200,
      expect.stringContaining('"seed":12345678901234567890'),
    ]);
  });

  it.each([
    [{ model: '@preset/planned' }, 'planned', 'm'],
    [{ preset: 'planned' }, 'planned', 'm'],
    [{ prompt: { id: 'planned' } }, 'planned', 'm'],
    [{ model: 'chat-completions/other@preset/planned' }, 'planned', 'other'],
    [{ model: '@preset/live' }, 'live', 'm'],
    [{ model: '@preset/nickname' }, 'live', 'm'],
  ])('may name any preset, whether or not it exists: %j', async (reference, slug, model) => {
    const response = await runDraft(plain, { preset: undefined, ...reference });
    expect(named(response)).toEqual([200, `${slug}@draft`]);
    // Nothing comes from the live version, which has a temperature.
    expect(sent()[0]?.body).toEqual({ model: `chat-completions/${model}`, ...hello });
  });

  it('a run stores nothing', async () => {
    const before = await server.get('/api/v1/export', { key: managementKey });
    for (const preset of ['planned', 'live']) expect((await runDraft(plain, { preset })).status).toBe(200);
    expect((await server.get('/api/v1/presets/planned')).status).toBe(404);
    const withoutTime = ({ text }: TestResponse) => text.replaceAll(/"exported_at":"[^"]*"/g, '');
    expect(withoutTime(await server.get('/api/v1/export'))).toBe(withoutTime(before));
  });

  it.each([
    [{ model: '@preset/live@1' }, 'live@1'],
    [{ preset: 'live:latest' }, 'live:latest'],
    [{ prompt: { id: 'live', version: '1' } }, 'live@1'],
    [{ model: '@preset/planned@1' }, 'planned@1'],
  ])('a draft cannot pin a version: %j', async (reference, pinned) => {
    const response = await runDraft(plain, { preset: undefined, ...reference });
    expect(response.status).toBe(400);
    expect(issuesOf(response)).toEqual([
      {
        path: '/presetd/draft',
        message: `takes the place of a version, but the request asks for ${pinned}; name the preset without a version`,
      },
    ]);
    expect(sent()).toEqual([]);
  });

  it('must name a preset', async () => {
    for (const model of ['chat-completions/m', undefined]) {
      const response = await runDraft(plain, { preset: undefined, model });
      expect([response.status, issuesOf(response)]).toEqual([
        400,
        [
          {
            path: '/presetd/draft',
            message:
              'needs the name of a preset, which need not exist; add it in /model, /preset or /prompt/id',
          },
        ],
      ]);
    }
  });

  it.each([
    ['off', 403, 'is disabled'],
    ['gone', 404, 'is archived'],
  ])('is rejected like any other call if the preset is %s', async (preset, status, words) => {
    const response = await runDraft(plain, { preset });
    expect([response.status, response.text]).toEqual([status, expect.stringContaining(words)]);
    expect(sent()).toEqual([]);
  });

  it.each<[unknown, string, string]>([
    [null, '', 'must be an object'],
    ['live', '', 'must be an object'],
    [[], '', 'must be an object'],
    [{ request: plain }, '/dialect', 'is required'],
    [{ dialect: 'responses' }, '/request', 'is required'],
    [
      { dialect: 'completions', request: plain },
      '/dialect',
      'must be "chat-completions", "messages" or "responses"',
    ],
    [{ dialect: 'responses', request: 'text' }, '/request', 'must be an object'],
    [{ dialect: 'responses', request: null }, '/request', 'must be an object'],
    [{ dialect: 'responses', request: plain, version: 3 }, '/version', 'is not a known field'],
  ])('a malformed draft is rejected: %j', async (draft, path, message) => {
    for (const dialect of dialects) {
      const response = await runDraft(plain, { presetd: { draft } }, { dialect });
      expectIssues(response, dialect, [{ path: `/presetd/draft${path}`, message }]);
    }
    expect(sent()).toEqual([]);
  });

  it.each([undefined, null, 7, 'draft', [], {}, { note: '' }, { variables: 5, drafts: {} }])(
    'other values of presetd are ignored: %j',
    async (other) => {
      const response = await server.call({ preset: 'live', ...hello, presetd: other });
      expect(named(response)).toEqual([200, 'live@1']);
      expect(sent()[0]?.body).toEqual({ ...plain, temperature: 0.75, ...hello });
    },
  );

  it.each<[Dialect, Body]>([
    ['responses', { temperature: 'hot', top_p: 7, presetd: { policy: { locked: ['no_field'] } } }],
    ['responses', { model: '@preset/live', instructions: '{{#open}}', presetd: { variables: {} } }],
    ['responses', { instructions: 'A \0 in the prompt' }],
    ['responses', { instructions: 'x', metadata: {}, tools: [{ type: 'function', name: 'a\0' }] }],
    ['responses', { temperature: 0.2, presetd: { draft: { dialect: 'responses', request: {} } } }],
    ['messages', { model: 'm' }],
    ['messages', { max_tokens: 0, messages: [{ role: 'poet', content: 'x' }] }],
    ['messages', { messages: [], presetd: { variables: { a: { type: 'nothing' } }, note: '' } }],
    ['chat-completions', { messages: 'none', stop: 7, presetd: { policy: { system_prompt: 'maybe' } } }],
    ['chat-completions', { ...hello, temperature: 1, presetd: { policy: { limits: { temperature: 0 } } } }],
    ['chat-completions', { ...hello, models: ['m', 'n@preset/live'] }],
  ])('reports the same issues as a capture, under the path of the draft: %s %j', async (dialect, request) => {
    const capture = await server.post(`/api/v1/presets/planned${pathOf[dialect]}`, request);
    const expected = issuesOf(capture).map(({ path, message }) => ({
      path: `/presetd/draft/request${path}`,
      message,
    }));
    expect([capture.status, expected.length]).toEqual([400, expect.toSatisfy((count) => count > 0)]);
    for (const calling of dialects) {
      const response = await runDraft(request, { presetd: draftOf(request, dialect) }, { dialect: calling });
      expectIssues(response, calling, expected);
    }
    expect(sent()).toEqual([]);
  });

  it('rejects an out-of-range number as a capture does', async () => {
    const request = '{"temperature":1e999}';
    const capture = await server.post('/api/v1/presets/planned/responses', request);
    const call = `{"preset":"planned","input":"x","presetd":{"draft":{"dialect":"responses","request":${request}}}}`;
    const response = await server.call(call, { dialect: 'responses' });
    expect([capture.status, response.status]).toEqual([400, 400]);
    expect(issuesOf(response)).toEqual([
      { ...issuesOf(capture)[0], path: '/presetd/draft/request/temperature' },
    ]);
  });

  it('a draft can be as large as a version, but not larger', async () => {
    const ofLength = (length: number) => runDraft({ ...plain, instructions: 'x'.repeat(length) });
    expect((await ofLength(1_000_000)).status).toBe(200);
    const { status, text } = await ofLength(1_100_000);
    expect([status, text]).toEqual([413, expect.stringContaining('a version can hold at most 1048576')]);
  });

  it('reports invalid values of variables as for a saved version', async () => {
    const request = { ...drafts.messages, model: 'messages/m' };
    const more = { presetd: draftOf(request, 'messages'), preset: undefined };
    const response = await runDraft(request, { ...more, prompt: { id: 'planned', variables: { tone: 7 } } });
    expect([response.status, issuesOf(response).map(({ path }) => path)]).toEqual([
      400,
      ['/prompt/variables/customer', '/prompt/variables/tone'],
    ]);
    expect(named(response)).toEqual([400, 'planned@draft']);
  });

  it('requires write permission', async () => {
    const [viewerId, editorId] = [
      await makeMember(server, 'viewer@example.com'),
      await makeMember(server, 'editor@example.com'),
    ];
    const setRole = (id: string, role: string) =>
      server.send('PATCH', `/api/v1/workspaces/default/members/${id}`, { role }, { key: managementKey });
    for (const id of [viewerId, editorId]) await setRole(id, 'editor');
    const bySession = async (id: string) => ({
      key: null,
      headers: ofSession(await makeSession(server, id)),
    });
    const byKey = async (details: Body) => ({ key: (await makeKey(server, details)).secret });
    const keyOfViewer = await byKey({ creator_user_id: viewerId });
    await setRole(viewerId, 'viewer');
    const forbidden = [
      [
        await byKey({ scope: 'call' }),
        'has the scope call and cannot run drafts. Use a key with the scope write.',
      ],
      [await byKey({ scope: 'read' }), 'has the scope read and cannot run drafts.'],
      [keyOfViewer, 'is a viewer of this workspace and cannot run drafts.'],
      [
        await bySession(viewerId),
        'Viewers of this workspace cannot run drafts. Ask a workspace admin for the role editor.',
      ],
    ] as const;
    // Whether or not the draft is valid.
    for (const [options, words] of forbidden)
      for (const request of [plain, { temperature: 'hot' }]) {
        const response = await runDraft(request, { preset: 'live' }, options);
        expect([response.status, response.text]).toEqual([403, expect.stringContaining(words)]);
      }
    expect(sent()).toEqual([]);
    for (const options of [await byKey({ creator_user_id: editorId }), await bySession(editorId)])
      expect(named(await runDraft(plain, {}, options))).toEqual([200, 'planned@draft']);
  });

  it('a draft called with a key that is limited to presets must name one of them', async () => {
    await server.capture('planned', plain, 'responses');
    const { secret: key } = await makeKey(server, { presets: ['live', 'planned'] });
    for (const preset of ['live', 'planned'])
      expect(named(await runDraft(plain, { preset }, { key }))).toEqual([200, `${preset}@draft`]);
    for (const more of [{ preset: 'other' }, { preset: 'nickname' }, { preset: undefined, ...plain }]) {
      const { status, text } = await runDraft(plain, more, { key });
      expect([status, text]).toEqual([
        403,
        expect.stringContaining('is limited to the presets live, planned'),
      ]);
    }
  });

  it('is logged and counted as a draft', async () => {
    await runDraft(plain, { preset: 'live' }, { headers: { 'x-request-id': 'a-draft' } });
    const lines = () => server.log.map((line) => JSON.parse(line)).filter(({ reqId }) => reqId === 'a-draft');
    await expect.poll(lines).toMatchObject([{ preset: 'live@draft' }]);
    const metrics = async () => (await server.get('/metrics', { key: metricsToken })).text;
    for (const name of ['requests', 'tokens'])
      await expect
        .poll(metrics)
        .toMatch(
          new RegExp(
            `^presetd_gateway_${name}_total\\{dialect="chat-completions",preset="\\(drafts\\)"`,
            'm',
          ),
        );
  });

  it('runs over a WebSocket', async () => {
    const client = await connectResponses(server);
    const turn = { preset: 'planned', input: 'Hello', store: false };
    const request = { ...plain, instructions: 'Be brief.' };
    const events = await client.turn({ ...turn, presetd: draftOf(request) });
    expect(events.at(-1)?.type).toBe('response.completed');
    expect(sent()[0]?.body).toMatchObject({
      ...plain,
      messages: [{ content: 'Be brief.' }, { content: 'Hello' }],
    });
    const failed = await client.turn({ ...turn, presetd: draftOf({ top_p: 7 }) });
    expect(failed).toMatchObject([{ status: 400, error: { param: 'presetd.draft.request.top_p' } }]);
    await client.close();
  });

  it('works for relayed calls', async () => {
    const draft = { preset: 'planned', presetd: draftOf(plain) };
    const embedded = await server.post('/api/v1/embeddings', { ...draft, input: 'a' });
    expect(named(embedded)).toEqual([200, 'planned@draft']);
    expect(sent()[0]?.body).toEqual({ ...plain, input: 'a' });
    const count = (system: string) => {
      const request = { model: 'chat-completions/m', max_tokens: 5, system, messages: [] };
      return server.post('/api/v1/messages/count_tokens', {
        preset: 'planned',
        ...hello,
        presetd: draftOf(request, 'messages'),
      });
    };
    const [short, long] = [await count('Be brief.'), await count('Be brief. '.repeat(50))];
    expect(named(long)).toEqual([200, 'planned@draft']);
    expect(long.body.input_tokens).toBeGreaterThan(short.body.input_tokens + 50);
  });
});
