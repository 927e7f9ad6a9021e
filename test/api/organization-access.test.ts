import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../src/api/contract.ts';
import type { Access, Operation } from '../../src/api/operation.ts';
import { newId } from '../../src/core/identifiers.ts';
import {
  checksOf,
  type DocumentChecks,
  type OpenapiDocument,
  operationsOf,
} from '../compat/openapi-document.ts';
import { addUnusualKeys } from '../compat/unusual-keys.ts';
import { anyEngine } from '../support/engines.ts';
import { publicOperations } from '../support/every-operation.ts';
import {
  type OrganizationNeed,
  type OrganizationRow,
  type OrganizationSubjects,
  organizationRows,
  patch,
  post,
  remove,
} from '../support/organization-rows.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { apiKey, managementKey, startServerOn, startTestServer, type TestServer } from '../support/server.ts';
import { statusWithinOneSecond } from '../support/status-within-one-second.ts';

type Request = readonly [method: string, path: string, body?: unknown];

/** With requests about the default workspace, in which the org:member is an editor. */
const rows: readonly OrganizationRow[] = [
  ...organizationRows.filter(([, need]) => need !== 'anyone' && need !== 'session'),
  ['createKey', 'own', () => post('/keys', { name: 'Mine' }), 201],
  [
    'createKey',
    'organization',
    ({ otherId }) => post('/keys', { name: 'Theirs', creator_user_id: otherId }),
    201,
  ],
  [
    'addWorkspaceMembers',
    'managing',
    ({ workspace, ownerId }) => post(`/workspaces/${workspace}/members/add`, { user_ids: [ownerId] }),
  ],
  [
    'updateWorkspaceMember',
    'managing',
    ({ otherId }) => patch(`/workspaces/default/members/${otherId}`, { role: 'viewer' }),
  ],
  [
    'updateWorkspaceMember',
    'managing',
    ({ ownerId }) => patch(`/workspaces/default/members/${ownerId}`, { role: 'admin' }),
  ],
  ['deleteWorkspace', 'organization', ({ workspace }) => remove(`/workspaces/${workspace}`)],
];

/** The expected status for each caller, in the order of the columns; 200 stands for any success. */
const columns: readonly OrganizationNeed[] = [
  'key',
  'directory',
  'insight',
  "others' keys",
  'all history',
  'own',
  'managing',
  'organization',
  'stopping',
  'taking over',
];

const statusRows = {
  'the management key of an org:admin': [200, 200, 200, 200, 200, 200, 200, 200, 200, 200],
  'a read-only management key of an org:admin': [200, 200, 200, 200, 200, 403, 403, 403, 403, 403],
  'the management key of an org:member': [200, 200, 404, 404, 403, 200, 403, 403, 404, 404],
  'a read-only management key of an org:member': [200, 200, 404, 404, 403, 403, 403, 403, 403, 403],
  'the API key of an org:admin': [200, 401, 401, 401, 401, 401, 401, 401, 401, 401],
  'the API key of an org:member': [200, 401, 401, 401, 401, 401, 401, 401, 401, 401],
  'a personal management key': [200, 404, 404, 404, 404, 404, 404, 404, 404, 404],
  'a disabled key': [401, 401, 401, 401, 401, 401, 401, 401, 401, 401],
  'an expired key': [401, 401, 401, 401, 401, 401, 401, 401, 401, 401],
  'a key whose owner has left': [403, 403, 403, 403, 403, 403, 403, 403, 403, 403],
  'an unknown key': [401, 401, 401, 401, 401, 401, 401, 401, 401, 401],
  'no key': [401, 401, 401, 401, 401, 401, 401, 401, 401, 401],
} as const;

const expectedStatus = (name: CallerName, need: OrganizationNeed): number =>
  statusRows[name][columns.indexOf(need)] ?? Number.NaN;

type CallerName = keyof typeof statusRows;

const callerNames = Object.keys(statusRows) as CallerName[];
const statusesOf = (name: CallerName): readonly number[] => statusRows[name];
const callersWithErrors = callerNames.filter((name) => statusesOf(name).some((status) => status !== 200));
const callersWithSuccess = callerNames.filter((name) => statusesOf(name).includes(200));

const presetWrites: readonly Request[] = [
  ['POST', '/presets/shared/responses', { model: 'm' }],
  ['PATCH', '/presets/shared', { name: 'Shared' }],
  ['PUT', '/presets/shared/labels/a', { version: 1 }],
  ['DELETE', '/presets/shared/labels/a'],
  ['DELETE', '/presets/shared'],
  ['POST', '/presets/shared/restore'],
];

describe('access to the organization', () => {
  let server: TestServer;
  let second: TestServer;
  let callers: Readonly<Record<CallerName, string | null>>;
  let adminId: string;
  let memberId: string;
  let shared: OrganizationSubjects;
  let document: OpenapiDocument;
  let checks: DocumentChecks;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    document = (await server.get('/openapi.json', { key: null })).body;
    checks = checksOf(document);
    second = await startServerOn(server.database);
    adminId = (await server.get('/api/v1/key')).body.data.creator_user_id;
    memberId = await makeMember(server, 'member@example.com');
    await giveRole('default', 'editor');
    const unusual = await addUnusualKeys(server.database);
    const ofMember = { creator_user_id: memberId };
    callers = {
      'the management key of an org:admin': managementKey,
      'a read-only management key of an org:admin': unusual.readOnly,
      'the management key of an org:member': (await makeKey(server, { ...ofMember, kind: 'management' }))
        .secret,
      'a read-only management key of an org:member': (
        await makeKey(server, { ...ofMember, kind: 'read_only' })
      ).secret,
      'the API key of an org:admin': apiKey,
      'the API key of an org:member': (await makeKey(server, ofMember)).secret,
      'a personal management key': unusual.personal,
      'a disabled key': unusual.disabled,
      'an expired key': unusual.expired,
      'a key whose owner has left': unusual.ownerHasLeft,
      'an unknown key': 'sk-pst-v1-unknown',
      'no key': null,
    };
    shared = await makeSubjects('the management key of an org:member');
  });
  afterAll(async () => {
    await second.stop();
    await server.stop();
  });

  const send = ([method, path, body]: Request, key: string | null, on = server) =>
    on.send(method, `/api/v1${path}`, body, { key });

  const giveRole = (workspace: string, role: string) =>
    send(['PATCH', `/workspaces/${workspace}/members/${memberId}`, { role }], managementKey);

  /** Anew for every request, because it may change them. */
  const makeSubjects = async (caller: CallerName): Promise<OrganizationSubjects> => {
    const isMember = caller.endsWith('org:member');
    const otherId = await makeMember(server, `other-${unique()}@example.com`);
    const ownerId = isMember ? memberId : adminId;
    const workspace = await makeWorkspace(server, `room-${unique()}`);
    await send(['POST', `/workspaces/${workspace}/members/add`, { user_ids: [otherId] }], managementKey);
    return {
      ownKey: (await makeKey(server, { creator_user_id: ownerId })).id,
      otherKey: (await makeKey(server, { creator_user_id: otherId })).id,
      ownerId,
      otherId,
      workspace,
      slug: `new-${unique()}`,
      email: `new-${unique()}@example.com`,
    };
  };

  /**
   * The whole organization as its admin sees it, without last_used_at, which is written with a
   * delay.
   */
  const everything = async () => {
    const { workspace } = shared;
    const paths = [
      '/keys?include_disabled=true',
      `/keys?include_disabled=true&workspace_id=${workspace}`,
      '/workspaces?limit=100',
      `/workspaces/${workspace}/members`,
      '/organization/members?limit=100',
      '/audit?limit=1',
      '/export',
    ];
    const all = await Promise.all(paths.map((path) => send(['GET', path], managementKey)));
    expect(all.map(({ status }) => status)).toEqual(paths.map(() => 200));
    return all.map(({ text }) => text.replaceAll(/"last_used_at":[^,]+/g, ''));
  };

  it('these tests cover every operation on keys, workspaces and members', () => {
    const listed = operationsOf(document)
      .filter(({ tags = [] }) => ['Keys', 'Workspaces', 'Organization'].some((tag) => tags.includes(tag)))
      .map(({ operationId }) => operationId);
    expect([...new Set(rows.map(([operation]) => operation))].toSorted()).toEqual(listed.toSorted());
  });

  it('the contract declares for every operation who may call it', () => {
    const served = new Set(operationsOf(document).map(({ operationId }) => operationId));
    const operations: readonly Operation[] = Object.values(contract).filter(({ id }) => served.has(id));
    const declared = operations.map((operation) => [operation.id, accessOf(operation)]);
    // Any key may call the operations on presets and models; access-table.test.ts has what it may do.
    const tested = operations.map(({ id }) => [id, testedAccess(id)]);
    expect(declared).toEqual(tested);
  });

  it.each(callersWithErrors)('forbidden operations fail and change nothing for %s', async (name) => {
    const before = await everything();
    for (const [operation, need, requestOf] of rows) {
      const expected = expectedStatus(name, need);
      if (expected === 200) continue;
      const { method, path, body } = requestOf(shared);
      const request: Request = [method, path, body];
      const answer = await send(request, callers[name]);
      expect([request, answer.status, answer.body.error.code]).toEqual([request, expected, expected]);
      expect([request, checks.responseProblems(operation, expected, answer.body)]).toEqual([request, null]);
    }
    expect(await everything()).toEqual(before);
  });

  it.each(callersWithSuccess)('allowed operations succeed for %s', async (name) => {
    for (const [operation, need, requestOf, done = 200] of rows) {
      if (expectedStatus(name, need) !== 200) continue;
      const { method, path, body } = requestOf(await makeSubjects(name));
      const request: Request = [method, path, body];
      const answer = await send(request, callers[name]);
      expect([request, answer.status]).toEqual([request, done]);
      const problems = checks.responseProblems(operation, answer.status, answer.body);
      expect([request, problems]).toEqual([request, null]);
    }
  });

  it('a permission error says which key is needed', async () => {
    const messageOf = async (request: Request, name: CallerName) =>
      (await send(request, callers[name])).body.error.message;
    expect(await messageOf(['GET', '/keys'], 'the API key of an org:admin')).toBe(
      'Listing keys requires a management key; this is an API key.',
    );
    expect(await messageOf(['GET', '/audit'], 'the API key of an org:member')).toMatch(
      / requires a management key; this is an API key\.$/,
    );
    expect(
      await messageOf(['DELETE', `/keys/${shared.ownKey}`], 'a read-only management key of an org:admin'),
    ).toMatch(/^The management key \S+ is read-only\. Use a key with write access\.$/);
    expect(
      await messageOf(
        ['POST', '/keys', { name: 'x', creator_user_id: shared.otherId }],
        'the management key of an org:member',
      ),
    ).toMatch(/^Only an org:admin can manage other members' keys;/);
    expect(
      await messageOf(
        ['POST', '/workspaces', { name: 'x', slug: 'x' }],
        'the management key of an org:member',
      ),
    ).toMatch(/^Creating a workspace requires a management key of an org:admin;/);
  });

  it('a key that cannot write gets 403 even for things that do not exist', async () => {
    const name = 'a read-only management key of an org:admin';
    for (const path of [`/keys/${newId()}`, '/workspaces/none', '/organization/members/none'])
      expect([path, (await send(['DELETE', path], callers[name])).status]).toEqual([path, 403]);
    const member = callers['the management key of an org:member'];
    expect((await send(['DELETE', `/keys/${newId()}`], member)).status).toBe(404);
    for (const path of ['/workspaces/none', '/organization/members/none'])
      expect([path, (await send(['DELETE', path], member)).status]).toEqual([path, 403]);
  });

  it('an org:member can create own keys only in workspaces they belong to', async () => {
    const member = callers['the management key of an org:member'];
    const workspace = await makeWorkspace(server, `keys-${unique()}`);
    const create: Request = ['POST', '/keys', { name: 'Mine', workspace_id: workspace }];
    const rejected = await send(create, member);
    expect([rejected.status, rejected.body.error.metadata.issues[0].path]).toEqual([400, '/creator_user_id']);
    expect((await send(['GET', `/keys?workspace_id=${workspace}`], managementKey)).body.data).toEqual([]);
    await send(['POST', `/workspaces/${workspace}/members/add`, { user_ids: [memberId] }], managementKey);
    expect((await send(create, member)).status).toBe(201);
  });

  it('the members of workspaces reveal no roles that the list of people hides', async () => {
    const member = callers['the management key of an org:member'];
    const slugs = [`seen-${unique()}`, `hidden-${unique()}`] as const;
    const [own, foreign] = await Promise.all(slugs.map((slug) => makeWorkspace(server, slug)));
    const ids = [memberId, shared.otherId];
    await send(['POST', `/workspaces/${own}/members/add`, { user_ids: ids, role: 'editor' }], managementKey);
    await send(['POST', `/workspaces/${foreign}/members/add`, { user_ids: [shared.otherId] }], managementKey);
    const inPeople: string[] = [];
    for (const id of ids)
      for (const { slug, role } of (await send(['GET', `/organization/people/${id}`], member)).body.data
        .workspaces)
        if (slugs.includes(slug)) inPeople.push(`${id} ${slug} ${role}`);
    const inMembers: string[] = [];
    for (const slug of slugs) {
      const { data = [] } = (await send(['GET', `/workspaces/${slug}/members`], member)).body;
      for (const { user_id: id, workspace_role: role } of data)
        if (ids.includes(id)) inMembers.push(`${id} ${slug} ${role}`);
    }
    expect(inMembers.toSorted()).toEqual(inPeople.toSorted());
    expect(inMembers).toHaveLength(2);
    for (const reference of [foreign, slugs[1]]) {
      const { status, body } = await send(['GET', `/workspaces/${reference}/members`], member);
      expect([status, body.error.message]).toEqual([
        404,
        `There is no workspace "${reference}" that you can access.`,
      ]);
    }
  });

  it('the management key of an org:member reads and writes presets only in their workspaces', async () => {
    const member = callers['the management key of an org:member'];
    const ownId = await makeWorkspace(server, `own-${unique()}`);
    const foreignId = await makeWorkspace(server, `foreign-${unique()}`);
    const membership = (verb: string, workspace: string, on = server) =>
      send(['POST', `/workspaces/${workspace}/members/${verb}`, { user_ids: [memberId] }], managementKey, on);
    await membership('add', ownId);
    const statusesIn = async (workspaceId: string | undefined) => {
      const statuses = new Set<number>();
      for (const [method, path, body] of presetWrites) {
        const query = workspaceId === undefined ? '' : `?workspace_id=${workspaceId}`;
        statuses.add((await send([method, path + query, body], member)).status);
      }
      return [...statuses];
    };
    const presetIn = (workspaceId: string, key = member) =>
      send(['GET', `/presets/shared?workspace_id=${workspaceId}`], key);
    for (const id of [ownId, foreignId])
      await send(['POST', `/presets/shared/responses?workspace_id=${id}`, {}], managementKey);
    await giveRole('default', 'admin');
    expect(await statusesIn(undefined)).toEqual([200]);
    await giveRole('default', 'editor');
    expect(await statusesIn(ownId)).toEqual([200]);
    expect(await statusesIn(ownId.toUpperCase())).toEqual([200]);

    const before = await presetIn(foreignId, managementKey);
    expect((await presetIn(foreignId)).status).toBe(404);
    expect(await statusesIn(foreignId)).toEqual([404]);
    expect(await statusesIn(newId())).toEqual([404]);
    const dry = await send(
      ['POST', `/presets/shared/responses?dry_run=true&workspace_id=${foreignId}`, {}],
      member,
    );
    expect(dry.status).toBe(404);
    expect((await presetIn(foreignId, managementKey)).text).toBe(before.text);

    await membership('add', foreignId);
    expect(await statusesIn(foreignId)).toEqual([200]);
    await membership('remove', foreignId);
    expect(await statusesIn(foreignId)).toEqual([404]);
    const promote = (role: string) =>
      send(['PATCH', `/organization/members/${memberId}`, { role }], managementKey);
    await promote('org:admin');
    expect(await statusesIn(foreignId)).toEqual([200]);
    await promote('org:member');
    expect(await statusesIn(foreignId)).toEqual([404]);

    // The other server has cached their access.
    const write: Request = ['PATCH', `/presets/shared?workspace_id=${ownId}`, { name: 'Shared' }];
    expect((await send(write, member, second)).status).toBe(200);
    await membership('remove', ownId);
    expect((await send(write, member)).status).toBe(404);
    expect(await statusWithinOneSecond(() => send(write, member, second))).toBe(404);
  });
});

let counter = 0;
function unique(): string {
  counter += 1;
  return String(counter);
}

function accessOf(operation: Operation): Access {
  return operation.access ?? 'key';
}

/** The least that any of its requests needs. */
function testedAccess(operation: string): Access {
  if (publicOperations.includes(operation)) return 'public';
  const needs = organizationRows.filter(([each]) => each === operation).map(([, need]) => need);
  if (needs.length === 0 || needs.includes('key') || needs.includes('anyone')) return 'key';
  if (needs.includes('session')) return 'session';
  return needs.every((each) => each === 'organization') ? 'admin' : 'management';
}
