import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { anyEngine } from '../support/engines.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { apiKey, managementKey, startServerOn, startTestServer, type TestServer } from '../support/server.ts';
import { statusWithinOneSecond } from '../support/status-within-one-second.ts';

type Request = readonly [method: string, path: string, body?: unknown];

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
  let readOnly: string;
  let member: string;
  let memberId: string;
  let otherId: string;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    second = await startServerOn(server.database);
    memberId = await makeMember(server, 'member@example.com');
    otherId = await makeMember(server, 'other@example.com');
    await giveRole('default', 'editor');
    readOnly = (await makeKey(server, { kind: 'read_only' })).secret;
    member = (await makeKey(server, { creator_user_id: memberId, kind: 'management' })).secret;
  });
  afterAll(async () => {
    await second.stop();
    await server.stop();
  });

  const send = ([method, path, body]: Request, key: string | null, on = server) =>
    on.send(method, `/api/v1${path}`, body, { key });

  const giveRole = (workspace: string, role: string) =>
    send(['PATCH', `/workspaces/${workspace}/members/${memberId}`, { role }], managementKey);

  it('a permission error says which key is needed', async () => {
    const messageOf = async (request: Request, key: string) => (await send(request, key)).body.error.message;
    expect(await messageOf(['GET', '/keys'], apiKey)).toBe(
      'Listing keys requires a management key; this is an API key.',
    );
    expect(await messageOf(['GET', '/audit'], apiKey)).toMatch(
      / requires a management key; this is an API key\.$/,
    );
    expect(await messageOf(['DELETE', `/keys/${newId()}`], readOnly)).toMatch(
      /^The management key \S+ is read-only\. Use a key with write access\.$/,
    );
    expect(await messageOf(['POST', '/keys', { name: 'x', creator_user_id: otherId }], member)).toMatch(
      /^Only an org:admin can manage other members' keys;/,
    );
    expect(await messageOf(['POST', '/workspaces', { name: 'x', slug: 'x' }], member)).toMatch(
      /^Creating a workspace requires a management key of an org:admin;/,
    );
  });

  it('a key that cannot write gets 403 even for things that do not exist', async () => {
    for (const path of [`/keys/${newId()}`, '/workspaces/none', '/organization/members/none'])
      expect([path, (await send(['DELETE', path], readOnly)).status]).toEqual([path, 403]);
    expect((await send(['DELETE', `/keys/${newId()}`], member)).status).toBe(404);
    for (const path of ['/workspaces/none', '/organization/members/none'])
      expect([path, (await send(['DELETE', path], member)).status]).toEqual([path, 403]);
  });

  it('an org:member can create own keys only in workspaces they belong to', async () => {
    const workspace = await makeWorkspace(server, `keys-${unique()}`);
    const create: Request = ['POST', '/keys', { name: 'Mine', workspace_id: workspace }];
    const rejected = await send(create, member);
    expect([rejected.status, rejected.body.error.metadata.issues[0].path]).toEqual([400, '/creator_user_id']);
    expect((await send(['GET', `/keys?workspace_id=${workspace}`], managementKey)).body.data).toEqual([]);
    await send(['POST', `/workspaces/${workspace}/members/add`, { user_ids: [memberId] }], managementKey);
    expect((await send(create, member)).status).toBe(201);
  });

  it('the members of workspaces reveal no roles that the list of people hides', async () => {
    const slugs = [`seen-${unique()}`, `hidden-${unique()}`] as const;
    const [own, foreign] = await Promise.all(slugs.map((slug) => makeWorkspace(server, slug)));
    const ids = [memberId, otherId];
    await send(['POST', `/workspaces/${own}/members/add`, { user_ids: ids, role: 'editor' }], managementKey);
    await send(['POST', `/workspaces/${foreign}/members/add`, { user_ids: [otherId] }], managementKey);
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
