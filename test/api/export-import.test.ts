import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { apiKey, startTestServer, type TestServer } from '../support/server.ts';
import { addKey } from '../support/storage-access.ts';

const ndjson = { 'content-type': 'application/x-ndjson' };

describe.each(engines)('exporting and importing presets on %s', (engine) => {
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

  it('another server exports the same bytes after importing', async () => {
    const post = (path: string, body: unknown) => source.post(`/api/v1/presets/${path}`, body);
    await post('b/responses', { model: 'one', instructions: 'Zeile 1\r\nZeile 2 🙂' });
    await post('b/responses', '{"model":"two","temperature":1.50,"metadata":{}}');
    await post('b/messages', { model: 'three', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] });
    await post(
      'B~/chat/completions',
      '{"seed":18446744073709551615,"messages":[{"role":"system","content":"s"}]}',
    );
    await post('B~/responses', '{"presetd":{"note":"Not live yet 🙂","designate":false}}');
    await post('archived/responses', {});
    await post('disabled/responses', {});
    await source.send('PATCH', '/api/v1/presets/b', {
      name: 'Bé',
      description: 'd\nd',
      tags: ['eu/prod', 'beta'],
      designated_version: 2,
    });
    await source.send('PUT', '/api/v1/presets/b/labels/prod', { version: 1 });
    await source.send('PUT', '/api/v1/presets/b/labels/beta', { version: 3 });
    for (const alias of ['pmpt_68a4', 'b-too'])
      await source.send('PUT', `/api/v1/presets/b/aliases/${alias}`);
    await source.send('DELETE', '/api/v1/presets/archived');
    await source.send('PATCH', '/api/v1/presets/disabled', { status: 'disabled' });
    const text = await exported(source);
    const lines = text.trimEnd().split('\n');
    expect(lines[0]).toBe('{"type":"export","format":1,"presets":4}');
    expect(lines.at(-1)).toBe('{"type":"end","presets":4,"versions":7}');
    expect(text).toContain('"seed":18446744073709551615');
    expect(lines.filter((line) => line.includes('"aliases"'))).toEqual([
      expect.stringMatching(/"slug":"b",.*,"aliases":\["b-too","pmpt_68a4"\],"tags"/),
    ]);
    // Only where there are any: servers before 0.7.0 reject the field.
    expect(text.match(/"tags":[^\]]*]/g)).toEqual(['"tags":["beta","eu/prod"]']);

    const first = await send(lines);
    expect(outcomes(first.body)).toEqual([
      ['B~', 'created', 2],
      ['archived', 'created', 1],
      ['b', 'created', 3],
      ['disabled', 'created', 1],
    ]);
    expect(await exported(target)).toBe(text);

    const events = async () => (await target.get('/api/v1/presets/b/events', { key: apiKey })).body;
    const before = await events();
    expect(before.data.map(({ kind }: { kind: string }) => kind)).toEqual([
      'preset.imported',
      'preset.label_moved',
      'preset.label_moved',
      'preset.designated',
      'preset.tagged',
      'preset.described',
      'preset.renamed',
      'preset.alias_added',
      'preset.alias_added',
      'preset.version_added',
      'preset.version_added',
      'preset.created',
    ]);
    expect(outcomes((await send(lines)).body).map(([, outcome]) => outcome)).toEqual([
      'unchanged',
      'unchanged',
      'unchanged',
      'unchanged',
    ]);
    expect(await events()).toEqual(before);
    expect(await exported(target)).toBe(text);
    expect((await target.get('/api/v1/presets?q=bé', { key: apiKey })).body.total_count).toBe(1);
    expect((await target.get('/api/v1/presets?tag=eu/prod,beta', { key: apiKey })).body.total_count).toBe(1);
  });

  it('importing again applies later changes, but does not touch presets with newer versions', async () => {
    await source.post('/api/v1/presets/followed/responses', { model: 'one' });
    await send((await exported(source)).trimEnd().split('\n'));
    await source.post('/api/v1/presets/followed/responses', { model: 'two' });
    await source.send('PATCH', '/api/v1/presets/followed', { name: 'F', status: 'disabled' });
    await source.send('PATCH', '/api/v1/presets/followed', { status: 'active' });
    const text = await exported(source);
    const lines = text.trimEnd().split('\n');
    expect(outcomes((await send(lines)).body)).toContainEqual(['followed', 'updated', 1]);
    expect(await exported(target)).toBe(text);

    await target.post('/api/v1/presets/followed/responses', { model: 'three' });
    const ahead = await target.get('/api/v1/presets/followed', { key: apiKey });
    expect(outcomes((await send(lines)).body)).toContainEqual(['followed', 'ahead', 0]);
    expect((await target.get('/api/v1/presets/followed', { key: apiKey })).text).toBe(ahead.text);
  });

  it('an import follows a rename, adds aliases and takes no name away', async () => {
    const at = (slug: string) => `/api/v1/presets/${slug}`;
    await source.post(`${at('moving')}/responses`, { model: 'one' });
    const importAll = async () => {
      const { body } = await send((await exported(source)).trimEnd().split('\n'));
      return outcomes(body).find(([slug]) => String(slug).startsWith('mov'));
    };
    expect(await importAll()).toEqual(['moving', 'created', 1]);
    await target.send('PUT', `${at('moving')}/aliases/only-here`);
    await source.send('PATCH', at('moving'), { slug: 'moved' });
    expect(await importAll()).toEqual(['moved', 'updated', 0]);
    const { data } = (await target.get('/api/v1/presets?q=moved', { key: apiKey })).body;
    expect(data).toMatchObject([{ slug: 'moved', aliases: ['moving', 'only-here'] }]);
    const { data: events } = (await target.get(`${at('moving')}/events`, { key: apiKey })).body;
    expect(events.map(({ kind }: { kind: string }) => kind)).toEqual([
      'preset.imported',
      'preset.slug_changed',
      'preset.alias_added',
      'preset.imported',
      'preset.created',
    ]);
    expect(events.at(-1)).toMatchObject({ before: null });
    expect(await importAll()).toEqual(['moved', 'unchanged', 0]);
    await source.send('PATCH', at('moved'), { name: 'Moved' });
    // Here the preset has another slug now, which an import that does not know it does not change.
    await target.send('PATCH', at('moved'), { slug: 'moved-on' });
    await source.send('PATCH', at('moved'), { name: 'Moved again' });
    expect(await importAll()).toEqual(['moved', 'updated', 0]);
    expect((await target.get(at('moved'), { key: apiKey })).body.data).toMatchObject({
      slug: 'moved-on',
      name: 'Moved again',
    });
  });

  it('an import with a name that another preset has is a conflict and changes nothing', async () => {
    await target.post('/api/v1/presets/holder/responses', {});
    await target.send('PUT', '/api/v1/presets/holder/aliases/held');
    const slug = 'newcomer';
    const { body } = await send([
      preset({ slug, aliases: ['free', 'held'] }),
      version({ slug }),
      preset({ slug: 'crowd', aliases: Array.from({ length: 20 }, (_, index) => `crowd-${index}`) }),
      version({ slug: 'crowd' }),
    ]);
    expect(body.data).toEqual([
      { slug, outcome: 'conflict', versions_added: 0, message: expect.any(String) },
      { slug: 'crowd', outcome: 'created', versions_added: 1 },
    ]);
    expect((await target.get(`/api/v1/presets/${slug}`, { key: apiKey })).status).toBe(404);
    expect((await target.get('/api/v1/presets/free', { key: apiKey })).status).toBe(404);
    const more = await send([
      preset({ slug: 'crowd', aliases: ['crowd-20'], updated_at: '2025-01-03T00:00:00.000Z' }),
      version({ slug: 'crowd' }),
    ]);
    expect(more.body.data).toMatchObject([
      {
        outcome: 'conflict',
        message: 'It would have 21 aliases, with those on this server; a preset can have 20.',
      },
    ]);
  });

  it.each([
    [{ aliases: ['a b'] }, '/0/aliases/0'],
    [{ aliases: ['made-up'] }, '/0/aliases/0'],
    [{ aliases: ['a', 'a'] }, '/0/aliases'],
    [{ aliases: Array.from({ length: 21 }, (_, index) => `a${index}`) }, '/0/aliases'],
    [{ aliases: 'a' }, '/0/aliases'],
  ])('rejects a preset line with %j', async (changes, path) => {
    const { status, body } = await send([preset(changes), version()]);
    expect([status, body.error.metadata.issues[0].path]).toEqual([400, path]);
  });

  it('an import does not undo later changes on the target', async () => {
    await source.post('/api/v1/presets/later/responses', { model: 'one' });
    await source.post('/api/v1/presets/later/responses', { model: 'two' });
    const lines = (await exported(source)).trimEnd().split('\n');
    await send(lines);
    await target.send('PATCH', '/api/v1/presets/later', { designated_version: 1, name: 'Mine' });
    await target.send('PUT', '/api/v1/presets/later/labels/production', { version: 1 });
    const mine = await target.get('/api/v1/presets/later', { key: apiKey });
    const { body } = await send(lines);
    const result = body.data.find(({ slug }: { slug: string }) => slug === 'later');
    expect(result).toEqual({
      slug: 'later',
      outcome: 'ahead',
      versions_added: 0,
      message: expect.stringMatching(
        /^It was changed on this server at \S+Z, later than in the import \(\S+Z\)\.$/,
      ),
    });
    expect((await target.get('/api/v1/presets/later', { key: apiKey })).text).toBe(mine.text);
    await source.send('PATCH', '/api/v1/presets/later', { name: 'Yours' });
    expect(outcomes((await send((await exported(source)).trimEnd().split('\n'))).body)).toContainEqual([
      'later',
      'updated',
      0,
    ]);
  });

  it('an import never changes a version; it reports the conflict and imports the other presets', async () => {
    await target.post('/api/v1/presets/clash/responses', { model: 'mine' });
    const mine = await target.get('/api/v1/presets/clash', { key: apiKey });
    const { status, body } = await send([
      preset({ slug: 'clash', versions: 2 }),
      version({ slug: 'clash', config: { model: 'yours' } }),
      version({ slug: 'clash', version: 2 }),
      preset({ slug: 'no-clash' }),
      version({ slug: 'no-clash' }),
    ]);
    expect(status).toBe(200);
    expect(body.data).toEqual([
      {
        slug: 'clash',
        outcome: 'conflict',
        versions_added: 0,
        message: 'Version 1 differs from the one on this server; nothing of this preset was imported.',
      },
      { slug: 'no-clash', outcome: 'created', versions_added: 1 },
    ]);
    expect((await target.get('/api/v1/presets/clash', { key: apiKey })).text).toBe(mine.text);
  });

  it('an import compares every version that is on the server', async () => {
    const numbers = Array.from({ length: 22 }, (_, index) => index + 1);
    const lines = (config: object) => [
      preset({ slug: 'many', versions: 22 }),
      ...numbers.map((number) =>
        version({ slug: 'many', version: number, ...(number === 21 && { config }) }),
      ),
    ];
    expect(outcomes((await send(lines({ model: 'mine' }))).body)).toEqual([['many', 'created', 22]]);
    const { body } = await send(lines({ model: 'yours' }));
    expect(body.data).toMatchObject([
      { outcome: 'conflict', message: expect.stringMatching(/^Version 21 differs/) },
    ]);
  });

  it('an import applies the time of the last change of status, even if nothing else differs', async () => {
    const lines = (at: string | null) => [
      preset({ slug: 'timed', status_updated_at: at }),
      version({ slug: 'timed' }),
    ];
    await send(lines(null));
    const later = lines('2025-01-01T12:00:00.000Z');
    expect(outcomes((await send(later)).body)).toEqual([['timed', 'updated', 0]]);
    expect(outcomes((await send(later)).body)).toEqual([['timed', 'unchanged', 0]]);
  });

  it('imports a preset in parts, and sets its name and live version with the last part', async () => {
    const whole = preset({
      slug: 'parts',
      name: 'Whole',
      versions: 3,
      designated_version: 2,
      labels: { a: 1 },
      tags: ['z', 'a'],
    });
    const part = (...numbers: number[]) => [
      whole,
      ...numbers.map((number) => version({ slug: 'parts', version: number, config: { top_k: number } })),
    ];
    expect(outcomes((await send(part(2, 3))).body)).toEqual([['parts', 'conflict', 0]]);
    expect(outcomes((await send(part(1, 2))).body)).toEqual([['parts', 'created', 2]]);
    // Later versions may be drafts, and must not go live in the meantime.
    expect((await target.get('/api/v1/presets/parts', { key: apiKey })).body.data).toMatchObject({
      name: 'parts',
      updated_at: '2025-01-02T00:00:00.000Z',
      designated_version: { version: 1 },
    });
    expect(outcomes((await send(part(3))).body)).toEqual([['parts', 'updated', 1]]);
    expect((await target.get('/api/v1/presets/parts', { key: apiKey })).body.data).toMatchObject({
      name: 'Whole',
      created_at: '2025-01-01T00:00:00.000Z',
      updated_at: '2025-01-02T00:00:00.000Z',
      designated_version: { version: 2, config: { top_k: 2 } },
    });
    expect(outcomes((await send(part(1, 2, 3))).body)).toEqual([['parts', 'unchanged', 0]]);
    expect(outcomes((await send(part(2, 3))).body)).toEqual([['parts', 'unchanged', 0]]);
    const tags = async () => (await target.get('/api/v1/presets/parts/tags', { key: apiKey })).body.data;
    expect(await tags()).toEqual(['a', 'z']);
    // Without tags in the export, the preset has none.
    expect(outcomes((await send([{ ...whole, tags: undefined }])).body)).toEqual([['parts', 'updated', 0]]);
    expect(await tags()).toEqual([]);
  });

  it.each([
    ['not JSON', ['{"type":'], 'Line 1: The request body is not valid JSON'],
    ['a version without a preset', [version()], '/0/slug must be the slug of the preceding preset'],
    [
      'a gap in versions',
      [preset({ versions: 3 }), version(), version({ version: 3 })],
      '/2/version must be 2',
    ],
    ['too many versions', [preset(), version(), version({ version: 2 })], '/2/version must be at most 1'],
    ['a label on a missing version', [preset({ labels: { a: 2 } })], '/0/versions must be at least'],
    [
      'an invalid label',
      [preset({ labels: { latest1_: 1 } })],
      '/0/labels/latest1_ must be 1 to 63 characters from a-z 0-9 - and begin with a letter',
    ],
    ['an invalid tag', [preset({ tags: ['a', 'B'] })], '/0/tags/1 must be 1 to 64 characters from a-z'],
    ['a repeated tag', [preset({ tags: ['a', 'a'] })], '/0/tags must not repeat an item'],
    ['a built-in label', [preset({ labels: { latest: 1 } })], '/0/labels/latest is a built-in label'],
    [
      'a repeated slug',
      [preset(), version(), preset(), version()],
      '/2/slug must not repeat an earlier preset',
    ],
    ['an invalid slug', [preset({ slug: 'a b' })], '/0/slug must be 1 to 128 characters from A-Z'],
    ['an invalid time', [preset({ created_at: 'yesterday' })], '/0/created_at must be a time since 1970'],
    [
      'a time before 1970',
      [preset({ created_at: '0050-01-01T00:00:00.000Z' })],
      '/0/created_at must be a time',
    ],
    ['a leap second', [preset({ updated_at: '2016-12-31T23:59:60.000Z' })], '/0/updated_at must be a time'],
    ['a date that does not exist', [preset({ updated_at: '2025-02-30T00:00:00.000Z' })], '/0/updated_at'],
    ['an empty prompt', [preset(), version({ system_prompt: '' })], '/1/system_prompt'],
    ['a newer format', [{ type: 'export', format: 2, presets: 1 }], '/0/format must be 1'],
    ['an unknown line', [{ type: 'other' }], '/0/type must be one of'],
    ['an unknown field', [preset({ owner: 'x' })], '/0/owner is not a known field'],
    [
      'an invalid config',
      [preset(), version({ config: { temperature: 9 } })],
      '/1/config/temperature must be at most 2',
    ],
    ['U+0000 in a config', [preset(), version({ config: { model: 'a\0' } })], '/1/config/model contains'],
    [
      'U+0000 in a prompt',
      [preset(), version({ system_prompt: 'a\0' })],
      '/1/config has a system prompt that',
    ],
    [
      'a preset as a model',
      [preset(), version({ config: { model: '@preset/a' } })],
      '/1/config/model must name a model, not a preset',
    ],
    ['an empty line', [preset(), '', version()], 'Line 2: The request body is empty'],
    ['content in a config', [preset(), version({ config: { input: 'x' } })], '/1/config must have only'],
    [
      'an unknown field in a config',
      [preset(), version({ config: { nope: 1 } })],
      '/1/config must have only',
    ],
  ])('an import with %s is rejected and stores nothing', async (_, lines, message) => {
    const before = await exported(target);
    const response = await send([...lines]);
    expect(response.status).toBe(400);
    expect(response.body.error.message).toContain(message);
    expect(await exported(target)).toBe(before);
  });

  it('rejects an import with too many lines or presets without parsing them all', async () => {
    const flood = await target.send('POST', '/api/v1/import', '\n'.repeat(1_000_000), { headers: ndjson });
    expect(flood).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('Line 1: ') } },
    });
    const many = await target.send('POST', '/api/v1/import', '0\n'.repeat(10_001), { headers: ndjson });
    expect(many).toMatchObject({ status: 413 });
    const presets = Array.from({ length: 1_001 }, (_, index) => preset({ slug: `many-${index}` }));
    expect((await send(presets)).body.error.message).toContain('/1000 must be in another request');
  });

  it('HEAD of an export returns its headers without producing it', async () => {
    const response = await source.send('HEAD', '/api/v1/export');
    expect([response.status, response.text]).toEqual([200, '']);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  });

  it('an import names the line that is too large', async () => {
    const response = await send([preset(), version({ system_prompt: 'x'.repeat(1_048_577) })]);
    expect(response.status).toBe(413);
    expect(response.body.error.message).toMatch(/^Line 2: The captured config and system prompt are/);
  });

  it('an import needs newline-delimited JSON and a key that can write', async () => {
    expect(await target.post('/api/v1/import', {})).toMatchObject({
      status: 415,
      body: {
        error: {
          message:
            'The request body must be newline-delimited JSON. Send it with "Content-Type: application/x-ndjson".',
        },
      },
    });
    const key = await addKey(target.database, { readOnly: true });
    const readOnly = { key, headers: ndjson };
    const lines = [preset(), version()].map((line) => JSON.stringify(line)).join('\n');
    expect((await target.send('POST', '/api/v1/import', lines, readOnly)).status).toBe(403);
    expect((await target.get('/api/v1/export', { key })).status).toBe(200);
  });
});
