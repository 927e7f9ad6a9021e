import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { hashSecret } from '../../src/core/organization/api-key.ts';
import { type OpenapiDocument, operationsOf } from '../compat/openapi-document.ts';
import { anyEngine, engines } from '../support/engines.ts';
import {
  accountOperations,
  creatingOperations,
  inferenceOperations,
  organizationOperations,
  presetOperations,
  publicOperations,
  type RequestsOf,
} from '../support/every-operation.ts';
import { insertKey, newKey } from '../support/members.ts';
import {
  addOrganization,
  makeKey,
  makeMember,
  makeWorkspace,
  type OtherOrganization,
} from '../support/organizations.ts';
import { type NamedRequest, type Names, unknownNames } from '../support/sample-requests.ts';
import {
  managementKey,
  startServerOn,
  startTestServer,
  type TestResponse,
  type TestServer,
} from '../support/server.ts';
import { signInAs } from '../support/sign-in.ts';
import { withStorage } from '../support/storage-access.ts';

/** In the order in which they run: operations that create something visible come last. */
const operations: Readonly<Record<string, RequestsOf>> = {
  ...accountOperations,
  ...organizationOperations,
  ...presetOperations,
  ...inferenceOperations,
  ...creatingOperations,
};
const inWorkspace: Readonly<Record<string, RequestsOf>> = { ...presetOperations, ...creatingOperations };

/** Keys and presets are cached, and nothing else that has an owner. */
const cachedOperations: Readonly<Record<string, RequestsOf>> = { ...inWorkspace, ...inferenceOperations };

/** Not compared for management keys, which can add anyone to their own organization. */
const adding = ['addOrganizationMember', 'invitePerson'];

/** For admins of the organization: a deleted workspace has still cost something. */
const staysReadable = 'getGeneration';

/** Caches are read without the database for a second. */
const warmIntervalMs = 200;

/** Marks content that no other tenant may ever read. */
const confidential = 'confidential';

describe.each(engines)('isolation of workspaces and organizations on %s', (engine) => {
  let server: TestServer;
  /** A second server with empty caches. */
  let cold: TestServer;
  let room: Room;
  let before: readonly unknown[];
  let document: OpenapiDocument;
  beforeAll(async () => {
    server = await startTestServer(engine);
    cold = await startServerOn(server.database);
    room = await furnish(server, 'alpha');
    before = await everythingOf(server, room);
    document = (await server.get('/openapi.json', { key: null })).body;
  });
  afterAll(async () => {
    await cold.stop();
    await server.stop();
  });

  it('these tests cover every documented operation', () => {
    const listed = [...Object.keys(operations), ...publicOperations].toSorted();
    expect(listed).toEqual(
      operationsOf(document)
        .map(({ operationId }) => operationId)
        .toSorted(),
    );
  });

  it('everything that requests name exists, for those who may read it', async () => {
    for (const [operationId, requestsOf] of Object.entries({
      ...organizationOperations,
      ...presetOperations,
    })) {
      const [request] = requestsOf(room.names);
      if (request?.method !== 'GET') continue;
      const key = operationId in presetOperations ? room.apiKey : managementKey;
      const { status, text: body } = await send(server, request, key);
      expect([request.path, body, status]).toEqual([request.path, body, 200]);
    }
  });

  const viewpoints = [
    ['an API key of another workspace', 'cached', keyOfWorkspace],
    ['an API key of another workspace', 'in the database', keyOfWorkspace],
    ['a management key of another organization', 'cached', managementKeyOfOrganization],
    ['a management key of another organization', 'in the database', managementKeyOfOrganization],
    ['an API key of another organization', 'in the database', apiKeyOfOrganization],
  ] as const;
  // The caches are the same on every engine, and know workspaces only, which the first key tests.
  // Each engine has its own statements: those of workspaces are tested by the first key, those of
  // organizations by the management key.
  const distinct = viewpoints.filter(
    ([, place, keyOf]) => engine === anyEngine || (place !== 'cached' && keyOf !== apiKeyOfOrganization),
  );

  describe.each(distinct)('seen by %s, with the data %s', (_, place, keyOf) => {
    // No statement checks that an API key may not manage an organization or name a workspace.
    const isManagementKey = keyOf === managementKeyOfOrganization;
    const needsOrganization =
      place !== 'cached' && (isManagementKey || (engine === anyEngine && keyOf === keyOfWorkspace));
    const needsWorkspaces = isManagementKey || engine === anyEngine;
    let key: string;
    let fresh: string;
    let warmedAt = Number.NEGATIVE_INFINITY;
    beforeAll(async () => {
      [key, fresh] = [await keyOf(server), await keyOf(server)];
    });

    const target = () => (place === 'cached' ? server : cold);
    const sendAll = async (requests: readonly NamedRequest[], as = key) => {
      const responses: TestResponse[] = [];
      for (const request of requests) {
        if (place === 'cached' && performance.now() - warmedAt > warmIntervalMs) {
          await warm(server, room);
          warmedAt = performance.now();
        }
        responses.push(await send(target(), request, as));
      }
      return responses;
    };
    const compare = async (requests: (names: Names) => readonly NamedRequest[]) => {
      const never = neverThere(room.names);
      const [theirs, nobodys] = [requests(room.names), requests(never)];
      const [real, unreal] = [await sendAll(theirs), await sendAll(nobodys)];
      expect(real.map((response, index) => [theirs[index], normalized(response, room.names)])).toEqual(
        unreal.map((response, index) => [theirs[index], normalized(response, never)]),
      );
      for (const [index, response] of real.entries()) {
        expect(response.status, response.text).toBeLessThan(500);
        expectNothingOf(room, response, theirs[index]);
      }
    };

    it('lists, search and export look like those of an empty workspace', async () => {
      const { listPresets, exportPresets } = presetOperations;
      for (const requestsOf of [listPresets, exportPresets]) {
        const requests = requestsOf?.(room.names) ?? [];
        expect(requests.length).toBeGreaterThan(0);
        const mine = await sendAll(requests);
        const empty = await sendAll(requests, fresh);
        expect(mine.map(bytes)).toEqual(empty.map(bytes));
        expect(mine[0]?.text).toMatch(/"(total_count|presets)":0/);
      }
    });

    it.each(
      Object.keys(needsOrganization ? operations : cachedOperations).filter(
        (each) => !adding.includes(each) || !isManagementKey,
      ),
    )('%s responds to a name of another tenant as to one that never existed', (operationId) =>
      compare((names) => operations[operationId]?.(names) ?? []),
    );

    it.each(needsWorkspaces ? Object.keys(inWorkspace) : [])(
      '%s responds to a workspace of another tenant as to one that never existed',
      (operationId) =>
        compare((names) =>
          (inWorkspace[operationId]?.(names) ?? []).map((request, index) =>
            at(request, index % 2 === 0 ? names.workspaceId : names.workspaceId.toUpperCase()),
          ),
        ),
    );

    it('two tenants can have presets with the same slug', async () => {
      const path = `/presets/${room.names.slug}`;
      const mine = await send(target(), { method: 'GET', path }, key);
      expect(mine.status).toBe(200);
      expect(mine.body.data.workspace_id).not.toBe(room.names.workspaceId);
      const theirs = await send(target(), { method: 'GET', path }, room.apiKey);
      expect(theirs.body.data).toMatchObject({ id: room.presetId, workspace_id: room.names.workspaceId });
      expect(theirs.headers.get('etag')).toBe(room.names.etag);
    });

    it('other tenants could not change anything', async () => {
      expect(await everythingOf(server, room)).toEqual(before);
    });
  });

  it('a connection reused by another key does not get the data of the previous key', async () => {
    const key = await keyOfWorkspace(server);
    await warm(server, room);
    const request = (authorization: string, isLast = false) =>
      `GET /api/v1/presets/${room.names.slug} HTTP/1.1\r\nHost: x\r\n${authorization}${isLast ? 'Connection: close\r\n' : ''}\r\n`;
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const bearer = (secret: string) => `Authorization: Bearer ${secret}\r\n`;
    socket.write(
      request(bearer(room.apiKey)) + request(bearer(key)) + request(bearer(room.apiKey)) + request('', true),
    );
    const responses = (await text(socket)).split('HTTP/1.1 ').slice(1);
    expect(responses.map((response) => response.slice(0, 3))).toEqual(['200', '404', '200', '401']);
    expect(responses[1]).not.toContain(confidential);
  });

  it('an idempotency key of one workspace is free in other workspaces', async () => {
    const headers = { 'idempotency-key': room.names.idempotencyKey };
    const path = '/presets/another/responses';
    const key = await keyOfWorkspace(server);
    const first = await send(server, { method: 'POST', path, body: { model: 'other' }, headers }, key);
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null]);
    const again = await send(cold, { method: 'POST', path, body: { model: 'other' }, headers }, key);
    expect([again.headers.get('idempotent-replayed'), again.text]).toEqual(['true', first.text]);
  });

  it('keys of two organizations with the same label are not ambiguous', async () => {
    const other = await addOrganization(server.database);
    const label = room.names.keyLabel;
    const made = await addKeyWithLabel(server, other, label);
    const path = `/keys/${encodeURIComponent(label)}`;
    const theirs = await send(server, { method: 'GET', path }, other.managementKey);
    expect([theirs.status, theirs.body.data.hash]).toEqual([200, made]);
    const ours = await send(server, { method: 'GET', path }, managementKey);
    expect([ours.status, ours.body.data.hash]).toEqual([200, room.names.keyId]);
  });

  it('keys, workspaces, members and audit events are listed only for their organization', async () => {
    const [one, another] = [await addOrganization(server.database), await addOrganization(server.database)];
    const paths = [
      '/keys?include_disabled=true',
      '/workspaces',
      '/organization/members',
      `/organization/members?q=${room.names.memberEmail.slice(0, 3)}`,
      `/organization/members?q=${encodeURIComponent(room.names.memberEmail)}`,
      '/audit',
      '/audit?kind=preset',
    ];
    for (const path of paths) {
      const [mine, alike] = await Promise.all(
        [one, another].map(({ managementKey: key }) => send(server, { method: 'GET', path }, key)),
      );
      expect(mine?.status).toBe(200);
      expect([path, normalized(mine)]).toEqual([path, normalized(alike)]);
      if (mine !== undefined) expectNothingOf(room, mine);
    }
  });

  it('the data of a deleted workspace looks as if it had never existed, even if it was cached', async () => {
    const lost = await furnish(server, 'doomed');
    const { workspaceId, keyId } = lost.names;
    await send(server, { method: 'PATCH', path: `/keys/${keyId}`, body: { disabled: true } }, managementKey);
    const read = at({ method: 'GET', path: `/presets/${lost.names.slug}` }, workspaceId);
    for (const each of [server, cold]) expect((await send(each, read, managementKey)).status).toBe(200);
    const path = `/workspaces/${workspaceId}`;
    expect((await send(server, { method: 'DELETE', path }, managementKey)).body).toEqual({ deleted: true });

    const never = neverThere(lost.names);
    for (const [operationId, requestsOf] of Object.entries(inWorkspace)) {
      if (operationId === staysReadable) continue;
      for (const [index, request] of requestsOf(lost.names).entries()) {
        const unreal = requestsOf(never)[index];
        if (unreal === undefined) continue;
        const response = await send(server, at(request, workspaceId), managementKey);
        const expected = await send(server, at(unreal, never.workspaceId), managementKey);
        expect([operationId, request, normalized(response, lost.names)]).toEqual([
          operationId,
          request,
          normalized(expected, never),
        ]);
        expect(response.status).toBeGreaterThanOrEqual(400);
        expectNothingOf(lost, response, at(request, workspaceId));
      }
    }
    const gone = [
      'listKeys',
      'getWorkspace',
      'updateWorkspace',
      'listWorkspaceMembers',
      'deleteWorkspace',
      'getContentLog',
      'updateContentLog',
      'getKey',
    ];
    for (const operationId of gone) {
      const [theirs, nobodys] = [lost.names, never].map((names) => operations[operationId]?.(names) ?? []);
      for (const [index, request] of (theirs ?? []).entries()) {
        if (!namesThe(lost, request)) continue;
        const response = await send(server, request, managementKey);
        const expected = await send(server, nobodys?.[index] ?? request, managementKey);
        expect([request, normalized(response, lost.names)]).toEqual([request, normalized(expected, never)]);
        expect(response.status).toBe(404);
      }
    }
    for (const secret of [lost.apiKey, `sk-pst-v1-${'0'.repeat(64)}`]) {
      const response = await send(server, { method: 'GET', path: `/presets/${lost.names.slug}` }, secret);
      expect([response.status, response.body.error.message]).toEqual([
        401,
        'Unknown API key. Check that it is complete and belongs to this server.',
      ]);
    }
  });
});

/** A workspace of the first organization with a preset, a member and a key in it. */
interface Room {
  readonly names: Names;
  readonly apiKey: string;
  readonly presetId: string;
  /** Other strings that would reveal the room. */
  readonly marks: readonly string[];
}

async function furnish(server: TestServer, word: string): Promise<Room> {
  const [workspaceSlug, slug, memberEmail] = [`${word}-room`, `${word}-preset`, `${word}.person@example.com`];
  const alias = `${word}-alias`;
  const workspaceId = await makeWorkspace(server, workspaceSlug);
  const memberId = await makeMember(server, memberEmail);
  const people = { user_ids: [memberId] };
  await post(server, `/workspaces/${workspaceId}/members/add`, people, managementKey);
  const key = await makeKey(server, {
    workspace_id: workspaceId,
    creator_user_id: memberId,
    name: confidential,
  });
  const rotated = await post(server, `/keys/${key.id}/rotate`, {}, managementKey);
  const apiKey: string = rotated.body.key;
  const idempotencyKey = `${word}-once`;
  const headers = { 'idempotency-key': idempotencyKey };
  await post(server, `/presets/${slug}/responses`, { model: 'm' }, apiKey, headers);
  await post(
    server,
    `/presets/${slug}/responses`,
    { model: confidential, instructions: confidential },
    apiKey,
  );
  await send(
    server,
    { method: 'PUT', path: `/presets/${slug}/labels/production`, body: { version: 1 } },
    apiKey,
  );
  await send(server, { method: 'PUT', path: `/presets/${slug}/aliases/${alias}` }, apiKey);
  const testCase = { variables: { secret: confidential }, note: confidential };
  const casePath = `/presets/${slug}/cases/${confidential}`;
  await send(server, { method: 'PUT', path: casePath, body: testCase }, apiKey);
  const draft = { text: confidential, dialect: null, base_version: 1 };
  await send(server, { method: 'PUT', path: `/presets/${slug}/draft`, body: draft }, apiKey);
  const described = { name: confidential, description: confidential, tags: [confidential] };
  const preset = await send(server, { method: 'PATCH', path: `/presets/${slug}`, body: described }, apiKey);
  const { body: audit } = await server.get('/api/v1/audit?kind=preset&limit=1');
  const contentLog = { path: `/workspaces/${workspaceId}/content-log`, body: { enabled: true } };
  await send(server, { method: 'PATCH', ...contentLog }, managementKey);
  const called = await post(server, '/chat/completions', { model: `@preset/${confidential}` }, apiKey);
  const generationId = called.headers.get('x-generation-id') ?? '';
  for (const each of ['generation', 'generation/content'])
    while ((await server.get(`/api/v1/${each}?id=${generationId}`)).status !== 200) await delay(20);
  return {
    names: {
      slug,
      alias,
      etag: preset.headers.get('etag') ?? '',
      idempotencyKey,
      workspaceId,
      workspaceSlug,
      keyId: key.id,
      otherKeyId: key.id,
      keyLabel: rotated.body.data.label,
      secretHash: hashSecret(apiKey),
      retiredSecretHash: key.secretHash,
      callerId: memberId,
      memberId,
      memberEmail,
      generationId,
      auditCursor: `${audit.data[0].created_at}_${audit.data[0].id}`,
      userCode: unknownNames().userCode,
      sessionId: (await signInAs(server, memberEmail)).sessionId,
    },
    apiKey,
    presetId: preset.body.data.id,
    marks: [confidential, preset.body.data.id, preset.body.data.designated_version.id, apiKey],
  };
}

function namesThe({ names }: Room, { path }: NamedRequest): boolean {
  return [names.workspaceId, names.workspaceSlug, names.keyId].some((name) => path.includes(name));
}

/** Names of the same form and length that never existed. */
function neverThere(names: Names): Names {
  const word = 'n'.repeat(names.slug.indexOf('-'));
  return {
    ...unknownNames(),
    slug: `${word}-preset`,
    alias: `${word}-alias`,
    etag: `"${newId()}${names.etag.slice(37)}`,
    idempotencyKey: `${word}-once`,
    workspaceSlug: `${word}-room`,
    keyLabel: 'sk-pst-v1-xyz…xyz',
    memberEmail: `${word}.person@example.com`,
    auditCursor: `${names.auditCursor.slice(0, 24)}_${newId()}`,
  };
}

/** Everything about the room, as its own keys see it. */
async function everythingOf(server: TestServer, { names, apiKey }: Room): Promise<readonly unknown[]> {
  const path = `/presets/${names.slug}`;
  const presetPaths = [
    path,
    `${path}/versions`,
    `${path}/labels`,
    `${path}/aliases`,
    `${path}/tags`,
    `${path}/cases`,
    `${path}/draft`,
    `${path}/events`,
    '/presets?status=all',
    '/export',
  ];
  const organizationPaths = [
    `/keys/${names.keyId}`,
    `/keys?include_disabled=true&workspace_id=${names.workspaceId}`,
    `/workspaces/${names.workspaceId}`,
    `/workspaces/${names.workspaceId}/members`,
    `/workspaces/${names.workspaceId}/content-log`,
    `/generation?id=${names.generationId}`,
    `/generation/content?id=${names.generationId}`,
    `/organization/members/${names.memberId}`,
    `/organization/people/${names.memberId}/sessions`,
  ];
  const get = async (each: string, key: string) => {
    const response = await send(server, { method: 'GET', path: each }, key);
    expect([each, response.status]).toEqual([each, 200]);
    return [each, response.text.replaceAll(/"last_used_at":[^,]+/g, '')];
  };
  return [
    ...(await Promise.all(presetPaths.map((each) => get(each, apiKey)))),
    ...(await Promise.all(organizationPaths.map((each) => get(each, managementKey)))),
  ];
}

/** Caches the preset for both kinds of keys. */
async function warm(server: TestServer, { names, apiKey }: Room): Promise<void> {
  for (const name of [names.slug, names.alias]) {
    const path = `/presets/${name}`;
    await send(server, { method: 'GET', path }, apiKey);
    await send(server, at({ method: 'GET', path }, names.workspaceId), managementKey);
  }
}

async function keyOfWorkspace(server: TestServer): Promise<string> {
  const workspaceId = await makeWorkspace(server, `room-${newId().slice(-12)}`);
  return (await makeKey(server, { workspace_id: workspaceId })).secret;
}

async function managementKeyOfOrganization({ database }: TestServer): Promise<string> {
  return (await addOrganization(database)).managementKey;
}

async function apiKeyOfOrganization({ database }: TestServer): Promise<string> {
  return (await addOrganization(database)).apiKey;
}

function addKeyWithLabel(
  { database }: TestServer,
  { adminId, organizationId }: OtherOrganization,
  label: string,
): Promise<string> {
  return withStorage(
    database,
    async ({ storage }) => (await insertKey(storage, newKey({ ownerId: adminId, organizationId, label }))).id,
  );
}

function at(request: NamedRequest, workspaceId: string): NamedRequest {
  const { path } = request;
  return { ...request, path: `${path}${path.includes('?') ? '&' : '?'}workspace_id=${workspaceId}` };
}

function post(
  server: TestServer,
  path: string,
  body: unknown,
  key: string,
  headers = {},
): Promise<TestResponse> {
  return send(server, { method: 'POST', path, body, headers }, key);
}

function send(
  server: TestServer,
  { method, path, body, headers = {} }: NamedRequest,
  key: string,
): Promise<TestResponse> {
  return server.send(method, `/api/v1${path}`, body, { key, headers });
}

/** Everything a client sees of a response, without the date and the request id. */
function bytes({ status, headers, text: body }: TestResponse) {
  const { date: _date, 'x-request-id': _id, ...rest } = Object.fromEntries(headers);
  return { status, headers: rest, body };
}

/** The same with placeholders for the given names and for generated values, for comparison. */
function normalized(response: TestResponse | undefined, names?: Names) {
  if (response === undefined) return undefined;
  let shown = JSON.stringify(bytes(response));
  for (const [name, value] of Object.entries(names ?? {}) as [string, string][])
    for (const form of [
      value,
      encodeURIComponent(value),
      JSON.stringify(value).slice(1, -1),
      value.toUpperCase(),
    ])
      shown = shown.replaceAll(form, `<${name}>`);
  return shown
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/user_[0-9a-f]{32}/g, '<user>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/gen-[0-9a-f]{32}/g, '<generation>')
    .replaceAll(/"content-length":"\d+"(?=.*query_time_ms)/g, '"content-length":"<length>"')
    .replaceAll(/"query_time_ms\\?":\d+/g, '<ms>')
    .replaceAll(/"x-presetd-overhead-ms":"[\d.]+"/g, '"x-presetd-overhead-ms":"<ms>"')
    .replaceAll(/sk-pst-v1-[0-9a-f]{64}/g, '<secret>')
    .replaceAll(/sk-pst-v1-[0-9a-f]{3}…[0-9a-f]{3}/g, '<label>');
}

/** Expects a response that reveals nothing of the room except what the request itself said. */
function expectNothingOf({ names, marks }: Room, response: TestResponse, request?: NamedRequest): void {
  const shown = JSON.stringify(bytes(response));
  const sent = decodeURIComponent(JSON.stringify(request ?? {})).toLowerCase();
  const foreign = [...marks, ...Object.values(names)].filter((mark) => !sent.includes(mark.toLowerCase()));
  expect(foreign.filter((mark) => shown.includes(mark))).toEqual([]);
}
