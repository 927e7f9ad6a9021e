import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { makeKey, makeMember } from '../support/organizations.ts';
import { apiKey, startTestServer, type TestServer } from '../support/server.ts';

const ndjson = { 'content-type': 'application/x-ndjson' };

describe.each(engines)('exporting and importing test cases and drafts on %s', (engine) => {
  let source: TestServer;
  let target: TestServer;
  beforeAll(async () => {
    [source, target] = await Promise.all([startTestServer(engine), startTestServer(engine)]);
  });
  afterAll(() => Promise.all([source.stop(), target.stop()]));

  const exported = async (server: TestServer) => (await server.get('/api/v1/export', { key: apiKey })).text;
  const send = (lines: readonly (string | object)[], server = target) =>
    server.send(
      'POST',
      '/api/v1/import',
      lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
      { headers: ndjson },
    );
  const outcomes = (body: { data: { slug: string; outcome: string; versions_added: number }[] }) =>
    body.data.map(({ slug, outcome, versions_added: added }) => [slug, outcome, added]);
  const preset = (changes: object = {}) => ({
    type: 'preset',
    slug: 'made-up',
    name: 'Made up',
    description: null,
    status: 'active',
    status_updated_at: null,
    created_at: '2025-01-01T00:00:00.000Z',
    updated_at: '2025-01-02T00:00:00.000Z',
    versions: 1,
    designated_version: 1,
    labels: {},
    ...changes,
  });
  const version = (changes: object = {}) => ({
    type: 'version',
    slug: 'made-up',
    version: 1,
    dialect: 'responses',
    system_prompt: null,
    created_at: '2025-01-01T00:00:00.000Z',
    config: { model: 'm' },
    ...changes,
  });

  it('test cases and the draft of the caller are exported and imported, as often as you like', async () => {
    const at = (rest: string) => `/api/v1/presets/tested${rest}`;
    await source.post(at('/responses'), { model: 'one' });
    const saveCase = (server: TestServer, name: string, body: unknown) =>
      server.send('PUT', at(`/cases/${encodeURIComponent(name)}`), body);
    const draft = { text: '{"model": "two",', dialect: null, base_version: 1 };
    await saveCase(source, 'é: Late/parcel', '{"variables":{"id":18446744073709551615},"note":"n"}');
    await saveCase(source, 'A', { messages: [{ role: 'user', content: 'Hi' }] });
    await saveCase(source, 'gone', {});
    await source.send('DELETE', at('/cases/gone'));
    await source.send('PUT', at('/draft'), draft);
    const linesOf = async (server: TestServer) =>
      (await exported(server)).split('\n').filter((line) => line.includes('"slug":"tested"'));
    const lines = await linesOf(source);
    expect(lines.slice(2)).toEqual([
      '{"type":"case","slug":"tested","name":"A","variables":{},"messages":[{"role":"user","content":"Hi"}],"note":null}',
      '{"type":"case","slug":"tested","name":"é: Late/parcel","variables":{"id":18446744073709551615},"messages":[],"note":"n"}',
      expect.stringMatching(
        /^\{"type":"draft","slug":"tested","dialect":null,"base_version":1,"updated_at":".*Z","text":"\{\\"model\\": \\"two\\","\}$/,
      ),
    ]);
    expect(lines[0]).toContain('"cases":["A","é: Late/parcel"]');

    expect(outcomes((await send(lines)).body)).toEqual([['tested', 'created', 1]]);
    expect(await linesOf(target)).toEqual(lines);
    const kinds = async () => {
      const { data } = (await target.get(at('/events'))).body;
      return data.map(({ kind }: { kind: string }) => kind).toReversed();
    };
    const first = ['preset.created', 'preset.case_saved', 'preset.case_saved', 'preset.imported'];
    expect(await kinds()).toEqual(first);
    expect(outcomes((await send(lines)).body)).toEqual([['tested', 'unchanged', 0]]);
    expect(await kinds()).toEqual(first);

    // A draft that the caller has here stays; everything else follows the source.
    await target.send('PUT', at('/draft'), { ...draft, text: 'typed here' });
    await source.send('PUT', at('/cases/A'), { name: 'B', note: 'new' });
    expect(outcomes((await send(await linesOf(source))).body)).toEqual([['tested', 'updated', 0]]);
    expect((await linesOf(target)).slice(0, -1)).toEqual((await linesOf(source)).slice(0, -1));
    expect((await target.get(at('/draft'))).body.data.text).toBe('typed here');
    expect((await kinds()).slice(4)).toEqual(['preset.case_removed', 'preset.case_saved', 'preset.imported']);

    for (const name of ['B', 'é: Late/parcel'])
      await source.send('DELETE', at(`/cases/${encodeURIComponent(name)}`));
    await send(await linesOf(source));
    expect((await target.get(at('/cases'))).body).toEqual({ data: [], total_count: 0 });
    // Exports of servers without cases say nothing about them.
    await saveCase(target, 'kept', {});
    const { updated_at } = (await target.get(at(''))).body.data;
    const [head = ''] = await linesOf(source);
    const { cases: _cases, ...older } = { ...JSON.parse(head), updated_at, name: 'Older' };
    expect(outcomes((await send([older])).body)).toEqual([['tested', 'updated', 0]]);
    expect((await target.get(at('/cases'))).body.total_count).toBe(1);
  });

  it('an export has no draft of anybody else', async () => {
    await source.post('/api/v1/presets/private/responses', {});
    const draft = { text: 'confidential', dialect: null, base_version: 1 };
    await source.send('PUT', '/api/v1/presets/private/draft', draft);
    const id = await makeMember(source, 'other@example.com');
    const { workspace_id } = (await source.get('/api/v1/presets/private')).body.data;
    const { secret } = await makeKey(source, { creator_user_id: id, workspace_id });
    const { text } = await source.get('/api/v1/export', { key: secret });
    expect(text).toContain('"slug":"private"');
    expect(text).not.toContain('confidential');
  });

  it('an export can leave out drafts', async () => {
    await source.post('/api/v1/presets/shared/responses', {});
    const draft = { text: 'half a sentence', dialect: null, base_version: 1 };
    await source.send('PUT', '/api/v1/presets/shared/draft', draft);
    expect((await source.get('/api/v1/export')).text).toContain('half a sentence');
    const { text } = await source.get('/api/v1/export?drafts=false');
    expect(text).toContain('"slug":"shared"');
    expect(text).not.toContain('half a sentence');
  });

  it('an import of a preset that has changed here since brings no draft', async () => {
    const slug = 'ahead';
    await target.post(`/api/v1/presets/${slug}/responses`, { model: 'm' });
    const draft = { slug, type: 'draft', dialect: null, base_version: 1, text: 'from the export' };
    const { body } = await send([
      preset({ slug }),
      version({ slug }),
      { ...draft, updated_at: '2025-01-02T00:00:00.000Z' },
    ]);
    expect(body.data).toMatchObject([{ slug, outcome: 'ahead' }]);
    expect((await target.get(`/api/v1/presets/${slug}/draft`)).status).toBe(404);
  });

  it('an import keeps another draft of the caller, even an older one, and reports it', async () => {
    const slug = 'drafted';
    const draft = { slug, type: 'draft', dialect: null, base_version: 1, text: 'from the export' };
    const lines = [preset({ slug }), version({ slug }), { ...draft, updated_at: '2100-01-01T00:00:00.000Z' }];
    const imported = async () => (await send(lines)).body.data[0];
    const text = async () => (await target.get(`/api/v1/presets/${slug}/draft`)).body.data.text;
    expect(await imported()).toEqual({ slug, outcome: 'created', versions_added: 1 });
    expect(await imported()).toEqual({ slug, outcome: 'unchanged', versions_added: 0 });
    expect(await text()).toBe('from the export');
    const typed = { text: 'typed here', dialect: null, base_version: 1 };
    await target.send('PUT', `/api/v1/presets/${slug}/draft`, typed);
    const skipped = { slug, outcome: 'unchanged', versions_added: 0, draft_skipped: true };
    expect(await imported()).toEqual(skipped);
    expect(await text()).toBe('typed here');
  });

  it('a preset with cases is imported in parts', async () => {
    const line = (type: string, more: object) => ({ type, slug: 'made-up', ...more });
    const whole = preset({ versions: 2, cases: ['a', 'b'] });
    const parts = [
      [whole, version()],
      [whole, version({ version: 2 }), line('case', { name: 'a', note: 'x' })],
      [whole, line('case', { name: 'b' })],
    ];
    const results = [];
    for (const part of parts) results.push(...outcomes((await send(part)).body));
    expect(results).toEqual([
      ['made-up', 'created', 1],
      ['made-up', 'updated', 1],
      ['made-up', 'updated', 0],
    ]);
    const { data } = (await target.get('/api/v1/presets/made-up/cases')).body;
    expect(data.map(({ name, note }: Record<string, unknown>) => [name, note])).toEqual([
      ['a', 'x'],
      ['b', null],
    ]);
  });

  it.each([
    ['a case without its preset', [{ type: 'case', slug: 'x', name: 'a' }], '/0/slug must be the slug'],
    [
      'a case that its preset does not list',
      [preset({ cases: ['b'] }), version(), { type: 'case', slug: 'made-up', name: 'a' }],
      '/2/name must be one of the "cases"',
    ],
    ['an invalid name of a case', [preset({ cases: ['a', '..'] })], '/0/cases/1 must not be'],
    [
      'an invalid case',
      [preset({ cases: ['a'] }), version(), { type: 'case', slug: 'made-up', name: 'a', note: 'x\u0000' }],
      '/2/note contains the character U+0000',
    ],
    [
      'a draft of a version that does not exist',
      [
        preset(),
        version(),
        {
          type: 'draft',
          slug: 'made-up',
          text: '',
          dialect: null,
          base_version: 2,
          updated_at: '2025-01-01T00:00:00.000Z',
        },
      ],
      '/2/base_version must be at most 1',
    ],
  ])('an import rejects %s', async (_, lines, message) => {
    const { status, body } = await send(lines);
    expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
  });
});
