import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PresetEdit } from '../../src/api/presets.ts';
import { tagRule } from '../../src/core/presets/tag.ts';
import { anyEngine } from '../support/engines.ts';
import { apiKey, startTestServer, type TestServer } from '../support/server.ts';

const at = (slug: string, rest = '') => `/api/v1/presets/${slug}${rest}`;

describe('managing presets', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
  });
  afterAll(() => server.stop());

  const push = (slug: string, changes: object = {}) => server.post(at(slug, '/responses'), changes);
  const get = (slug: string, rest = '', headers: Record<string, string> = {}) =>
    server.get(at(slug, rest), { key: apiKey, headers });
  const patch = (slug: string, body: unknown, headers: Record<string, string> = {}) =>
    server.send('PATCH', at(slug), body, { headers });
  const eventKinds = async (slug: string) => {
    const { body } = await get(slug, '/events');
    return body.data.map((event: { kind: string }) => event.kind);
  };

  it('reads a preset exactly as its capture returned it, also from the cache', async () => {
    const created = await push('read', { model: 'a/b', instructions: 'Be kind.' });
    for (let time = 0; time < 2; time += 1) {
      const read = await get('read');
      expect(read.text).toBe(created.text);
      expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
    }
    expect(await get('not-there')).toMatchObject({
      status: 404,
      body: { error: { message: 'There is no preset "not-there" that you can access.' } },
    });
  });

  it('a change is visible immediately, even if the preset is cached', async () => {
    await push('own');
    for (let version = 2; version <= 20; version += 1) {
      await Promise.all([get('own'), push('own'), get('own')]);
      expect((await get('own')).body.data.designated_version.version).toBe(version);
    }
  });

  it('renames, describes, disables and enables a preset', async () => {
    await push('edited');
    const named = await patch('edited', { name: 'Edited ✓', description: 'Line 1\nLine 2' });
    expect(named.body.data).toMatchObject({
      name: 'Edited ✓',
      description: 'Line 1\nLine 2',
      status_updated_at: null,
    });
    const disabled = await patch('edited', { status: 'disabled' });
    expect(disabled.body.data).toMatchObject({
      status: 'disabled',
      status_updated_at: disabled.body.data.updated_at,
    });
    expect((await patch('edited', { status: 'active', description: null })).body.data).toMatchObject({
      name: 'Edited ✓',
      status: 'active',
      description: null,
    });
    expect(await eventKinds('edited')).toEqual([
      'preset.enabled',
      'preset.described',
      'preset.disabled',
      'preset.described',
      'preset.renamed',
      'preset.created',
    ]);
  });

  /** A value that a new preset does not have, for every field of an edit. */
  const edits = {
    slug: 'one-of-all',
    name: 'New',
    description: 'New',
    status: 'disabled',
    tags: ['new'],
    designated_version: 1,
  } as const satisfies Record<keyof typeof PresetEdit.schema.properties, unknown>;

  const exported = async (slug: string) => {
    const { text } = await server.get('/api/v1/export');
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { updated_at, ...preset } = lines.find(
      (line) => line.slug === slug || line.aliases?.includes(slug),
    );
    return preset;
  };

  it.each(Object.entries(edits))('a change of %s is stored, recorded and exported', async (field, value) => {
    const slug = `one-${field.replaceAll('_', '-')}`;
    await push(slug);
    const { headers } = await push(slug);
    const before = await exported(slug);
    const edited = await patch(slug, { [field]: value });
    expect(edited.status).toBe(200);
    // The ETag counts the recorded changes.
    expect(edited.headers.get('etag')).not.toBe(headers.get('etag'));
    expect(await exported(slug)).not.toEqual(before);
  });

  it('sets, replaces and removes tags, which the preset itself does not show', async () => {
    const { body } = await push('marked');
    const tagged = await patch('marked', { tags: ['team:growth', 'beta'] });
    expect(Object.keys(tagged.body.data)).toEqual(Object.keys(body.data));
    const listed = await get('marked', '/tags');
    expect(listed.body).toEqual({ data: ['beta', 'team:growth'], total_count: 2 });
    expect(listed.headers.get('etag')).toBe(tagged.headers.get('etag'));
    const stale = await patch('marked', { tags: [] }, { 'if-match': '"other"' });
    expect(stale.status).toBe(412);
    await patch('marked', { tags: ['beta'] }, { 'if-match': listed.headers.get('etag') ?? '' });
    expect((await get('marked', '/tags')).body).toEqual({ data: ['beta'], total_count: 1 });
    await patch('marked', { tags: [] });
    expect((await get('marked', '/tags')).body).toEqual({ data: [], total_count: 0 });
    const { data } = (await get('marked', '/events')).body;
    expect(data.map(({ kind, before, after }: Record<string, unknown>) => [kind, before, after])).toEqual([
      ['preset.tagged', { tags: 'beta' }, { tags: null }],
      ['preset.tagged', { tags: 'beta, team:growth' }, { tags: 'beta' }],
      ['preset.tagged', { tags: null }, { tags: 'beta, team:growth' }],
      ['preset.created', null, { version: 1, designated_version: 1 }],
    ]);
    expect((await get('nothing', '/tags')).status).toBe(404);
  });

  it('rolls back and forward, and numbers the next version after the latest one', async () => {
    await push('rolled', { model: 'one' });
    await push('rolled', { model: 'two' });
    const back = await patch('rolled', { designated_version: 1 });
    expect(back.body.data.designated_version).toMatchObject({ version: 1, config: { model: 'one' } });
    expect(back.text).toBe(`${(await get('rolled')).text.slice(0, -1)},"warnings":[]}`);
    for (const { headers } of [back, await get('rolled')])
      expect(headers.get('x-presetd-latest-version')).toBe('2');
    await push('rolled', { model: 'three' });
    expect((await get('rolled')).headers.get('x-presetd-latest-version')).toBe('3');
    expect((await get('rolled', '/events')).body.data[0]).toMatchObject({
      number: 4,
      kind: 'preset.version_added',
      before: { designated_version: 1 },
      after: { version: 3, designated_version: 3 },
    });
    expect(await patch('rolled', { designated_version: 4 })).toMatchObject({
      status: 404,
      body: { error: { message: 'The preset "rolled" has no version 4; it has versions 1 to 3.' } },
    });
  });

  it('an edit that changes nothing creates no event and no new ETag', async () => {
    const { headers, body } = await push('same');
    const again = await patch('same', {
      name: 'same',
      description: null,
      status: 'active',
      tags: [],
      designated_version: 1,
    });
    expect(again.body).toEqual({ ...body, warnings: [] });
    expect(again.headers.get('etag')).toBe(headers.get('etag'));
    await server.send('PUT', at('same', '/labels/prod'), { version: 1 });
    const { body: labeled } = await get('same', '/labels');
    await server.send('PUT', at('same', '/labels/prod'), { version: 1 });
    expect((await get('same', '/labels')).body).toEqual(labeled);
    expect((await get('same', '/events')).body.total_count).toBe(2);
  });

  it.each([
    [{}, '', 'must have at least 1 of the fields slug, name, description, status, tags, designated_version'],
    [{ nmae: 'x' }, '/nmae', 'is not a known field'],
    [{ slug: 'a b' }, '/slug', 'must be 1 to 128 characters from A-Z a-z 0-9 - . _ ~, and not "." or ".."'],
    [{ name: '' }, '/name', 'must have at least 1 character'],
    [{ name: '   ' }, '/name', 'must contain a visible character'],
    [{ name: 'a\nb' }, '/name', 'must not contain line breaks or other control characters'],
    [{ name: 'x'.repeat(201) }, '/name', 'must have at most 200 characters'],
    [{ name: null }, '/name', 'must be a string'],
    [{ description: 'x'.repeat(2_001) }, '/description', 'must have at most 2000 characters'],
    [{ description: 'a\0b' }, '/description', 'contains the character U+0000; remove it'],
    [{ status: 'archived' }, '/status', 'must be "active" or "disabled"'],
    [{ tags: 'support' }, '/tags', 'must be a list'],
    [{ tags: null }, '/tags', 'must be a list'],
    [{ tags: [7] }, '/tags/0', tagRule],
    [{ tags: ['a', 'B'] }, '/tags/1', tagRule],
    [{ tags: ['b', 'a', 'b'] }, '/tags', 'must not repeat an item; items 0 and 2 are the same'],
    [{ tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }, '/tags', 'must have at most 20 items'],
    [{ designated_version: 0 }, '/designated_version', 'must be at least 1'],
    [{ designated_version: '1' }, '/designated_version', 'must be a whole number'],
  ])('rejects the edit %j', async (body, path, message) => {
    await push('refused');
    const response = await patch('refused', body);
    expect(response.status).toBe(400);
    expect(response.body.error.metadata.issues).toEqual([{ path, message }]);
  });

  it('reports every unknown field', async () => {
    await push('unknown');
    const { body } = await patch('unknown', { foo: 1, bar: 2, name: '' });
    expect(body.error.metadata.issues).toEqual([
      { path: '/foo', message: 'is not a known field' },
      { path: '/bar', message: 'is not a known field' },
      { path: '/name', message: 'must have at least 1 character' },
    ]);
  });

  it('does not write when dry_run is misspelled', async () => {
    const response = await server.post(at('misspelled', '/responses?dryRun=true'), {});
    expect(response.status).toBe(400);
    expect(response.body.error.message).toContain('did you mean dry_run?');
    expect((await get('misspelled')).status).toBe(404);
  });

  it('archives and restores a preset any number of times, and keeps its slug taken', async () => {
    await push('shelved');
    const archived = await server.send('DELETE', at('shelved'));
    expect(archived.body.data).toMatchObject({
      status: 'archived',
      status_updated_at: archived.body.data.updated_at,
    });
    expect((await server.send('DELETE', at('shelved'))).text).toBe(archived.text);
    expect((await get('shelved')).text).toBe(archived.text);
    expect((await push('shelved')).status).toBe(409);
    expect((await patch('shelved', { name: 'x' })).status).toBe(409);
    expect((await server.send('PUT', at('shelved', '/labels/a'), { version: 1 })).status).toBe(409);
    const restored = await server.send('POST', at('shelved', '/restore'));
    expect(restored.body.data).toMatchObject({ status: 'active' });
    expect((await server.send('POST', at('shelved', '/restore'))).text).toBe(restored.text);
    expect((await push('shelved')).status).toBe(200);
    expect(await eventKinds('shelved')).toEqual([
      'preset.version_added',
      'preset.restored',
      'preset.archived',
      'preset.created',
    ]);
  });

  it('does not archive a disabled preset', async () => {
    await push('off');
    await patch('off', { status: 'disabled' });
    expect(await server.send('DELETE', at('off'))).toMatchObject({
      status: 409,
      body: { error: { message: 'The preset "off" is disabled. Enable it before archiving it.' } },
    });
  });

  it('creates, moves and removes labels', async () => {
    await push('labeled');
    await push('labeled');
    const set = await server.send('PUT', at('labeled', '/labels/staging'), { version: 2 });
    expect(set.body).toEqual({
      data: { label: 'staging', version: 2, updated_at: expect.any(String) },
      warnings: [],
    });
    await server.send('PUT', at('labeled', '/labels/a-1'), { version: 1 });
    await server.send('PUT', at('labeled', '/labels/staging'), { version: 1 });
    expect((await get('labeled', '/labels')).body).toMatchObject({
      data: [
        { label: 'a-1', version: 1 },
        { label: 'staging', version: 1 },
      ],
      total_count: 2,
    });
    expect((await server.send('DELETE', at('labeled', '/labels/a-1'))).body).toEqual({ deleted: true });
    expect(await server.send('DELETE', at('labeled', '/labels/a-1'))).toMatchObject({
      status: 404,
      body: {
        error: { message: 'The preset "labeled" has no label "a-1"; it has staging, latest, designated.' },
      },
    });
    const { body } = await get('labeled', '/events?limit=2&offset=1');
    expect(body).toMatchObject({
      data: [
        {
          number: 5,
          kind: 'preset.label_moved',
          before: { label: 'staging', version: 2 },
          after: { label: 'staging', version: 1 },
        },
        { number: 4, before: { label: 'a-1', version: null }, after: { label: 'a-1', version: 1 } },
      ],
      total_count: 6,
    });
  });

  it.each(['1', '3a', 'A', 'a_b', '-a', 'a'.repeat(64), 'latest', 'designated', 'ä'])(
    'rejects the label %s',
    async (label) => {
      await push('unlabeled');
      const path = at('unlabeled', `/labels/${encodeURIComponent(label)}`);
      expect((await server.send('PUT', path, { version: 1 })).status).toBe(400);
      expect((await server.send('DELETE', path)).status).toBe(400);
    },
  );

  it('does not set a label on a version that does not exist', async () => {
    await push('short');
    expect((await server.send('PUT', at('short', '/labels/next'), { version: 2 })).status).toBe(404);
    expect((await get('short', '/labels')).body).toEqual({ data: [], total_count: 0 });
  });

  it('lists versions oldest first, and reads a single one', async () => {
    for (const model of ['one', 'two', 'three']) await push('history', { model });
    const { body } = await get('history', '/versions?offset=1&limit=2');
    expect(body.total_count).toBe(3);
    expect(body.data.map((version: { version: number }) => version.version)).toEqual([2, 3]);
    const one = await get('history', '/versions/1');
    expect(one.body.data).toMatchObject({ version: 1, config: { model: 'one' } });
    expect((await get('history', '/versions?limit=1')).body.data).toEqual([one.body.data]);
    expect((await get('history', '/versions?offset=3')).body).toEqual({ data: [], total_count: 3 });
    for (const wrong of ['0', '-1', '1.5', 'latest', '01', '1e1', 'x'])
      expect([wrong, (await get('history', `/versions/${wrong}`)).status]).toEqual([wrong, 400]);
    for (const absent of ['4', '2147483648', '99999999999999999999'])
      expect([absent, (await get('history', `/versions/${absent}`)).status]).toEqual([absent, 404]);
    expect((await get('nothing', '/versions')).status).toBe(404);
    expect((await get('nothing', '/versions/1')).status).toBe(404);
  });

  it('returns the dialect and the creator of a version where versions are read', async () => {
    const { body: created } = await push('origin', { model: 'm' });
    await server.post(at('origin', '/messages'), { model: 'm', max_tokens: 1, messages: [] });
    await server.post(at('origin', '/chat/completions'), { messages: [{ role: 'user', content: 'x' }] });
    const { data } = (await get('origin', '/versions')).body;
    expect(data[0]).toEqual({
      ...created.data.designated_version,
      dialect: 'responses',
      presetd: null,
      creator_email: 'owner@localhost',
    });
    expect(data.map(({ dialect }: { dialect: string }) => dialect)).toEqual([
      'responses',
      'messages',
      'chat-completions',
    ]);
    expect((await get('origin', '/versions/2')).body.data).toEqual(data[1]);
    expect(Object.keys((await get('origin')).body.data.designated_version)).toEqual(
      Object.keys(created.data.designated_version),
    );
  });

  it('returns 304 for the current ETag, and 200 once the preset has changed', async () => {
    const { headers } = await push('tagged');
    const etag = headers.get('etag') ?? '';
    for (const header of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const response = await get('tagged', '', { 'if-none-match': header });
      expect([header, response.status, response.text]).toEqual([header, 304, '']);
      expect(response.headers.get('etag')).toBe(etag);
    }
    const version = (await get('tagged', '/versions/1')).headers.get('etag') ?? '';
    await push('tagged');
    expect((await get('tagged', '', { 'if-none-match': etag })).status).toBe(200);
    expect((await get('tagged', '/versions/1', { 'if-none-match': version })).status).toBe(304);
    // Clients may have cached an older format, without the dialect, under the bare id.
    const { id } = (await get('tagged', '/versions/1')).body.data;
    expect((await get('tagged', '/versions/1', { 'if-none-match': `"${id}"` })).status).toBe(200);
  });

  it('only one of several concurrent edits with the same If-Match succeeds', async () => {
    const { headers } = await push('contested');
    const mine = { 'if-match': headers.get('etag') ?? '' };
    const responses = await Promise.all([
      patch('contested', { name: 'Mine' }, mine),
      patch('contested', { name: 'Yours' }, mine),
      server.post(at('contested', '/responses'), {}, { headers: mine }),
      server.send('PUT', at('contested', '/labels/a'), { version: 1 }, { headers: mine }),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    expect(responses.find(({ status }) => status === 412)?.body.error.message).toMatch(
      /^The preset "contested" has changed since you read it: its ETag is now "[0-9a-f-]+\.2"\./,
    );
    expect((await server.send('DELETE', at('contested'), undefined, { headers: mine })).status).toBe(412);
    const { headers: now } = await get('contested');
    expect((await patch('contested', { name: 'Ours' }, { 'if-match': now.get('etag') ?? '' })).status).toBe(
      200,
    );
    expect((await patch('contested', { name: 'x' }, { 'if-match': 'unquoted' })).status).toBe(400);
    expect((await patch('not-there', { name: 'x' }, { 'if-match': '*' })).status).toBe(404);
  });

  it('If-None-Match: * captures only new presets, and If-Match: * only existing ones', async () => {
    const create = (headers: Record<string, string>) =>
      server.post(at('careful', '/responses'), {}, { headers });
    expect((await create({ 'if-match': '*' })).status).toBe(412);
    const firsts = await Promise.all([1, 2, 3].map(() => create({ 'if-none-match': '*' })));
    expect(firsts.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    expect((await create({ 'if-match': '*' })).body.data.designated_version.version).toBe(2);
    expect((await create({ 'if-none-match': '"x"' })).status).toBe(400);
  });
});
