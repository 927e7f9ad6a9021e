import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/presets/preset.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { type OpenStream, openStream, parseEvents } from '../support/event-stream.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import {
  compatible,
  type GatewayServer,
  startUpstreams,
  startWithFile,
  writeUpstreamFile,
} from '../support/gateway-server.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { connectResponses } from '../support/responses-socket.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { managementKey, startServerOn, type TestServer } from '../support/server.ts';
import { makeSession, ofSession } from '../support/sessions.ts';
import {
  dialectOf,
  type Exchange,
  respondInDialect,
  type Script,
  stall,
  stallAfter,
} from '../support/upstream-scripts.ts';
import { dialects, recordingOf } from '../support/wire/recordings.ts';

const messages = [{ role: 'user', content: 'Will it rain?' }];

/** A charset in the content type forces the regular route instead of the fast path. */
const paths = { fast: 'application/json', regular: 'application/json; charset=utf-8' };

/** The first half of a stream in the dialect of the request. */
const half: Script = (exchange) => {
  const { stream } = recordingOf[dialectOf(exchange)];
  return stallAfter(stream.subarray(0, stream.length / 2))(exchange);
};

const restOf = (exchange: Exchange) => {
  const { stream } = recordingOf[dialectOf(exchange)];
  return stream.subarray(stream.length / 2);
};

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

describe('a caller who loses access during a call', () => {
  let upstream: ScriptedUpstream;
  let narrow: ScriptedUpstream;
  let server: GatewayServer;
  beforeAll(async () => {
    [upstream, narrow] = (await startUpstreams(2)) as [ScriptedUpstream, ScriptedUpstream];
    server = await startWithFile({
      upstreams: [
        ...dialects.map((dialect) =>
          compatible(dialect, upstream, { dialects: [dialect], models: [`${dialect}/*`] }),
        ),
        compatible('narrow', narrow, { models: ['narrow/*'], concurrency_max: 1, queue_max: 9 }),
        compatible('audio', upstream, { models: ['audio/*'], endpoints: ['audio/speech'] }),
      ],
    });
  });
  beforeEach(() => {
    upstream.clear();
    narrow.clear();
  });
  afterAll(async () => {
    await server.stop();
    await Promise.all([upstream.stop(), narrow.stop()]);
  });

  const disable = (id: string) => manageOn(server, 'PATCH', `/keys/${id}`, { disabled: true });
  const statusesOf = (requestIds: readonly (string | null)[]) =>
    server.log
      .map((line) => JSON.parse(line))
      .filter(({ reqId, status }) => requestIds.includes(reqId) && status !== undefined)
      .map(({ status }) => status);

  it('streams in every dialect end with an error event, relayed and translated, on both paths', async () => {
    upstream.respondAlways(half);
    const { id, secret } = await makeKey(server);
    // From here on, the key is cached, as the fast path requires.
    expect((await server.get('/api/v1/key', { key: secret })).status).toBe(200);
    const cases = dialects.flatMap((dialect) =>
      dialects.flatMap((target) =>
        Object.values(paths).map((contentType) => ({ dialect, target, contentType })),
      ),
    );
    const other = await openStream(server, 'messages', { model: 'messages/other', messages });
    const kept = await upstream.nextExchange();
    const opened = await Promise.all(
      cases.map(async ({ dialect, target, contentType }) => {
        const body = { model: `${target}/m`, input: 'Will it rain?', messages, store: false };
        const stream = await openStream(server, dialect, body, {
          ...bearer(secret),
          'content-type': contentType,
        });
        await stream.until('data:');
        return { dialect, target, contentType, stream };
      }),
    );
    await disable(id);
    for (const { stream, ...of } of opened)
      expect({ ...of, error: lastErrorOf(await stream.end(), of.dialect) }).toEqual({
        ...of,
        error: expect.stringMatching(/^The key \S+ is disabled\. Ask an admin for a new one\.$/),
      });
    const exchanges = await Promise.all(opened.map(() => upstream.nextExchange()));
    expect(new Set(await Promise.all(exchanges.map(({ ended }) => ended)))).toEqual(
      new Set(['disconnected']),
    );
    const ids = opened.map(({ stream }) => stream.headers.get('x-request-id'));
    await expect.poll(() => statusesOf(ids)).toEqual(opened.map(() => 401));
    // Calls of others go on.
    kept.response.end(restOf(kept));
    expect(await other.end()).toContain('message_stop');
  });

  it.each(dialects)(
    'a response in %s that has not begun is a 401, and no other upstream is asked',
    async (dialect) => {
      upstream.respondAlways(stall);
      const { id, secret } = await makeKey(server);
      const calls = [true, false].map((stream) =>
        server.call(
          { model: `${dialect}/a`, models: [`${dialect}/a`, 'narrow/b'], messages, stream },
          { dialect, key: secret },
        ),
      );
      const exchanges = [await upstream.nextExchange(), await upstream.nextExchange()];
      await disable(id);
      for (const { status, body } of await Promise.all(calls)) {
        expect([status, body.error.message]).toEqual([401, expect.stringContaining('is disabled')]);
        expect(body.type).toBe(dialect === 'messages' ? 'error' : undefined);
      }
      for (const { ended } of exchanges) expect(await ended).toBe('disconnected');
      expect(narrow.requests).toEqual([]);
    },
  );

  it('a call that waits for a busy upstream is a 401, and is never sent', async () => {
    narrow.respondWith(stall);
    const { id, secret } = await makeKey(server);
    const first = server.call({ model: 'narrow/first', messages });
    const busy = await narrow.nextExchange();
    const queued = server.call({ model: 'narrow/second', messages }, { key: secret });
    // A later call that is done: the one before it is queued by then.
    expect((await server.call({ model: 'chat-completions/m', messages }, { key: secret })).status).toBe(200);
    await disable(id);
    const { status, headers } = await queued;
    // Without this header, the call would have been refused before it was queued.
    expect([status, headers.get('x-presetd-upstream')]).toEqual([401, 'narrow']);
    respondInDialect(busy);
    expect((await first).status).toBe(200);
    expect(narrow.requests).toHaveLength(1);
  });

  it('a response that is neither JSON nor a stream is cut off', async () => {
    upstream.respondAlways(({ response }) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': 1_000 });
      response.write(Buffer.alloc(500));
    });
    const { id, secret } = await makeKey(server);
    const response = await fetch(`${server.url}/api/v1/audio/speech`, {
      method: 'POST',
      headers: { ...bearer(secret), 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'audio/a', input: 'Rain', voice: 'alloy' }),
    });
    expect(response.status).toBe(200);
    await disable(id);
    await expect(response.arrayBuffer()).rejects.toThrow('terminated');
    expect(await (await upstream.nextExchange()).ended).toBe('disconnected');
  });

  it.each(dialects)(
    'a turn over a WebSocket ends with an error if the upstream speaks %s',
    async (dialect) => {
      upstream.respondAlways(half);
      const { id, secret } = await makeKey(server);
      const client = await connectResponses(server, bearer(secret));
      const turn = client.turn({ model: `${dialect}/m`, input: 'Will it rain?', store: false });
      const { ended } = await upstream.nextExchange();
      await disable(id);
      const error = { message: expect.stringContaining('is disabled') };
      expect((await turn).at(-1)).toMatchObject({
        type: 'response.failed',
        response: { status: 'failed', error },
      });
      expect(await ended).toBe('disconnected');
      expect(await client.turn({ model: `${dialect}/m`, input: 'And now?' })).toMatchObject([
        { type: 'error', status: 401, error: { ...error, code: 'invalid_request' } },
      ]);
      expect(upstream.requests).toHaveLength(1);
      await client.close();
    },
  );
});

describe.concurrent('reasons for which a stream ends', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  /** How the exchanges with the upstream ended, by model: each test has its own. */
  const endings = new Map<string, Exchange['ended'][]>();
  beforeAll(async () => {
    [upstream] = (await startUpstreams(1)) as [ScriptedUpstream];
    upstream.respondAlways((exchange) => {
      const { model } = exchange.request.body;
      endings.set(model, [...(endings.get(model) ?? []), exchange.ended]);
      return half(exchange);
    });
    server = await startWithFile({ upstreams: [compatible('main', upstream)] });
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
  });

  const manage = (method: string, path: string, body?: object) => manageOn(server, method, path, body);

  it.each<[title: string, cause: Cause, status: number, error: RegExp]>([
    ['the key is deleted', ({ keyId }) => manage('DELETE', `/keys/${keyId}`), 401, /^Unknown API key\./],
    [
      'the secret is rotated without a grace period',
      ({ keyId }) => manage('POST', `/keys/${keyId}/rotate`, { grace_period_seconds: 0 }),
      401,
      /^Unknown API key\./,
    ],
    [
      'the grace period of the rotated secret ends',
      ({ keyId }) => manage('POST', `/keys/${keyId}/rotate`, { grace_period_seconds: 1 }),
      401,
      /was rotated and has expired/,
    ],
    [
      'the owner of the key is deactivated',
      ({ userId }) => manage('POST', `/organization/people/${userId}/deactivate`),
      403,
      /^The owner of the key \S+ is deactivated\./,
    ],
    [
      'the owner of the key is removed',
      ({ userId }) => manage('DELETE', `/organization/members/${userId}`),
      403,
      /^The owner of the key \S+ is no longer a member/,
    ],
  ])('a stream ends if %s', async (_title, cause, status, error) => {
    const userId = await makeMember(server, `${crypto.randomUUID()}@example.com`);
    const { id: keyId, secret } = await makeKey(server, { creator_user_id: userId });
    await expectEnd(bearer(secret), () => cause({ userId, keyId, workspace: '' }), status, error);
  });

  it('a stream ends if the key expires', async () => {
    const { id, secret } = await makeKey(server);
    const soon = new Date(Date.now() + 3_000).toISOString();
    await server.database.sql(`UPDATE api_keys SET expires_at = '${soon}' WHERE id = '${id}'`);
    await expectEnd(bearer(secret), () => {}, 401, /expired at/);
  });

  it('a stream that began with a rotated secret ends with its grace period, though the key goes on', async () => {
    const { id, secret } = await makeKey(server);
    await manage('POST', `/keys/${id}/rotate`, { grace_period_seconds: 3 });
    await expectEnd(bearer(secret), () => {}, 401, /was rotated and has expired/);
  });

  it.each<[title: string, cause: Cause, status: number, error: RegExp]>([
    [
      'all sessions of the person are ended',
      ({ userId }) => manage('DELETE', `/organization/people/${userId}/sessions`),
      401,
      /^Your session has ended\./,
    ],
    [
      'the person is deactivated',
      ({ userId }) => manage('POST', `/organization/people/${userId}/deactivate`),
      401,
      /^Your session has ended\./,
    ],
    [
      'the person leaves the workspace of the call',
      ({ userId, workspace }) =>
        manage('POST', `/workspaces/${workspace}/members/remove`, { user_ids: [userId] }),
      404,
      /^There is no workspace "[0-9a-f-]+" that you can access\./,
    ],
  ])('the stream of a session ends if %s', async (_title, cause, status, error) => {
    const userId = await makeMember(server, `${crypto.randomUUID()}@example.com`);
    const workspace = await makeWorkspace(server, `room-${crypto.randomUUID()}`);
    await manage('POST', `/workspaces/${workspace}/members/add`, { user_ids: [userId], role: 'viewer' });
    const headers = { ...ofSession(await makeSession(server, userId)) };
    await expectEnd(
      headers,
      () => cause({ userId, workspace, keyId: '' }),
      status,
      error,
      `?workspace_id=${workspace}`,
    );
  });

  /** Opens a stream on both paths, applies the cause, and expects that they end with this error. */
  async function expectEnd(
    headers: Readonly<Record<string, string>>,
    cause: () => unknown,
    status: number,
    error: RegExp,
    query = '',
  ): Promise<void> {
    const model = crypto.randomUUID();
    const opened: OpenStream[] = [];
    for (const contentType of Object.values(paths)) {
      const sent = { ...headers, 'content-type': contentType };
      const stream = await openStream(server, 'chat-completions', { model, messages }, sent, query);
      await stream.until('data:');
      opened.push(stream);
    }
    await cause();
    for (const stream of opened) {
      const text = await stream.end();
      expect(lastErrorOf(text, 'chat-completions')).toMatch(error);
      expect(text).toContain(`"error":{"code":${status},`);
    }
    expect(await Promise.all(endings.get(model) ?? [])).toEqual(['disconnected', 'disconnected']);
  }
});

describe.runIf(engines.includes('postgres'))('a database outage during a call', () => {
  it('does not end the stream, and neither does the key that is disabled meanwhile until it is over', async () => {
    const [upstream] = (await startUpstreams(1)) as [ScriptedUpstream];
    const database = await createMigratedDatabase('postgres');
    const proxy = await startFaultProxy(Number(new URL(database.url).port));
    const far = new URL(database.url);
    far.port = String(proxy.port);
    const { path, remove } = writeUpstreamFile({ upstreams: [compatible('main', upstream)] });
    const server = await startServerOn(
      { ...database, url: far.href },
      { PRESETD_CONFIG: path, PRESETD_METRICS_PORT: '0' },
    );
    remove();
    upstream.respondAlways(half);
    const { id, secret } = await makeKey(server);
    const stream = await openStream(server, 'chat-completions', { model: 'm', messages }, bearer(secret));
    await stream.until('data:');
    const checksBefore = await checksOf(server);
    proxy.cut('reset');
    await database.sql(`UPDATE api_keys SET disabled = true WHERE id = '${id}'`);
    await expect.poll(() => checksOf(server), { timeout: 10_000 }).toBeGreaterThan(checksBefore + 2);
    const { response } = await upstream.nextExchange();
    response.write(': still here\n\n');
    await stream.until(': still here');
    proxy.heal();
    expect(lastErrorOf(await stream.end(), 'chat-completions')).toContain('is disabled');
    await server.stop();
    await proxy.stop();
    await upstream.stop();
    await database.drop();
  });
});

interface Affected {
  readonly userId: string;
  readonly keyId: string;
  readonly workspace: string;
}

type Cause = (affected: Affected) => unknown;

async function manageOn(server: TestServer, method: string, path: string, body?: object): Promise<void> {
  const { status, text } = await server.send(method, `/api/v1${path}`, body, { key: managementKey });
  if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
}

/** How often the server has looked up a key. */
async function checksOf(server: TestServer): Promise<number> {
  const text = await (await fetch(`${server.metricsUrl}/metrics`)).text();
  const counts = text.matchAll(/^presetd_cache_lookups_total\{cache="keys",result="\w+"\} (\d+)$/gm);
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The message of the error event with which a stream ends; undefined if it ends otherwise. */
function lastErrorOf(text: string, dialect: Dialect): string | undefined {
  const { events, rest } = parseEvents(text);
  if (rest !== '') return undefined;
  const data = events.map((event) => event.data).filter((value) => value !== '[DONE]');
  const error = JSON.parse(data.at(dialect === 'responses' ? -2 : -1) ?? '{}');
  if (dialect === 'responses')
    expect(JSON.parse(data.at(-1) ?? '{}')).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { message: error.message } },
    });
  return error.error?.message;
}
