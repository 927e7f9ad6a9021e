import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { compatible, type GatewayServer, startUpstreams, useUpstream } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { dialects, pathOf } from '../support/wire/recordings.ts';

const question = { model: 'vendor/model', messages: [{ role: 'user', content: 'Will it rain?' }] };

// Plain calls take the fast path; a charset in the content type makes a call take the route.
const contentTypes = ['application/json', 'application/json; charset=utf-8'];

describe('the query of a call', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  useUpstream((started) => {
    ({ upstream, server } = started);
  });

  it.each(dialects)(
    'reaches the upstream unchanged in %s, by the fast path and by the route',
    async (dialect) => {
      for (const query of ['?beta=true', '?a=1&a=2&b', '?a=%2F%zz+x&b=?/../..//&c[]=1', '?x', ''])
        for (const type of contentTypes) {
          upstream.clear();
          const headers = { 'content-type': type };
          const answer = await server.post(`/api/v1${pathOf[dialect]}${query}`, question, { headers });
          expect([query, answer.status]).toEqual([query, 200]);
          expect(upstream.requests.map(({ path }) => path)).toEqual([`/v1${pathOf[dialect]}${query}`]);
        }
    },
  );

  it.each([
    ['no fragment', '?beta=true#part', '?beta=true'],
    ['no lone question mark', '?', ''],
  ])('is sent with %s', async (_title, sent, received) => {
    for (const type of contentTypes) {
      upstream.clear();
      expect(await raw(`/api/v1/chat/completions${sent}`, type)).toMatch(/^HTTP\/1\.1 200 /);
      expect(upstream.requests.map(({ path }) => path)).toEqual([`/v1/chat/completions${received}`]);
    }
  });

  it('cannot ask for a dry run, which the upstream would take for a call', async () => {
    for (const type of contentTypes) {
      upstream.clear();
      const headers = { 'content-type': type };
      const answer = await server.post('/api/v1/chat/completions?dry_run=true', question, { headers });
      expect(answer.status).toBe(400);
      expect(answer.body.error.message).toContain('x-presetd-dry-run: true');
      expect(upstream.requests).toEqual([]);
    }
  });

  it('is in the URLs that a dry run shows', async () => {
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

  it('the query of a call is not logged', async () => {
    for (const type of contentTypes)
      await server.post('/api/v1/messages?private=1', question, { headers: { 'content-type': type } });
    await expect
      .poll(() => server.log.filter((line) => line.includes('"/api/v1/messages"')).length)
      .toBeGreaterThanOrEqual(2);
    expect(server.log.join('')).not.toContain('private');
  });

  /** Clients clean up a URL before they send it. */
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
