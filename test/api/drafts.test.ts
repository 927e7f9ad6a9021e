import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { draftBytesMax } from '../../src/core/presets/preset.ts';
import { anyEngine } from '../support/engines.ts';
import { makeKey, makeMember } from '../support/organizations.ts';
import { managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { makeSession, ofSession } from '../support/sessions.ts';

describe('drafts of a preset', () => {
  let server: TestServer;
  let ben: Awaited<ReturnType<typeof person>>;
  let cleo: Awaited<ReturnType<typeof person>>;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    await push('plain');
    [ben, cleo] = [await person('ben', { first_name: 'Ben', last_name: 'B' }), await person('cleo')];
  });
  afterAll(() => server.stop());

  type As = { readonly key?: string | null; readonly headers?: Record<string, string> };
  /** A member who is signed in, with a key of their own. */
  const person = async (name: string, details: Readonly<Record<string, unknown>> = {}) => {
    const id = await makeMember(server, `${name}@example.com`, details);
    const token = await makeSession(server, id);
    const { secret } = await makeKey(server, { creator_user_id: id, workspace_id: await defaultWorkspace() });
    return { id, session: { key: null, headers: { ...ofSession(token) } }, key: { key: secret } };
  };
  const defaultWorkspace = async () =>
    (await server.get('/api/v1/workspaces', { key: managementKey })).body.data[0].id;
  const push = (slug: string, body: object = {}) => server.post(`/api/v1/presets/${slug}/responses`, body);
  const send = (method: string, slug: string, body?: unknown, { key, headers = {} }: As = {}) =>
    server.send(method, `/api/v1/presets/${slug}/draft`, body, {
      ...(key !== undefined && { key }),
      headers,
    });
  const get = (slug: string, as?: As) => send('GET', slug, undefined, as);
  const put = (slug: string, changes: object = {}, as?: As) =>
    send('PUT', slug, { text: '{', dialect: 'messages', base_version: 1, ...changes }, as);
  const list = (slug: string, as: As = {}) => server.get(`/api/v1/presets/${slug}/drafts`, as);
  const withCondition = ({ key, headers }: As, more: Record<string, string>): As => ({
    ...(key !== undefined && { key }),
    headers: { ...headers, ...more },
  });
  const messageOf = ({ status, body }: { status: number; body: { error?: { message: string } } }) => [
    status,
    body.error?.message,
  ];

  it('are saved, read, replaced and discarded without a change of the preset', async () => {
    await push('mail');
    const before = (await server.get('/api/v1/presets/mail')).headers.get('etag');
    expect(messageOf(await get('mail'))).toEqual([404, 'You have no draft of the preset "mail".']);
    const saved = await put('mail', { text: '{"model": "m",\n "temperature": 0.10' });
    expect([saved.status, saved.body]).toEqual([
      200,
      {
        data: {
          text: '{"model": "m",\n "temperature": 0.10',
          dialect: 'messages',
          base_version: 1,
          updated_at: expect.stringMatching(/Z$/),
        },
      },
    ]);
    const read = await get('mail');
    expect([read.body, read.headers.get('etag')]).toEqual([saved.body, saved.headers.get('etag')]);
    const etag = read.headers.get('etag') ?? '';
    expect((await get('mail', { headers: { 'if-none-match': etag } })).status).toBe(304);
    const replaced = await put('mail', { text: '', dialect: null });
    expect(replaced.body.data).toMatchObject({ text: '', dialect: null });
    expect(replaced.headers.get('etag')).not.toBe(etag);
    const again = await put('mail', { text: '', dialect: null });
    expect([again.text, again.headers.get('etag')]).toEqual([replaced.text, replaced.headers.get('etag')]);
    expect((await send('DELETE', 'mail')).body).toEqual({ deleted: true });
    expect((await send('DELETE', 'mail')).status).toBe(404);
    expect((await server.get('/api/v1/presets/mail')).headers.get('etag')).toBe(before);
    expect((await server.get('/api/v1/presets/mail/events')).body.total_count).toBe(1);
  });

  it('belong to a person, whose sessions and keys share them', async () => {
    await push('shared');
    await put('shared', { text: "Ben's" }, ben.session);
    expect((await get('shared', ben.key)).body.data.text).toBe("Ben's");
    expect((await put('shared', { text: "Ben's, by key" }, ben.key)).status).toBe(200);
    expect((await get('shared', ben.session)).body.data.text).toBe("Ben's, by key");
    for (const other of [cleo.session, cleo.key, { key: managementKey }, {}])
      expect((await get('shared', other)).status).toBe(404);
    await put('shared', { text: "Cleo's" }, cleo.session);
    expect((await send('DELETE', 'shared', undefined, cleo.key)).status).toBe(200);
    expect((await get('shared', ben.session)).body.data.text).toBe("Ben's, by key");
  });

  it('are listed newest first with their authors and without their text', async () => {
    await push('listed');
    await push('listed', { model: 'two' });
    await put('listed', { text: 'confidential words' }, ben.session);
    await put('listed', { text: 'confidential words', base_version: 2 }, cleo.session);
    const { text, body } = await list('listed');
    expect(text).not.toContain('confidential');
    expect(body).toEqual({
      data: [
        {
          user_id: cleo.id,
          email: 'cleo@example.com',
          name: null,
          base_version: 2,
          updated_at: expect.any(String),
        },
        {
          user_id: ben.id,
          email: 'ben@example.com',
          name: 'Ben B',
          base_version: 1,
          updated_at: expect.any(String),
        },
      ],
      total_count: 2,
    });
    const page = await server.get('/api/v1/presets/listed/drafts?offset=1&limit=1', ben.session);
    expect(page.body).toMatchObject({ data: [{ user_id: ben.id }], total_count: 2 });
    for (const path of ['/presets/listed', '/presets/listed/versions', '/presets/listed/events', '/audit'])
      expect((await server.get(`/api/v1${path}`, { key: managementKey })).text).not.toContain('confidential');
  });

  it('a stale tab can neither overwrite nor delete a newer draft', async () => {
    await push('tabs');
    const fresh = { 'if-none-match': '*' };
    const first = await put('tabs', { text: 'one' }, withCondition(ben.session, fresh));
    const etag = first.headers.get('etag') ?? '';
    expect(messageOf(await put('tabs', { text: 'two' }, withCondition(ben.session, fresh)))).toEqual([
      412,
      'You already have a draft of this preset.',
    ]);
    const second = await put('tabs', { text: 'two' }, withCondition(ben.session, { 'if-match': etag }));
    expect(second.status).toBe(200);
    const stale = withCondition(ben.session, { 'if-match': etag });
    expect(messageOf(await put('tabs', { text: 'three' }, stale))).toEqual([
      412,
      expect.stringMatching(
        /^Your draft has changed since you read it: its ETag is now ".*"\. Read it again/,
      ),
    ]);
    expect((await send('DELETE', 'tabs', undefined, stale)).status).toBe(412);
    expect((await get('tabs', ben.session)).body.data.text).toBe('two');
    // Another draft never gets the ETag of an earlier one.
    await send('DELETE', 'tabs', undefined, ben.session);
    await put('tabs', { text: 'new' }, ben.session);
    expect((await put('tabs', { text: 'old' }, stale)).status).toBe(412);
    expect(messageOf(await put('tabs', {}, { headers: { 'if-none-match': '"x"' } }))).toEqual([
      400,
      'On a write, the header If-None-Match must be *, which requires that the draft does not exist yet.',
    ]);
  });

  it('are kept while the preset is archived, and found by its aliases', async () => {
    await push('shelved');
    await server.send('PUT', '/api/v1/presets/shelved/aliases/shelved-alias');
    await server.send('DELETE', '/api/v1/presets/shelved');
    expect((await put('shelved-alias', { text: 'typed' })).status).toBe(200);
    expect((await get('shelved')).body.data.text).toBe('typed');
  });

  it('saving a draft requires write access, listing drafts only read access', async () => {
    await push('limited');
    const id = await makeMember(server, 'viewer@example.com');
    const path = `/api/v1/workspaces/default/members/${id}`;
    await server.send('PATCH', path, { role: 'viewer' }, { key: managementKey });
    const viewer = { key: null, headers: { ...ofSession(await makeSession(server, id)) } };
    expect((await put('limited', {}, viewer)).status).toBe(403);
    expect((await list('limited', viewer)).status).toBe(200);
    expect((await get('limited', viewer)).status).toBe(404);
    const { secret } = await makeKey(server, {
      workspace_id: await defaultWorkspace(),
      presets: ['mail'],
    });
    expect((await put('limited', {}, { key: secret })).status).toBe(403);
    expect((await put('mail', {}, { key: secret })).status).toBe(200);
  });

  it('drafts of a removed member are gone, even if the member comes back', async () => {
    await push('leaving');
    const dan = await person('dan');
    await put('leaving', {}, dan.session);
    await server.send('DELETE', `/api/v1/organization/members/${dan.id}`, undefined, { key: managementKey });
    expect((await list('leaving')).body).toEqual({ data: [], total_count: 0 });
    const { session } = await person('dan');
    expect((await get('leaving', session)).status).toBe(404);
  });

  it.each([
    ['a text that is missing', { text: undefined }, 400, /\/text is required/],
    ['text that cannot be stored', { text: 'a\u0000b' }, 400, /\/text contains the character U\+0000/],
    ['an unknown dialect', { dialect: 'x' }, 400, /\/dialect/],
    ['a base version that is no number', { base_version: '1' }, 400, /\/base_version/],
    ['a base version that does not exist', { base_version: 2 }, 404, /has no version 2; it has version 1/],
    ['an unknown field', { note: 'x' }, 400, /note/],
    ['too much text', { text: 'é'.repeat(draftBytesMax / 2 + 1) }, 413, /at most 4194304 bytes/],
  ])('a draft is refused for %s', async (_, changes, status, message) => {
    expect(messageOf(await put('plain', changes))).toEqual([status, expect.stringMatching(message)]);
  });

  it('a draft of the maximum size is saved', async () => {
    await push('large');
    const text = '"'.repeat(draftBytesMax);
    expect((await put('large', { text })).status).toBe(200);
    expect((await get('large')).body.data.text).toBe(text);
  });
});
