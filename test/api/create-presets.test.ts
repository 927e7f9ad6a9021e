import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { engines } from '../support/engines.ts';
import { disableKeyIn } from '../support/members.ts';
import { managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { statusWithinOneSecond } from '../support/status-within-one-second.ts';
import { addKey, withStorage } from '../support/storage-access.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const chat = (changes: object = {}) => ({ messages: [{ role: 'user', content: 'Hi' }], ...changes });

describe.each(engines)('capturing presets on %s', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.stop());

  it('capturing a chat-completions request returns the whole preset and nothing else', async () => {
    const { status, headers, body } = await server.post('/api/v1/presets/my-preset/chat/completions', {
      model: 'openai/gpt-5',
      temperature: 0.7,
      stream: true,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello there' },
      ],
    });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    const version = body.data.designated_version;
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(uuid),
        name: 'my-preset',
        slug: 'my-preset',
        description: null,
        status: 'active',
        status_updated_at: null,
        created_at: expect.stringMatching(timestamp),
        updated_at: body.data.created_at,
        creator_user_id: expect.stringMatching(/^user_/),
        workspace_id: expect.stringMatching(uuid),
        designated_version_id: version.id,
        designated_version: {
          id: expect.stringMatching(uuid),
          preset_id: body.data.id,
          version: 1,
          config: { model: 'openai/gpt-5', temperature: 0.7 },
          system_prompt: 'Be brief.',
          creator_id: body.data.creator_user_id,
          created_at: body.data.created_at,
          updated_at: body.data.created_at,
        },
      },
    });
  });

  it('captures the system prompt of a messages request from system', async () => {
    const { body } = await server.post('/api/v1/presets/m/messages', {
      model: 'anthropic/claude',
      max_tokens: 100,
      system: [
        { type: 'text', text: 'One' },
        { type: 'text', text: 'Two', cache_control: { type: 'ephemeral' } },
      ],
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(body.data.designated_version).toMatchObject({
      config: { model: 'anthropic/claude', max_tokens: 100 },
      system_prompt: 'One\nTwo',
    });
  });

  it('captures an empty responses request, and its instructions if there are any', async () => {
    const empty = await server.post('/api/v1/presets/r/responses', {});
    expect(empty.body.data.designated_version).toMatchObject({ version: 1, config: {}, system_prompt: null });
    const next = await server.post('/api/v1/presets/r/responses', {
      instructions: 'Rhyme.',
      input: 'x',
      store: false,
    });
    expect(next.body.data.designated_version).toMatchObject({
      version: 2,
      config: {},
      system_prompt: 'Rhyme.',
    });
  });

  it('each capture adds a version with its whole config, even from another dialect or unchanged', async () => {
    const path = '/api/v1/presets/versions';
    const first = await server.post(`${path}/chat/completions`, chat({ model: 'a', top_p: 0.5 }));
    const second = await server.post(`${path}/messages`, { model: 'b', messages: null });
    const third = await server.post(`${path}/messages`, { model: 'b', messages: null });
    expect(second.body.data).toMatchObject({
      id: first.body.data.id,
      created_at: first.body.data.created_at,
    });
    expect(second.body.data.designated_version).toMatchObject({ version: 2, config: { model: 'b' } });
    expect(third.body.data.designated_version).toMatchObject({ version: 3, config: { model: 'b' } });
    expect(third.body.data.updated_at >= second.body.data.updated_at).toBe(true);
  });

  it('fifty concurrent captures to one slug get the versions 1 to 50', async () => {
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => server.post('/api/v1/presets/crowd/chat/completions', chat())),
    );
    const versions = responses.map((response) => response.body.data.designated_version.version);
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  it('lists unknown fields in a header, percent-encoded and bounded', async () => {
    const known = await server.post('/api/v1/presets/h/chat/completions', chat({ user: 'u' }));
    expect(known.headers.get('x-presetd-ignored-fields')).toBeNull();
    const unknown = await server.post(
      '/api/v1/presets/h/chat/completions',
      chat({ temprature: 1, 'a\r\nb: ü,': 2 }),
    );
    expect(unknown.headers.get('x-presetd-ignored-fields')).toBe('temprature, a%0D%0Ab%3A%20%C3%BC%2C');
    const misspelled = await server.post('/api/v1/presets/h/chat/completions', chat({ Temperature: 1 }));
    expect([misspelled.status, misspelled.headers.get('x-presetd-ignored-fields')]).toEqual([
      200,
      'Temperature',
    ]);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field-${index}`, 1]));
    const bounded = await server.post('/api/v1/presets/h/chat/completions', chat(many));
    expect(bounded.status).toBe(200);
    expect(bounded.headers.get('x-presetd-ignored-fields')?.length).toBeLessThan(1_100);
    expect(bounded.headers.get('x-presetd-ignored-fields')).toMatch(/, and \d+ more$/);
  });

  it.each([
    ['chat/completions', chat({ model: '@preset/other' }), ['/model']],
    [
      'chat/completions',
      chat({ model: 'a/b@preset/other', models: ['c', '@preset/x'] }),
      ['/model', '/models/1'],
    ],
    ['messages', chat({ model: 'm', fallbacks: [{ model: '@preset/other' }] }), ['/fallbacks/0/model']],
    ['responses', { model: '@preset/other@3' }, ['/model']],
  ])('rejects a %s capture that uses a preset as a model: %j', async (path, request, paths) => {
    const issues = paths.map((path) => ({ path, message: 'must name a model, not a preset' }));
    for (const query of ['', '?dry_run=true']) {
      const { status, body } = await server.post(`/api/v1/presets/circular/${path}${query}`, request);
      expect([status, body.error]).toMatchObject([400, { code: 400, metadata: { issues } }]);
    }
    expect((await server.get('/api/v1/presets/circular')).status).toBe(404);
  });

  it('a management key captures into the default workspace, or into the one it names', async () => {
    const byApiKey = await server.post('/api/v1/presets/shared/chat/completions', chat());
    const byDefault = await server.post('/api/v1/presets/shared/chat/completions', chat(), {
      key: managementKey,
    });
    const workspaceId = byApiKey.body.data.workspace_id;
    const named = await server.post(
      `/api/v1/presets/shared/chat/completions?workspace_id=${workspaceId}`,
      chat(),
      {
        key: managementKey,
      },
    );
    expect(byDefault.body.data.id).toBe(byApiKey.body.data.id);
    expect(named.body.data).toMatchObject({ id: byApiKey.body.data.id, designated_version: { version: 3 } });
    const second = newId();
    await server.database.sql(
      `INSERT INTO workspaces (id, organization_id, slug, name, created_at)
       SELECT '${second}', organization_id, 'second', 'Second', created_at FROM workspaces RETURNING id`,
    );
    const elsewhere = await server.post(
      `/api/v1/presets/shared/chat/completions?workspace_id=${second}`,
      chat(),
      {
        key: managementKey,
      },
    );
    expect(elsewhere.body.data).toMatchObject({ workspace_id: second, designated_version: { version: 1 } });
  });

  it('a key disabled by another process stops working within a second', async () => {
    const id = newId();
    const key = await addKey(server.database, { id });
    const attempt = () => server.post('/api/v1/presets/k/chat/completions', chat(), { key });
    expect((await attempt()).status).toBe(200);
    await withStorage(server.database, ({ storage, organization }) =>
      disableKeyIn(storage, organization.id, id),
    );
    expect(await statusWithinOneSecond(attempt)).toBe(401);
  });
});

describe('bounds of captured fields', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer('sqlite');
  });
  afterAll(() => server.stop());

  const text = (length: number) => '🙂'.repeat(length);
  const pairs = (count: number, key = 1, value = 1) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        text(key - 1) + String.fromCodePoint(0x41 + index),
        text(value),
      ]),
    );

  it.each<[field: string, accepted: readonly unknown[], rejected: readonly unknown[]]>([
    ['frequency_penalty', [-2, 2, 0, null], [-2.01, 2.01, '1']],
    ['presence_penalty', [-2, 2, null], [-2.01, 2.01]],
    ['temperature', [0, 2, 0.5, null], [-0.01, 2.01, true]],
    ['top_p', [0, 1, null], [-0.01, 1.01]],
    ['top_logprobs', [0, 20, null], [-1, 21, 1.5]],
    ['top_k', [0, 40, null], [-1, 0.5]],
    ['min_p', [0, 1], [1.01]],
    ['top_a', [0, 1], [-0.01]],
    ['repetition_penalty', [0, 2], [2.01]],
    ['logit_bias', [{ 1: -100, 2: 100 }, null], [{ 1: -101 }, { 1: 100.5 }, []]],
    ['max_tokens', [1, null], [0, 1.5]],
    ['max_completion_tokens', [1], [0]],
    ['session_id', [text(256), ''], [text(257), null]],
    ['metadata', [pairs(16), pairs(1, 64, 512), {}], [pairs(17), pairs(1, 65), pairs(1, 1, 513), { a: 1 }]],
    ['stop', ['a', ['a', 'b', 'c', 'd'], null], [['a', 'b', 'c', 'd', 'e'], 5, [1]]],
    ['image_config', ['a', 1, ['a'], { aspect_ratio: '16:9', n: 1 }], [true]],
    ['modalities', [['text', 'image', 'audio']], [['video']]],
    ['service_tier', ['auto', 'flex', null], ['gold']],
    ['messages', [[{ role: 'user', content: 'x' }]], [[], null, 'x', [{ role: 'stranger', content: 'x' }]]],
    ['model', ['anything/goes:free'], [5, null]],
    ['provider', [{ order: ['nobody-knows-me'] }, null], [{ odrer: [] }]],
    ['route', ['fallback', null, 'anything'], []],
  ])('accepts and rejects %s at its bounds', async (field, accepted, rejected) => {
    for (const value of accepted) {
      const { status, text: response } = await server.post(
        '/api/v1/presets/b/chat/completions',
        chat({ [field]: value }),
      );
      expect([status, response]).toEqual([200, expect.anything()]);
    }
    for (const value of rejected) {
      const { status, body } = await server.post(
        '/api/v1/presets/b/chat/completions',
        chat({ [field]: value }),
      );
      expect([status, JSON.stringify(value)]).toEqual([400, JSON.stringify(value)]);
      expect(body.error.metadata.issues[0].path).toMatch(new RegExp(`^/${field}`));
    }
  });

  it.each(['messages', 'responses'])(
    'session_id and user of a %s request have at most 256 characters',
    async (dialect) => {
      const path = `/api/v1/presets/b/${dialect}`;
      const body = { model: 'm', ...(dialect === 'messages' && { messages: [] }) };
      for (const field of ['session_id', 'user']) {
        expect((await server.post(path, { ...body, [field]: text(256) })).status).toBe(200);
        expect((await server.post(path, { ...body, [field]: text(257) })).status).toBe(400);
      }
    },
  );

  it.each(['a', 'A-Z.a_z~09', 'x'.repeat(128), '...', '-'])('accepts the preset slug %s', async (slug) => {
    const { status, body } = await server.post(`/api/v1/presets/${slug}/responses`, {});
    expect(status).toBe(200);
    expect(body.data.slug).toBe(slug);
  });

  it.each([
    'x'.repeat(129),
    'x'.repeat(5_000),
    'a%20b',
    'a%2Fb',
    '%2E%2E%2F',
    'gr%C3%BCn',
    'a%00b',
    'a+b',
    'a@1',
    'a:b',
  ])('rejects the preset slug %s', async (slug) => {
    const { status, body } = await server.post(`/api/v1/presets/${slug}/responses`, {});
    expect(status).toBe(400);
    expect(body.error.message).toContain('slug must be 1 to 128');
  });
});
