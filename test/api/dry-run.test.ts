import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { anyEngine } from '../support/engines.ts';
import { managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { addKey } from '../support/storage-access.ts';

const at = (slug: string, query = '?dry_run=true', dialect = 'responses') =>
  `/api/v1/presets/${slug}/${dialect}${query}`;

describe('dry runs of captures', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
  });
  afterAll(() => server.stop());

  const dry = (slug: string, body: unknown = { model: 'm' }, headers = {}) =>
    server.post(at(slug), body, { headers });
  const push = (slug: string, body: unknown = {}) => server.post(at(slug, ''), body);

  it('a dry run returns what a capture would, with null ids and no ETag', async () => {
    const body = { model: 'm', instructions: 'Be kind.', temperature: 0.5, input: 'x' };
    const preview = await dry('new', body);
    expect(preview.status).toBe(200);
    expect(preview.headers.get('etag')).toBeNull();
    expect(preview.headers.get('content-type')).toMatch(/^application\/json/);
    const { data } = (await push('new', body)).body;
    expect(preview.body.data).toEqual({
      ...data,
      id: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      designated_version_id: null,
      designated_version: {
        ...data.designated_version,
        id: null,
        preset_id: null,
        created_at: preview.body.data.updated_at,
        updated_at: preview.body.data.updated_at,
      },
    });
  });

  it.each([
    ['chat/completions', { messages: [{ role: 'system', content: 'S' }], seed: 1 }, { seed: 1 }, 'S'],
    [
      'messages',
      { model: 'm', max_tokens: 1, system: 'S', messages: [{ role: 'user', content: 'x' }] },
      { model: 'm', max_tokens: 1 },
      'S',
    ],
    ['responses', {}, {}, null],
  ])('a dry run shows what a %s request would save', async (dialect, body, config, systemPrompt) => {
    const { data } = (await server.post(at('shown', '?dry_run=true', dialect), body)).body;
    expect(data.designated_version).toMatchObject({ version: 1, config, system_prompt: systemPrompt });
  });

  it('a dry run on an existing preset has its name, description and status, and the next version number', async () => {
    for (let version = 1; version <= 3; version += 1) await push('known');
    const patch = { name: 'Known', description: 'Well', status: 'disabled', designated_version: 1 };
    const { body: before } = await server.send('PATCH', '/api/v1/presets/known', patch);
    const { data } = (await dry('known')).body;
    expect(data).toMatchObject({
      name: 'Known',
      description: 'Well',
      status: 'disabled',
      status_updated_at: before.data.status_updated_at,
      created_at: before.data.created_at,
      creator_user_id: before.data.creator_user_id,
      workspace_id: before.data.workspace_id,
      designated_version: { version: 4, config: { model: 'm' } },
    });
    expect((await server.get('/api/v1/presets/known')).body).toEqual({ data: before.data });
  });

  it('a dry run keeps every digit of a number', async () => {
    const { text } = await dry(
      'digits',
      '{"top_logprobs":1,"metadata":{},"temperature":0.10000000000000000555}',
    );
    expect(text).toContain('"temperature":0.10000000000000000555');
  });

  it('a dry run writes nothing to the database', async () => {
    await push('counted');
    const tables = [
      'presets',
      'preset_versions',
      'audit_events',
      'preset_words',
      'preset_counts',
      'preset_labels',
      'idempotency_keys',
    ];
    const rows = async () => {
      const all = [];
      for (const table of tables) all.push(await server.database.sql(`SELECT * FROM ${table} ORDER BY 1, 2`));
      return all;
    };
    const before = await rows();
    const responses = await Promise.all([
      dry('counted'),
      dry('uncounted'),
      dry('uncounted', { model: 1 }),
      dry('counted', {}, { 'if-match': '"x"' }),
      dry('uncounted', {}, { 'idempotency-key': 'k' }),
      dry('counted', {}, { 'if-none-match': '*' }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 400, 412, 200, 412]);
    expect(await rows()).toEqual(before);
    expect((await server.get('/api/v1/presets/uncounted')).status).toBe(404);
  });

  it('a dry run fails with the same errors as a capture', async () => {
    await push('shelved');
    await server.send('DELETE', '/api/v1/presets/shelved');
    const readOnly = await addKey(server.database, { readOnly: true });
    const rejections: [number, Promise<{ status: number; text: string }>][] = [
      [400, dry('a', { temperature: 'warm' })],
      [400, dry('a', '{')],
      [400, dry('two%20words')],
      [400, dry('a', {}, { 'if-match': 'unquoted' })],
      [400, dry('a', {}, { 'idempotency-key': 'two words' })],
      [400, dry('a', '{"instructions":"\\u0000"}')],
      [401, server.post(at('a'), {}, { key: null })],
      [403, server.post(at('a'), {}, { key: readOnly })],
      [404, server.post(at('a', `?dry_run=true&workspace_id=${newId()}`), {}, { key: managementKey })],
      [404, server.post(at('a', `?dry_run=true&workspace_id=${newId()}`), {})],
      [409, dry('shelved')],
      [412, dry('not-there', {}, { 'if-match': '*' })],
      [413, dry('a', { instructions: 'x'.repeat(1_048_577) })],
      [415, dry('a', {}, { 'content-type': 'text/plain' })],
    ];
    for (const [status, rejection] of rejections) {
      const response = await rejection;
      expect([response.status, response.text]).toEqual([status, expect.stringContaining(`"code":${status}`)]);
    }
  });

  it('a dry run checks If-Match and If-None-Match', async () => {
    const etag = (await push('tagged')).headers.get('etag') ?? '';
    expect((await dry('tagged', {}, { 'if-match': etag })).status).toBe(200);
    await push('tagged');
    expect((await dry('tagged', {}, { 'if-match': etag })).status).toBe(412);
    expect((await dry('tagged', {}, { 'if-match': '*' })).status).toBe(200);
    expect((await dry('new-one', {}, { 'if-none-match': '*' })).status).toBe(200);
  });

  it('a dry run lists unknown fields in a header', async () => {
    const { headers } = await dry('ignored', { über: 1, zz: 2 });
    expect(headers.get('x-presetd-ignored-fields')).toBe('%C3%BCber, zz');
  });

  it('a dry run says why each field would not be saved, in the order of the request', async () => {
    const { body } = await dry('left-out', {
      stream: true,
      model: 'm',
      instructions: 'Be kind.',
      temprature: 1,
      temperature: null,
      input: 'x',
      safety_identifier: null,
      metadata: {},
      preset: 'other',
      prompt_cache_key: 'k',
    });
    expect(body.left_out.map((each: { field: string; reason: string }) => [each.field, each.reason])).toEqual(
      [
        ['stream', 'delivery'],
        ['instructions', 'system_prompt'],
        ['temprature', 'unknown'],
        ['temperature', 'null'],
        ['input', 'conversation'],
        ['safety_identifier', 'null'],
        ['metadata', 'identity'],
        ['preset', 'preset'],
        ['prompt_cache_key', 'call'],
      ],
    );
    expect(body.left_out[0]).toEqual({
      field: 'stream',
      reason: 'delivery',
      message: 'Controls how the response is delivered or stored, which each call sets itself.',
    });
    expect(body.left_out_count).toBe(9);
  });

  it('left_out is empty if every field is saved, and absent from captures', async () => {
    expect((await dry('all-kept')).body).toMatchObject({ left_out: [], left_out_count: 0 });
    expect(Object.keys((await push('all-kept', { model: 'm', stream: true })).body)).toEqual(['data']);
  });

  it('a dry run warns of what upstreams are known to reject, which can be saved', async () => {
    const tool = { type: 'function', name: 'get order!', parameters: { type: 'map' } };
    const body = { model: 'm', tools: [tool, { ...tool, name: '', parameters: {} }] };
    expect((await dry('doubtful', body)).body.warnings).toEqual([
      { path: '/tools/1/name', message: 'must not be empty' },
      {
        path: '/tools/0/name',
        message: 'must be at most 64 letters, digits, _ and -, not "get order!"',
      },
      {
        path: '/tools/0/parameters/type',
        message: 'must be string, number, integer, boolean, array, object or null, not "map"',
      },
    ]);
    expect((await push('doubtful', body)).status).toBe(200);
  });

  it('left_out lists at most 50 fields with truncated names', async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `${'é'.repeat(500)}${index}`);
    const { text, body } = await dry('hostile', Object.fromEntries(names.map((name) => [name, 1])));
    expect(body.left_out).toHaveLength(50);
    expect(body.left_out[0].field).toBe(`${'é'.repeat(128)}…`);
    expect(body.left_out_count).toBe(5_000);
    expect(text.length).toBeLessThan(20_000);
  });

  it('left_out handles any field name', async () => {
    const { body, text } = await dry('named', '{"__proto__":1,"constructor":2,"":3,"a\\u0000\\ud800\\n":4}');
    expect(body.left_out.map(({ field }: { field: string }) => field)).toEqual([
      '__proto__',
      'constructor',
      '',
      'a\0\ufffd\n',
    ]);
    expect(text).toContain('"field":"__proto__","reason":"unknown"');
  });

  it.each(['maybe', '', '2', 'TRUE', 'yes', 'true&dry_run=false'])(
    'rejects dry_run=%s and writes nothing',
    async (value) => {
      const response = await server.post(at('guessed', `?dry_run=${value}`), {});
      expect([response.status, response.body.error.metadata.issues[0].path]).toEqual([400, '/dry_run']);
      expect((await server.get('/api/v1/presets/guessed')).status).toBe(404);
    },
  );

  it('dry_run=false captures for real', async () => {
    const { body } = await server.post(at('real', '?dry_run=false'), {});
    expect(body.data.id).not.toBeNull();
    expect((await server.get('/api/v1/presets/real')).body).toEqual(body);
  });
});
