import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anyEngine } from '../support/engines.ts';
import { type GatewayServer, startWithUpstream } from '../support/gateway-server.ts';
import { makeKey, makeWorkspace } from '../support/organizations.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { dialects } from '../support/wire/recordings.ts';

const question = { messages: [{ role: 'user', content: 'Will it rain?' }] };

describe('a preset reference', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startWithUpstream(upstream, {}, anyEngine);
    // Version 1 is live after a rollback, 2 has a label, 3 is the latest.
    for (const model of ['vendor/one', 'vendor/two', 'vendor/three'])
      await server.capture('weather', { model, temperature: 0.5, ...question });
    await server.send('PATCH', '/api/v1/presets/weather', { designated_version: 1 });
    await server.send('PUT', '/api/v1/presets/weather/labels/staging', { version: 2 });
    await server.send('PUT', '/api/v1/presets/weather/aliases/pmpt_68a4');
  });
  beforeEach(() => upstream.clear());
  afterAll(async () => {
    await upstream.stop();
    await server.stop();
  });

  it.each([
    [{ model: '@preset/weather' }, 1, 'vendor/one'],
    [{ model: '@preset/weather@1' }, 1, 'vendor/one'],
    [{ model: '@preset/weather@3' }, 3, 'vendor/three'],
    [{ model: '@preset/weather:staging' }, 2, 'vendor/two'],
    [{ model: '@preset/weather:latest' }, 3, 'vendor/three'],
    [{ model: '@preset/weather:designated' }, 1, 'vendor/one'],
    [{ model: 'other/model@preset/weather' }, 1, 'other/model'],
    [{ model: 'other/model@preset/weather@2' }, 2, 'other/model'],
    [{ model: 'other/model@preset/weather:staging' }, 2, 'other/model'],
    [{ model: 'other/model:free@preset/weather:latest' }, 3, 'other/model:free'],
    [{ model: 'anthropic/@preset/weather' }, 1, 'vendor/one'],
    [{ model: 'anthropic/@preset/weather@3' }, 3, 'vendor/three'],
    [{ preset: 'weather' }, 1, 'vendor/one'],
    [{ preset: 'weather@2' }, 2, 'vendor/two'],
    [{ preset: 'weather:latest' }, 3, 'vendor/three'],
    [{ preset: 'weather', model: 'other/model' }, 1, 'other/model'],
    [{ preset: 'weather:staging', model: 'other/model:free' }, 2, 'other/model:free'],
    [{ model: '@preset/pmpt_68a4' }, 1, 'vendor/one'],
    [{ model: '@preset/pmpt_68a4@3' }, 3, 'vendor/three'],
    [{ model: 'other/model@preset/pmpt_68a4:staging' }, 2, 'other/model'],
    [{ preset: 'pmpt_68a4' }, 1, 'vendor/one'],
    [{ preset: 'pmpt_68a4:latest' }, 3, 'vendor/three'],
  ])('%j resolves to version %i and sends the model %s', async (reference, version, model) => {
    const response = await server.call({ ...question, ...reference });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-presetd-preset')).toBe(`weather@${version}`);
    const [request, ...others] = upstream.requests;
    expect(others).toEqual([]);
    expect(request?.body).toEqual({ model, temperature: 0.5, ...question });
  });

  it.each(dialects)('works in %s', async (dialect) => {
    const conversation = dialect === 'responses' ? { input: 'Will it rain?' } : question;
    for (const reference of [{ model: '@preset/weather:staging' }, { preset: 'weather@2' }]) {
      const response = await server.call({ ...conversation, ...reference }, { dialect });
      expect([response.status, response.headers.get('x-presetd-preset')]).toEqual([200, 'weather@2']);
    }
    expect(upstream.requests.map(({ body }) => body)).toEqual([
      expect.objectContaining({ model: 'vendor/two', temperature: 0.5, ...conversation }),
      expect.objectContaining({ model: 'vendor/two', temperature: 0.5, ...conversation }),
    ]);
    expect(upstream.requests.every(({ body }) => !('preset' in body))).toBe(true);
  });

  it('may contain every character that slugs allow, and is case-sensitive', async () => {
    await server.capture('A-b.c_d~1', { model: 'vendor/odd', ...question });
    expect((await server.call({ ...question, model: '@preset/A-b.c_d~1@1' })).status).toBe(200);
    expect((await server.call({ ...question, model: '@preset/a-b.c_d~1@1' })).status).toBe(404);
  });

  it.each([
    ['@preset/wether', ['"wether"']],
    ['@preset/weather@4', ['"weather"', 'version 4', 'versions 1 to 3']],
    ['@preset/weather@99999999999999999999', ['"weather"', 'versions 1 to 3']],
    ['@preset/weather:production', ['"weather"', '"production"', 'staging', 'latest']],
    ['other/model@preset/wether', ['"wether"']],
  ])('%s returns 404 with the missing part and the existing ones', async (model, words) => {
    const response = await server.call({ ...question, model });
    expect(response.status).toBe(404);
    expect(response.body).toMatchObject({ error: { code: 404 } });
    for (const word of words) expect(response.body.error.message).toContain(word);
    expect(upstream.requests).toEqual([]);
  });

  it.each([
    [{ model: '@preset/' }],
    [{ model: '@preset/weather@' }],
    [{ model: '@preset/weather:' }],
    [{ model: '@preset/weather@0' }],
    [{ model: '@preset/weather@-1' }],
    [{ model: '@preset/weather@1.5' }],
    [{ model: '@preset/weather@one' }],
    [{ model: '@preset/weather:Staging' }],
    [{ model: '@preset/weather:staging@2' }],
    [{ model: '@preset/weather@2:staging' }],
    [{ model: '@preset/weather/2' }],
    [{ model: '@preset/weather ' }],
    [{ model: '@preset/weather@preset/weather' }],
    [{ model: '@preset/..' }],
    [{ model: '@preset/__proto__' }],
    [{ model: '@preset/weather:constructor' }],
    [{ preset: '' }],
    [{ preset: 7 }],
    [{ preset: ['weather'] }],
    [{ preset: { slug: 'weather' } }],
    [{ preset: 'wether', model: 'other/model' }],
    [{ model: '@preset/weather', preset: 'other' }],
    [{ model: '@preset/weather@1', preset: 'weather@2' }],
    [{ models: ['other/model', '@preset/weather'], model: 'other/model' }],
    [{ models: ['other/model@preset/weather'], model: 'other/model' }],
  ])('%j is never forwarded as a model name', async (reference) => {
    const response = await server.call({ ...question, ...reference });
    expect([400, 404]).toContain(response.status);
    expect(response.body.error.message.length).toBeGreaterThan(20);
    expect(upstream.requests).toEqual([]);
  });

  it('returns 403 for a disabled preset, 404 for an archived one, and works again once it is restored', async () => {
    await server.capture('shelved', { model: 'vendor/shelved', ...question });
    const call = async () => {
      const { status, body } = await server.call({ ...question, model: '@preset/shelved' });
      return { status, message: body.error?.message };
    };
    expect(await call()).toMatchObject({ status: 200 });
    await server.send('PATCH', '/api/v1/presets/shelved', { status: 'disabled' });
    expect(await call()).toEqual({ status: 403, message: expect.stringMatching(/"shelved".*disabled/) });
    await server.send('PATCH', '/api/v1/presets/shelved', { status: 'active' });
    expect(await call()).toMatchObject({ status: 200 });
    await server.send('DELETE', '/api/v1/presets/shelved');
    expect(await call()).toEqual({ status: 404, message: expect.stringMatching(/"shelved".*archived/) });
    await server.post('/api/v1/presets/shelved/restore', {});
    expect(await call()).toMatchObject({ status: 200 });
    expect(upstream.requests).toHaveLength(3);
  });

  it('follows changes through the same process at once: new version, rollback, moved or deleted label', async () => {
    const served = async (model: string) => {
      const response = await server.call({ ...question, model });
      return response.headers.get('x-presetd-preset') ?? response.status;
    };
    await server.capture('moving', { model: 'vendor/1', ...question });
    await server.send('PUT', '/api/v1/presets/moving/labels/live', { version: 1 });
    expect(await served('@preset/moving:live')).toBe('moving@1');
    await server.capture('moving', { model: 'vendor/2', ...question });
    expect(await served('@preset/moving')).toBe('moving@2');
    expect(await served('@preset/moving:live')).toBe('moving@1');
    await server.send('PUT', '/api/v1/presets/moving/labels/live', { version: 2 });
    expect(await served('@preset/moving:live')).toBe('moving@2');
    await server.send('PATCH', '/api/v1/presets/moving', { designated_version: 1 });
    expect(await served('@preset/moving')).toBe('moving@1');
    await server.send('DELETE', '/api/v1/presets/moving/labels/live');
    expect(await served('@preset/moving:live')).toBe(404);
    expect(upstream.requests.map(({ body }) => body.model)).toEqual([
      'vendor/1',
      'vendor/2',
      'vendor/1',
      'vendor/2',
      'vendor/1',
    ]);
  });

  it('a reference to a cached preset does not query the database', async () => {
    const call = async () => (await server.call({ ...question, model: '@preset/weather' })).status;
    const askWithoutTable = async () => {
      expect(await call()).toBe(200);
      await server.database.sql('ALTER TABLE presets RENAME TO presets_away');
      const status = await call();
      await server.database.sql('ALTER TABLE presets_away RENAME TO presets');
      return status;
    };
    // Cached presets expire after a second. A machine that is busy for that long gets another try;
    // a server that queries the database every time never succeeds.
    await expect.poll(askWithoutTable, { interval: 50 }).toBe(200);
  });

  it('finds a preset that was created after a 404', async () => {
    expect((await server.call({ ...question, model: '@preset/late' })).status).toBe(404);
    await server.capture('late', { model: 'vendor/late', ...question });
    expect((await server.call({ ...question, model: '@preset/late' })).status).toBe(200);
  });

  it('only finds presets in the workspace of the key', async () => {
    const { secret } = await makeKey(server, {
      workspace_id: await makeWorkspace(server, 'apart'),
    });
    for (const reference of [{ model: '@preset/weather' }, { preset: 'weather@1' }]) {
      const elsewhere = await server.call({ ...question, ...reference }, { key: secret });
      expect([elsewhere.status, elsewhere.text.includes('versions')]).toEqual([404, false]);
    }
    await server.post('/api/v1/presets/weather/responses', { model: 'vendor/apart' }, { key: secret });
    expect((await server.call({ ...question, model: '@preset/weather' }, { key: secret })).status).toBe(200);
    expect((await server.call({ ...question, model: '@preset/weather' })).status).toBe(200);
    expect(upstream.requests.map(({ body }) => body.model)).toEqual(['vendor/apart', 'vendor/one']);
  });

  it('requires a valid API key: none, an unknown one and a management key are rejected', async () => {
    const call = (options: { key: string | null; headers?: Record<string, string> }) =>
      server.call({ ...question, model: '@preset/weather' }, options);
    expect((await call({ key: null })).status).toBe(401);
    expect((await call({ key: 'not-a-key' })).status).toBe(401);
    expect((await call({ key: null, headers: { 'x-api-key': 'not-a-key' } })).status).toBe(401);
    expect((await call({ key: managementKey })).status).toBe(403);
    expect((await call({ key: null, headers: { 'x-api-key': managementKey } })).status).toBe(403);
    expect(upstream.requests).toEqual([]);
    expect((await call({ key: null, headers: { 'x-api-key': apiKey } })).status).toBe(200);
    expect((await call({ key: apiKey, headers: { 'x-api-key': apiKey } })).status).toBe(200);
  });

  it('is rejected once the key is disabled', async () => {
    const { secret, id } = await makeKey(server);
    const call = async () =>
      (await server.call({ ...question, model: '@preset/weather' }, { key: secret })).status;
    expect(await call()).toBe(200);
    await server.send('PATCH', `/api/v1/keys/${id}`, { disabled: true }, { key: managementKey });
    expect(await call()).toBe(401);
    expect(upstream.requests).toHaveLength(1);
  });
});
