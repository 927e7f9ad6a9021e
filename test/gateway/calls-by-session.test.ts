import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { compatible, type GatewayServer, startWithFile } from '../support/gateway-server.ts';
import { addOrganization, makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { managementKey } from '../support/server.ts';
import { cookieOf, makeSession, ofSession } from '../support/sessions.ts';
import { storingResponses } from '../support/storing-upstream.ts';

describe('model calls by session', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  let workspace: string;
  let admin: string;
  let viewer: string;
  let stranger: string;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startWithFile({
      upstreams: [compatible('main', upstream, { dialects: ['chat-completions', 'responses'] })],
    });
    workspace = await makeWorkspace(server, 'playground');
    admin = await makeSession(server, (await server.get('/api/v1/key')).body.data.creator_user_id);
    const [viewerId, strangerId] = [
      await makeMember(server, 'viewer@example.com'),
      await makeMember(server, 'stranger@example.com'),
    ];
    await manage(`/workspaces/${workspace}/members/add`, { user_ids: [viewerId], role: 'viewer' });
    [viewer, stranger] = [await makeSession(server, viewerId), await makeSession(server, strangerId)];
    await manage('/presets/greeting/responses', { model: 'of-default' });
    await manage(`/presets/greeting/responses?workspace_id=${workspace}`, { model: 'of-playground' });
  });
  beforeEach(() => upstream.clear());
  afterAll(async () => {
    await upstream.stop();
    await server.stop();
  });

  const manage = (path: string, body: unknown) => server.post(`/api/v1${path}`, body, { key: managementKey });
  const question = { messages: [{ role: 'user', content: 'Hi' }], preset: 'greeting' };
  const call = (token: string, query: string, body: object = question, more: Record<string, string> = {}) =>
    server.post(`/api/v1/chat/completions${query}`, body, {
      key: null,
      headers: { ...ofSession(token), ...more },
    });
  const sentModels = () =>
    upstream.requests.map(({ path, body }) => [path, (body as { model: string }).model]);

  it('the preset comes from the workspace in the query, which the upstream does not get', async () => {
    for (const id of [workspace, workspace.toUpperCase()]) {
      upstream.clear();
      expect((await call(viewer, `?workspace_id=${id}&beta=true`)).status).toBe(200);
      expect(sentModels()).toEqual([['/v1/chat/completions?beta=true', 'of-playground']]);
      expect(JSON.stringify(upstream.requests)).not.toMatch(/pst_session|presetd_session/);
    }
    upstream.clear();
    expect((await call(admin, '')).status).toBe(200);
    expect(sentModels()).toEqual([['/v1/chat/completions', 'of-default']]);
  });

  it('somebody without a role in the workspace gets 404, as for one that does not exist', async () => {
    const other = await addOrganization(server.database);
    for (const body of [question, { ...question, preset: undefined, model: 'any' }]) {
      const statuses = [
        (await call(stranger, `?workspace_id=${workspace}`, body)).status,
        (await call(stranger, `?workspace_id=${newId()}`, body)).status,
        (await call(admin, `?workspace_id=${newId()}`, body)).status,
        (await call(admin, `?workspace_id=${other.workspaceId}`, body)).status,
        (await call(admin, '?workspace_id=constructor', body)).status,
      ];
      expect(statuses).toEqual([404, 404, 404, 404, 404]);
    }
    expect(upstream.requests).toEqual([]);
  });

  it('a call with a session cookie must come from a page of the server', async () => {
    const query = `?workspace_id=${workspace}`;
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }])
      expect((await call(viewer, query, question, headers)).status).toBe(403);
    const bare = await server.post(`/api/v1/chat/completions${query}`, question, {
      key: null,
      headers: { cookie: cookieOf(viewer) },
    });
    expect(bare.status).toBe(403);
    expect(upstream.requests).toEqual([]);
  });

  it('response ids are bound to the workspace of the call', async () => {
    upstream.respondAlways(storingResponses('a'));
    const query = `?workspace_id=${workspace}`;
    const options = { key: null, headers: ofSession(viewer) };
    const made = await server.post(`/api/v1/responses${query}`, { model: 'm', input: 'Hi' }, options);
    const path = `/api/v1/responses/${made.body.id}`;
    expect((await server.get(path + query, options)).status).toBe(200);
    expect((await server.get(path, { key: null, headers: ofSession(admin) })).status).toBe(404);
    const { secret } = await makeKey(server, { workspace_id: workspace });
    expect((await server.get(path, { key: secret })).status).toBe(200);
  });
});
