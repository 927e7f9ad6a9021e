import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  compatible,
  type GatewayServer,
  startUpstreams,
  startWithUpstream,
  upstreamKey,
} from '../support/gateway-server.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { dialects, pathOf } from '../support/wire/recordings.ts';

const user = { role: 'user', content: 'Will it rain?' };
const dryRun = { headers: { 'x-presetd-dry-run': 'true' } };

describe('a dry run', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startWithUpstream(upstream);
    await server.capture('weather', {
      model: 'vendor/model',
      temperature: 0.5,
      seed: 1,
      models: ['vendor/other'],
      messages: [{ role: 'system', content: 'You are terse.' }, user],
    });
  });
  beforeEach(() => upstream.clear());
  afterAll(async () => {
    await upstream.stop();
    await server.stop();
  });

  it.each(dialects)(
    'a dry run in %s shows the request that would be sent, and sends nothing',
    async (dialect) => {
      const conversation = dialect === 'responses' ? { input: 'Rain?' } : { messages: [user] };
      const request = { model: '@preset/weather', stream: true, ...conversation };
      const shown = await server.call(request, { dialect, ...dryRun });
      expect(upstream.requests).toEqual([]);
      expect([shown.status, shown.headers.get('content-type')]).toEqual([
        200,
        expect.stringMatching(/^application\/json/),
      ]);
      expect(shown.body.data).toMatchObject({
        preset: 'weather@1',
        upstream: 'openrouter',
        method: 'POST',
        url: `${upstream.url}${pathOf[dialect]}`,
        dropped_fields: dialect === 'chat-completions' ? [] : ['seed'],
      });
      expect(shown.headers.get('x-presetd-preset')).toBe('weather@1');

      const real = await server.call(request, { dialect });
      const [sent] = upstream.requests;
      expect(shown.body.data.body).toEqual(sent?.body);
      expect(shown.text).toContain(`"body":${sent?.bytes}`);
      expect(shown.headers.get('x-presetd-dropped-fields')).toBe(
        real.headers.get('x-presetd-dropped-fields'),
      );
    },
  );

  it('shows the headers that would be sent, with the variable instead of the key', async () => {
    const request = { model: '@preset/weather', messages: [user] };
    const { text, body } = await server.call(request, dryRun);
    await server.call(request);
    const { headers } = body.data;
    expect(headers.authorization).toBe('Bearer $OPENROUTER_API_KEY');
    expect(text).not.toContain(upstreamKey);
    expect(text).not.toContain(apiKey);
    for (const [name, value] of Object.entries(headers))
      if (name !== 'authorization')
        expect([name, upstream.requests[0]?.headers[name.toLowerCase()]]).toEqual([name, value]);
  });

  it('does not round numbers', async () => {
    const { text } = await server.call('{"model":"vendor/model","seed":12345678901234567890}', dryRun);
    expect(text).toContain('"seed":12345678901234567890');
  });

  it('returns a null preset for a request without one', async () => {
    const { status, body, headers } = await server.call({ model: 'vendor/model', messages: [user] }, dryRun);
    expect([status, body.data.preset, headers.get('x-presetd-preset')]).toEqual([200, null, null]);
    expect(body.data.body).toEqual({ model: 'vendor/model', messages: [user] });
  });

  it('is rejected with the same status as the real request', async () => {
    expect((await server.call({ model: '@preset/none' }, dryRun)).status).toBe(404);
    expect((await server.call({ model: '@preset/weather' }, { ...dryRun, key: 'not-a-key' })).status).toBe(
      401,
    );
    expect((await server.call('{', dryRun)).status).toBe(400);
  });

  it('a dry run with a malformed header value is rejected instead of becoming a billed call', async () => {
    for (const value of ['1', 'yes', 'TRUE', ''])
      expect([
        value,
        (
          await server.call(
            { model: 'vendor/model', messages: [user] },
            { headers: { 'x-presetd-dry-run': value } },
          )
        ).status,
      ]).toEqual([value, 400]);
    expect(upstream.requests).toEqual([]);
  });

  it('the dry-run header does not reach the upstream', async () => {
    await server.call(
      { model: 'vendor/model', messages: [user] },
      { headers: { 'x-presetd-dry-run': 'false' } },
    );
    expect(
      Object.keys(upstream.requests[0]?.headers ?? {}).filter((name) => name.includes('presetd')),
    ).toEqual([]);
  });

  it('shows the upstreams of the fallbacks', async () => {
    const [first, second] = (await startUpstreams(2)) as [ScriptedUpstream, ScriptedUpstream];
    server.useConfigFile(
      {
        upstreams: [
          compatible('first', first, { models: ['one/*'], strip_prefix: 'one/' }),
          compatible('second', second, {
            models: ['two/*'],
            api_key_env: 'SECOND_KEY',
            headers: { 'x-team': 'secret-of-the-team' },
          }),
        ],
      },
      { SECOND_KEY: upstreamKey },
    );
    const request = { model: 'one/big', models: ['two/small', 'one/tiny'], messages: [user] };
    const { text, body } = await server.call(request, dryRun);
    expect(body.data).toMatchObject({
      preset: null,
      upstream: 'first',
      url: `${first.url}/chat/completions`,
      body: { model: 'big', messages: [user] },
      fallbacks: [
        { upstream: 'second', url: `${second.url}/chat/completions`, model: 'two/small' },
        { upstream: 'first', url: `${first.url}/chat/completions`, model: 'one/tiny' },
      ],
    });
    expect(text).not.toContain(upstreamKey);
    const withKey = await server.call({ model: 'two/small', messages: [user] }, dryRun);
    expect(withKey.body.data.headers).toMatchObject({ authorization: 'Bearer $SECOND_KEY' });
    // Configured headers may contain secrets.
    expect(withKey.text).toContain('"x-team"');
    expect(withKey.text).not.toContain('secret-of-the-team');
    expect([first.requests, second.requests]).toEqual([[], []]);
    await Promise.all([first.stop(), second.stop()]);
  });

  it('works without the key of the upstream', async () => {
    server.useConfigFile({ upstreams: [{ name: 'router', kind: 'openrouter', base_url: upstream.url }] });
    const { status, body } = await server.call({ model: 'vendor/model', messages: [user] }, dryRun);
    expect([status, body.data.headers.authorization]).toEqual([200, 'Bearer $OPENROUTER_API_KEY']);
  });
});
