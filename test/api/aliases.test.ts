import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyEngine } from '../support/engines.ts';
import { startServerOn, startTestServer, type TestServer } from '../support/server.ts';

describe('aliases of a preset', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
  });
  afterAll(() => server.stop());

  const at = (slug: string, rest = '') => `/api/v1/presets/${slug}${rest}`;
  const push = (slug: string, body: object = {}, headers = {}) =>
    server.post(at(slug, '/responses'), body, { headers });
  const put = (slug: string, alias: string, headers = {}) =>
    server.send('PUT', at(slug, `/aliases/${alias}`), undefined, { headers });
  const remove = (slug: string, alias: string, headers = {}) =>
    server.send('DELETE', at(slug, `/aliases/${alias}`), undefined, { headers });
  const rename = (slug: string, to: string) => server.send('PATCH', at(slug), { slug: to });
  const messageOf = ({ status, body }: { status: number; body: { error?: { message: string } } }) => [
    status,
    body.error?.message,
  ];

  it('are added, read, listed and removed', async () => {
    const created = await push('mail');
    const added = await put('mail', 'pmpt_68a4b1');
    expect([added.status, added.body]).toEqual([
      200,
      { data: { alias: 'pmpt_68a4b1', created_at: expect.stringMatching(/Z$/) } },
    ]);
    expect(added.headers.get('etag')).not.toBe(created.headers.get('etag'));
    const again = await put('mail', 'pmpt_68a4b1');
    expect([again.text, again.headers.get('etag')]).toEqual([added.text, added.headers.get('etag')]);
    await put('mail', 'Letters');
    expect((await server.get(at('mail', '/aliases/pmpt_68a4b1'))).body).toEqual(added.body);
    const { body } = await server.get(at('pmpt_68a4b1', '/aliases'));
    expect(body).toMatchObject({ data: [{ alias: 'Letters' }, { alias: 'pmpt_68a4b1' }], total_count: 2 });
    const list = (await server.get('/api/v1/presets?q=mail')).body;
    expect(list.data[0]).toMatchObject({ slug: 'mail', aliases: ['Letters', 'pmpt_68a4b1'] });
    expect((await remove('Letters', 'Letters')).body).toEqual({ deleted: true });
    expect(messageOf(await remove('mail', 'Letters'))).toEqual([
      404,
      'The preset "mail" has no alias "Letters"; it has pmpt_68a4b1.',
    ]);
    expect((await server.get(at('mail', '/aliases/Letters'))).status).toBe(404);
    expect((await server.get(at('Letters'))).status).toBe(404);
    const { data } = (await server.get(at('mail', '/events'))).body;
    expect(
      data.map(({ kind, before, after }: Record<string, unknown>) => [kind, before, after]).slice(0, 3),
    ).toEqual([
      ['preset.alias_removed', { alias: 'Letters' }, null],
      ['preset.alias_added', null, { alias: 'Letters' }],
      ['preset.alias_added', null, { alias: 'pmpt_68a4b1' }],
    ]);
  });

  it('are accepted wherever a slug is, and responses show the slug', async () => {
    await push('bot', { model: 'one' });
    await push('bot', { model: 'two' });
    await put('bot', 'bot-alias');
    await server.send('PUT', at('bot-alias', '/labels/production'), { version: 1 });
    for (const rest of [
      '',
      '/',
      '/versions',
      '/versions/1',
      '/versions/2/diff',
      '/versions/2/diff?against=production',
      '/labels',
      '/events',
      '/aliases',
    ]) {
      const [bySlug, byAlias] = [await server.get(at('bot', rest)), await server.get(at('bot-alias', rest))];
      expect([rest, byAlias.status, byAlias.text]).toEqual([rest, 200, bySlug.text]);
      expect(byAlias.headers.get('etag')).toBe(bySlug.headers.get('etag'));
    }
    const audit = async (preset: string) => (await server.get(`/api/v1/audit?preset=${preset}`)).text;
    expect(await audit('bot-alias')).toBe(await audit('bot'));
    const edited = await server.send('PATCH', at('bot-alias'), { name: 'Bot', designated_version: 1 });
    expect(edited.body.data).toMatchObject({ slug: 'bot', name: 'Bot', designated_version: { version: 1 } });
    expect((await server.send('DELETE', at('bot-alias', '/labels/production'))).status).toBe(200);
    expect((await server.send('DELETE', at('bot-alias'))).body.data.status).toBe('archived');
    expect((await server.send('POST', at('bot-alias', '/restore'))).body.data).toMatchObject({
      slug: 'bot',
      status: 'active',
    });
  });

  it('a capture under an alias adds a version and is visible at once under every name', async () => {
    await push('captured');
    await put('captured', 'captured-alias');
    for (const name of ['captured', 'captured-alias']) await server.get(at(name));
    for (const [name, version] of [
      ['captured-alias', 2],
      ['captured', 3],
      ['captured-alias', 4],
    ] as const) {
      const created = await push(name, { model: `m${version}` });
      expect(created.body.data).toMatchObject({ slug: 'captured', designated_version: { version } });
      expect(Object.keys(created.body.data)).not.toContain('aliases');
      for (const each of ['captured', 'captured-alias'])
        expect((await server.get(at(each))).text).toBe(created.text);
    }
    const preview = await server.post(at('captured-alias', '/responses?dry_run=true'), {});
    expect(preview.body.data).toMatchObject({ slug: 'captured', designated_version: { version: 5 } });
  });

  it('preconditions and idempotency keys of a capture apply to the preset of the alias', async () => {
    const { headers } = await push('conditional');
    const etag = headers.get('etag') ?? '';
    const { headers: now } = await put('conditional', 'conditional-alias');
    const statusWith = async (sent: Record<string, string>) =>
      messageOf(await push('conditional-alias', {}, sent));
    expect(await statusWith({ 'if-none-match': '*' })).toEqual([
      412,
      'The preset "conditional" already exists.',
    ]);
    expect((await statusWith({ 'if-match': etag }))[0]).toBe(412);
    expect((await statusWith({ 'if-match': now.get('etag') ?? '' }))[0]).toBe(200);
    const once = { 'idempotency-key': 'aliased-once' };
    const first = await push('conditional-alias', { model: 'm' }, once);
    const repeated = await push('conditional-alias', { model: 'm' }, once);
    expect([repeated.headers.get('idempotent-replayed'), repeated.text]).toEqual(['true', first.text]);
    expect(first.body.data.designated_version.version).toBe(3);
  });

  it('are conditional on If-Match, as labels are', async () => {
    const { headers } = await push('matched');
    const mine = { 'if-match': headers.get('etag') ?? '' };
    expect((await put('matched', 'matched-a', mine)).status).toBe(200);
    expect((await put('matched', 'matched-b', mine)).status).toBe(412);
    expect((await remove('matched', 'matched-a', mine)).status).toBe(412);
    expect((await put('absent', 'x', { 'if-match': '*' })).status).toBe(404);
  });

  it('a renamed preset keeps its old slug as an alias', async () => {
    await push('before');
    await server.get(at('before'));
    const renamed = await rename('before', 'after');
    expect(renamed.body.data).toMatchObject({ slug: 'after', name: 'before' });
    for (const name of ['before', 'after']) expect((await server.get(at(name))).text).toBe(renamed.text);
    expect((await push('before')).body.data).toMatchObject({
      slug: 'after',
      designated_version: { version: 2 },
    });
    expect((await server.get('/api/v1/presets?q=before')).body.data).toMatchObject([{ slug: 'after' }]);
    expect((await rename('after', 'before')).body.data.slug).toBe('before');
    expect((await server.get(at('after', '/aliases'))).body.data).toMatchObject([{ alias: 'after' }]);
    expect((await rename('before', 'before')).headers.get('etag')).toBe(
      (await server.get(at('before'))).headers.get('etag'),
    );
  });

  it('a name that is already taken is a conflict', async () => {
    await push('taken');
    await put('taken', 'taken-alias');
    await push('wanting');
    const slugTaken = '"taken" is already the slug of another preset. Choose another name.';
    const aliasTaken =
      '"taken-alias" is already an alias of the preset "taken". Choose another name, or remove that alias first.';
    expect(messageOf(await put('wanting', 'taken'))).toEqual([409, slugTaken]);
    expect(messageOf(await put('wanting', 'taken-alias'))).toEqual([409, aliasTaken]);
    expect(messageOf(await rename('wanting', 'taken'))).toEqual([409, slugTaken]);
    expect(messageOf(await rename('wanting', 'taken-alias'))).toEqual([409, aliasTaken]);
    expect(messageOf(await put('wanting', 'wanting'))).toEqual([
      409,
      '"wanting" is already the slug of this preset.',
    ]);
  });

  it('a preset has at most 20 aliases, even after a rename', async () => {
    await push('many');
    for (let index = 0; index < 20; index += 1) expect((await put('many', `many-${index}`)).status).toBe(200);
    expect((await put('many', 'many-20')).status).toBe(409);
    expect(messageOf(await rename('many', 'many-20'))).toEqual([
      409,
      'The preset "many" already has 20 aliases, the maximum, and its old slug would be another. Remove one first.',
    ]);
    expect((await rename('many', 'many-7')).status).toBe(200);
    expect((await server.get(at('many', '/aliases'))).body.total_count).toBe(20);
  });

  it('aliases of an archived preset cannot be changed', async () => {
    await push('shelved');
    await put('shelved', 'shelved-alias');
    await server.send('DELETE', at('shelved'));
    const message = 'The preset "shelved" is archived. Restore it before changing its aliases.';
    expect(messageOf(await put('shelved-alias', 'more'))).toEqual([409, message]);
    expect(messageOf(await remove('shelved', 'shelved-alias'))).toEqual([409, message]);
    expect((await rename('shelved', 'other')).status).toBe(409);
    expect((await push('shelved-alias')).status).toBe(409);
    expect((await server.get(at('shelved-alias'))).body.data).toMatchObject({ status: 'archived' });
  });

  it.each(['a%20b', '%C3%A4', 'x'.repeat(129), 'a%2Fb'])('rejects the alias %s', async (alias) => {
    await push('strict');
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, body } = await server.send(method, at('strict', `/aliases/${alias}`));
      expect([method, status]).toEqual([method, 400]);
      expect(body.error.metadata.issues[0].path).toBe('/alias');
    }
  });

  it('aliases set by another process are visible within a second', async () => {
    const second = await startServerOn(server.database);
    try {
      await push('shared');
      await put('shared', 'shared-alias');
      const slugOf = async (name: string) => (await second.get(at(name))).body.data?.slug;
      /** Reads until the expected answer comes, no later than the first read after a second. */
      const expectWithinOneSecond = async (name: string, slug: string | undefined) => {
        const changedAt = performance.now();
        for (;;) {
          const isLast = performance.now() - changedAt >= 1_000;
          const seen = await slugOf(name);
          if (seen === slug) return;
          if (isLast) expect([name, seen]).toEqual([name, slug]);
        }
      };
      expect(await slugOf('shared-alias')).toBe('shared');
      await rename('shared', 'shared-new');
      for (const name of ['shared', 'shared-alias', 'shared-new'])
        await expectWithinOneSecond(name, 'shared-new');
      await remove('shared-new', 'shared-alias');
      await expectWithinOneSecond('shared-alias', undefined);
    } finally {
      await second.stop();
    }
  });
});
