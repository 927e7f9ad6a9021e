import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyEngine } from '../support/engines.ts';
import { managementKey, startServerOn, startTestServer, type TestServer } from '../support/server.ts';

const at = (slug: string, dialect = 'responses') => `/api/v1/presets/${slug}/${dialect}`;

describe('idempotency keys', () => {
  let server: TestServer;
  let second: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    second = await startServerOn(server.database);
  });
  afterAll(async () => {
    await second.stop();
    await server.stop();
  });

  const push = (slug: string, key: string, body: unknown = { model: 'm' }, on = server, headers = {}) =>
    on.post(at(slug), body, { headers: { 'idempotency-key': key, ...headers } });
  const versionCount = async (slug: string) =>
    (await server.get(`/api/v1/presets/${slug}/versions`)).body.total_count ?? 0;

  it('a retry with the same idempotency key and body returns the first response and creates no version', async () => {
    const body = '{"model":"ä/b", "temperature":1.50,"x-unknown":1,"instructions":"Größe\\u0021"}';
    const first = await push('again', 'key-1', body);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    for (const on of [server, second, server]) {
      const again = await push('again', 'key-1', body, on);
      expect(again.status).toBe(200);
      expect(again.text).toBe(first.text);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      for (const name of ['etag', 'content-type', 'x-presetd-ignored-fields'])
        expect([name, again.headers.get(name)]).toEqual([name, first.headers.get(name)]);
    }
    expect(first.headers.get('etag')).toMatch(/^"[0-9a-f-]{36}\.1"$/);
    expect(first.headers.get('x-presetd-ignored-fields')).toBe('x-unknown');
    expect(await versionCount('again')).toBe(1);
  });

  it('a retry returns the first response even if the preset has changed since', async () => {
    await push('moved', 'before');
    const first = await push('moved', 'key');
    await server.send('PATCH', '/api/v1/presets/moved', { name: 'Moved', designated_version: 1 });
    await push('moved', 'after', { model: 'other' });
    await server.send('DELETE', '/api/v1/presets/moved');
    const again = await push('moved', 'key');
    expect(again.text).toBe(first.text);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
    expect((await push('moved', 'new')).status).toBe(409);
    expect((await server.get('/api/v1/presets/moved')).body.data).toMatchObject({ status: 'archived' });
  });

  it.each([
    ['another body', () => push('taken', 'taken', { model: 'other' })],
    ['the same JSON value in other bytes', () => push('taken', 'taken', '{ "model": "m" }')],
    ['another preset', () => push('taken-2', 'taken')],
    ['another server', () => push('taken', 'taken', { model: 'other' }, second)],
    ['a management key', () => server.post(at('taken'), {}, { ...withKey('taken'), key: managementKey })],
  ])('rejects a used idempotency key for %s', async (_, send) => {
    await push('taken', 'taken');
    const response = await send();
    expect([response.status, response.body.error.message]).toEqual([
      409,
      'The Idempotency-Key "taken" was already used for a different request in the last 24 hours. Use a new key.',
    ]);
    expect(await versionCount('taken')).toBe(1);
    expect((await server.get('/api/v1/presets/taken-2')).status).toBe(404);
  });

  it('rejects a used idempotency key for another dialect with the same body', async () => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'x' }], max_tokens: 5 };
    expect((await server.post(at('d', 'messages'), body, withKey('dialect'))).status).toBe(200);
    expect((await server.post(at('d', 'chat/completions'), body, withKey('dialect'))).status).toBe(409);
  });

  it('parallel requests with one idempotency key on two servers create one version', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => push('crowd', 'crowd', {}, index % 2 ? server : second)),
    );
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(await versionCount('crowd')).toBe(1);
  });

  it('creates a version for each idempotency key, and for each request without one', async () => {
    const bodies = Array.from({ length: 5 }, (_, index) => push('each', `each-${index}`));
    await Promise.all([...bodies, server.post(at('each'), {}), server.post(at('each'), {})]);
    expect(await versionCount('each')).toBe(7);
  });

  it('a rejected request does not use up its idempotency key', async () => {
    expect((await push('refused', 'refused', { model: 1 })).status).toBe(400);
    expect((await push('refused', 'refused', '{')).status).toBe(400);
    expect((await push('refused', 'refused', {}, server, { 'if-match': '*' })).status).toBe(412);
    expect((await server.post(at('refused'), {}, { ...withKey('refused'), key: 'unknown' })).status).toBe(
      401,
    );
    await server.post(at('shelved'), {});
    await server.send('DELETE', '/api/v1/presets/shelved');
    expect((await push('shelved', 'refused')).status).toBe(409);
    const first = await push('refused', 'refused');
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });

  it('a retry does not check the precondition of the first request again', async () => {
    const first = await push('new', 'new', {}, server, { 'if-none-match': '*' });
    const again = await push('new', 'new', {}, server, { 'if-none-match': '*' });
    expect([again.status, again.text]).toEqual([200, first.text]);
    const etag = first.headers.get('etag') ?? '';
    const next = await push('new', 'next', {}, server, { 'if-match': etag });
    expect((await push('new', 'next', {}, server, { 'if-match': etag })).text).toBe(next.text);
  });

  it('an idempotency key is remembered for 24 hours', async () => {
    const first = await push('day', 'day');
    const setAge = async (ms: number) => {
      const at = new Date(Date.now() - ms).toISOString();
      const [row] = await server.database.sql(
        `UPDATE idempotency_keys SET created_at = '${at}' WHERE key = 'day' RETURNING key`,
      );
      expect(row).toEqual({ key: 'day' });
    };
    const [hourMs, minuteMs] = [3_600_000, 60_000];
    await setAge(24 * hourMs - minuteMs);
    expect((await push('day', 'day')).text).toBe(first.text);
    await setAge(24 * hourMs + minuteMs);
    const next = await push('day', 'day');
    expect([next.headers.get('idempotent-replayed'), next.body.data.designated_version.version]).toEqual([
      null,
      2,
    ]);
  });

  it.each(['', 'two words', 'a'.repeat(256), 'ä', 'a\tb'])('rejects the idempotency key %j', async (key) => {
    const response = await push('malformed', key);
    expect([response.status, response.body.error.message]).toEqual([
      400,
      'The header Idempotency-Key must be 1 to 255 visible ASCII characters without spaces, such as a UUID.',
    ]);
  });

  it.each(['a'.repeat(255), `!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~`])(
    'accepts the idempotency key %s',
    async (key) => {
      const first = await push('unusual', key);
      expect((await push('unusual', key)).text).toBe(first.text);
    },
  );

  it('a dry run leaves its idempotency key unused', async () => {
    const dry = () => server.post(`${at('dry')}?dry_run=true`, {}, withKey('dry'));
    const [first, next] = [await dry(), await dry()];
    for (const response of [first, next]) {
      expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([200, null]);
      expect(response.body.data.designated_version.version).toBe(1);
    }
    expect((await push('dry', 'dry', { model: 'other' })).body.data.designated_version.version).toBe(1);
  });
});

function withKey(key: string) {
  return { headers: { 'idempotency-key': key } };
}
