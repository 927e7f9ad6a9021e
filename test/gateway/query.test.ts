import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { compatible, type GatewayServer, startUpstreams, useUpstream } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { dialects, pathOf } from '../support/wire/recordings.ts';

const question = { model: 'vendor/model', messages: [{ role: 'user', content: 'Will it rain?' }] };

// Plain calls take the fast path. A charset in the content type forces the regular route.
const contentTypes = ['application/json', 'application/json; charset=utf-8'];

describe('the query string of a call', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  useUpstream((started) => {
    ({ upstream, server } = started);
  });

  it.each(dialects)(
    'reaches the upstream unchanged in %s, on the fast path and the regular route',
    async (dialect) => {
      for (const query of ['?beta=true', '?a=1&a=2&b', '?a=%2F%zz+x&b=?/../..//&c[]=1', '?x', ''])
        for (const type of contentTypes) {
          upstream.clear();
          const headers = { 'content-type': type };
          const response = await server.post(`/api/v1${pathOf[dialect]}${query}`, question, { headers });
          expect([query, response.status]).toEqual([query, 200]);
          expect(upstream.requests.map(({ path }) => path)).toEqual([`/v1${pathOf[dialect]}${query}`]);
        }
    },
  );

  it.each([
    ['a fragment', '?beta=true#part', '?beta=true'],
    ['a lone question mark', '?', ''],
  ])('reaches the upstream without %s', async (_title, sent, received) => {
    for (const type of contentTypes) {
      upstream.clear();
      expect(await raw(`/api/v1/chat/completions${sent}`, type)).toMatch(/^HTTP\/1\.1 200 /);
      expect(upstream.requests.map(({ path }) => path)).toEqual([`/v1/chat/completions${received}`]);
    }
  });

  it('a query with dry_run is rejected, because the upstream would run the call', async () => {
    for (const type of contentTypes) {
      upstream.clear();
      const headers = { 'content-type': type };
      const response = await server.post('/api/v1/chat/completions?dry_run=true', question, { headers });
      expect(response.status).toBe(400);
      expect(response.body.error.message).toContain('x-presetd-dry-run: true');
      expect(upstream.requests).toEqual([]);
    }
  });

  it('is part of the URLs in a dry run', async () => {
    const [first, second] = (await startUpstreams(2)) as [ScriptedUpstream, ScriptedUpstream];
    server.useConfigFile({
      upstreams: [compatible('first', first, { models: ['one/*'] }), compatible('second', second)],
    });
    const { body } = await server.post(
      '/api/v1/chat/completions?beta=true',
      { ...question, model: 'one/a', models: ['two/b'] },
      { headers: { 'x-presetd-dry-run': 'true' } },
    );
    expect([body.data.url, body.data.fallbacks]).toEqual([
      `${first.url}/chat/completions?beta=true`,
      [{ upstream: 'second', url: `${second.url}/chat/completions?beta=true`, model: 'two/b' }],
    ]);
    await Promise.all([first.stop(), second.stop()]);
  });

  it('is not logged', async () => {
    for (const type of contentTypes)
      await server.post('/api/v1/messages?private=1', question, { headers: { 'content-type': type } });
    await expect
      .poll(() => server.log.filter((line) => line.includes('"/api/v1/messages"')).length)
      .toBeGreaterThanOrEqual(2);
    expect(server.log.join('')).not.toContain('private');
  });

  /** Sends the target unchanged, which HTTP clients would normalize. */
  function raw(target: string, type: string): Promise<string> {
    const { hostname, port } = new URL(server.url);
    const body = JSON.stringify(question);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${apiKey}\r\n` +
        `content-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      'latin1',
    );
    return text(socket);
  }
});
