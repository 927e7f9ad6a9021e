import { HTTPClient, type OpenRouter } from '@openrouter/sdk';
import type { Workspace } from '@openrouter/sdk/models';
import {
  BadRequestResponseError,
  NotFoundResponseError,
  UnauthorizedResponseError,
} from '@openrouter/sdk/models/errors';
import type { ListWorkspaceMembersRequest } from '@openrouter/sdk/models/operations';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyEngine } from '../support/engines.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { type SdkOrganization, sdkOrganization } from './sdk-organization.ts';
import { thrownBy } from './thrown-by.ts';
import { timestamp, uuid } from './wire-patterns.ts';

const peopleCount = 119;

describe("an organization with OpenRouter's SDK", () => {
  let server: TestServer;
  let on: SdkOrganization;
  let defaultWorkspace: Workspace;
  /** In the order in which they joined. */
  let peopleIds: string[];

  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    on = await sdkOrganization(server);
    defaultWorkspace = (await on.client().workspaces.get({ id: 'default' })).data;
    peopleIds = await on.addMembers(
      Array.from({ length: peopleCount }, (_, index) => ({
        email: `person-${index}@example.com`,
        first_name: 'Person',
        last_name: String(index),
        ...(index === 1 && { role: 'org:admin' }),
      })),
    );
  });
  afterAll(() => server.stop());

  it('lists its members with all fields', async () => {
    const pages = [];
    for await (const { result } of await on.client().organization.listMembers()) pages.push(result);
    expect(pages.map(({ data }) => data.length)).toEqual([50, 50, 20]);
    const members = pages.flatMap(({ data }) => data);
    const [admin, ...people] = members;
    expect(admin).toStrictEqual({
      id: on.adminId,
      email: 'owner@localhost',
      firstName: 'Preset',
      lastName: 'Owner',
      role: 'org:admin',
    });
    const byId = new Map(people.map((person) => [person.id, person]));
    expect(peopleIds.map((id) => byId.get(id))).toStrictEqual(
      peopleIds.map((id, index) => ({
        id,
        email: `person-${index}@example.com`,
        firstName: 'Person',
        lastName: String(index),
        role: index === 1 ? 'org:admin' : 'org:member',
      })),
    );
  });

  describe('the members of a workspace', () => {
    let id: string;
    /** In the order in which they were added; by id if that was at the same time. */
    let inOrder: string[];

    beforeAll(async () => {
      const workspace = await on.create('crowded');
      ({ id } = workspace);
      const first = await on.add('crowded', peopleIds.slice(0, 100));
      const second = await on.add(id, peopleIds.slice(50));
      expect([first.addedCount, second.addedCount]).toEqual([100, peopleCount - 100]);
      expect(first.data.map(({ userId }) => userId).toSorted()).toEqual(peopleIds.slice(0, 100).toSorted());
      expect(second.data.map(({ userId }) => userId).toSorted()).toEqual(peopleIds.slice(100).toSorted());
      const creator = { createdAt: workspace.createdAt, userId: on.adminId };
      inOrder = [creator, ...first.data, ...second.data]
        .toSorted((a, b) => (a.createdAt + a.userId < b.createdAt + b.userId ? -1 : 1))
        .map(({ userId }) => userId);
    });

    it.each<[Omit<ListWorkspaceMembersRequest, 'id'>, number[]]>([
      [{}, [50, 50, 20]],
      [{ limit: 100 }, [100, 20]],
      [{ limit: 40 }, [40, 40, 40, 0]],
      [{ limit: 7, offset: 110 }, [7, 3]],
      [{ offset: 120 }, [0]],
      [{ offset: null }, [50, 50, 20]],
    ])('are listed in pages, each once and in order, for %j', async (request, sizes) => {
      const pages = [];
      for await (const { result } of await on.client().workspaces.listMembers({ id, ...request }))
        pages.push(result);
      expect(pages.map(({ data }) => data.length)).toEqual(sizes);
      expect(pages.map(({ totalCount }) => totalCount)).toEqual(sizes.map(() => peopleCount + 1));
      expect(pages.flatMap(({ data }) => data)).toStrictEqual(
        inOrder.slice(request.offset ?? 0).map((userId) => ({
          id: expect.stringMatching(uuid),
          workspaceId: id,
          userId,
          role: [on.adminId, peopleIds[1]].includes(userId) ? 'admin' : 'member',
          createdAt: expect.stringMatching(timestamp),
        })),
      );
    });

    it('include all members of the organization in the default workspace', async () => {
      const { result } = await on.client().workspaces.listMembers({ id: 'default', limit: 100 });
      expect(result.totalCount).toBe(peopleCount + 1);
      expect(result.data[0]).toStrictEqual({
        id: expect.stringMatching(uuid),
        workspaceId: defaultWorkspace.id,
        userId: on.adminId,
        role: 'admin',
        createdAt: expect.stringMatching(timestamp),
      });
      expect(await on.add('default', peopleIds.slice(0, 2))).toStrictEqual({ data: [], addedCount: 0 });
      const error = await thrownBy(on.remove('default', peopleIds.slice(0, 2)), BadRequestResponseError);
      expect(error.message).toContain('belongs to the default workspace');
    });

    it('are added with their role in the organization, and removed', async () => {
      const [someone = '', someAdmin = ''] = peopleIds;
      const workspace = await on.create('small');
      const added = await on.add('small', [someone, someAdmin, someone]);
      const member = (userId: string, role: string) => ({
        id: expect.stringMatching(uuid),
        workspaceId: workspace.id,
        userId,
        role,
        createdAt: expect.stringMatching(timestamp),
      });
      const order = (some: readonly { readonly userId: string }[]) =>
        some.toSorted((a, b) => (a.userId < b.userId ? -1 : 1));
      expect(added.addedCount).toBe(2);
      expect(order(added.data)).toStrictEqual(order([member(someone, 'member'), member(someAdmin, 'admin')]));
      const { result } = await on.client().workspaces.listMembers({ id: 'small' });
      expect(result.data.filter(({ userId }) => userId !== on.adminId)).toStrictEqual(order(added.data));
      expect(await on.remove('small', [someone, someone, 'user_unknown'])).toStrictEqual({ removedCount: 1 });
      expect(await on.remove('small', [someone])).toStrictEqual({ removedCount: 0 });
    });

    it('are added and removed atomically', async () => {
      const [free = '', , busy = ''] = peopleIds;
      const workspace = await on.create('careful');
      const unknown = await thrownBy(on.add('careful', [free, 'user_unknown']), BadRequestResponseError);
      expect(unknown.error.metadata).toEqual({
        issues: [
          {
            path: '/user_ids/1',
            message: expect.stringContaining('not the id of a member of the organization'),
          },
        ],
      });
      await on.add('careful', [free, busy]);
      const { data: key } = await on.createKey(workspace.id, busy);
      const active = await thrownBy(on.remove('careful', [free, busy]), BadRequestResponseError);
      expect(active.error.metadata).toEqual({
        issues: [{ path: '/user_ids/1', message: expect.stringContaining('has an active key') }],
      });
      const { result } = await on.client().workspaces.listMembers({ id: 'careful' });
      expect(result.totalCount).toBe(3);
      await on.client().apiKeys.delete({ hash: key.hash });
      expect(await on.remove('careful', [free, busy])).toStrictEqual({ removedCount: 2 });
    });

    it('can be added and removed 1 to 100 at a time', async () => {
      for (const userIds of [[], Array<string>(101).fill('user_a')])
        for (const call of [on.add, on.remove])
          expect(await thrownBy(call(id, userIds), BadRequestResponseError)).toMatchObject({
            statusCode: 400,
            error: { metadata: { issues: [{ path: '/user_ids' }] } },
          });
    });
  });

  it('isolates the presets of two workspaces', async () => {
    const { client, create, createKey } = on;
    const [one, two] = [await create('one'), await create('two')];
    const [keyOfOne, keyOfTwo] = [await createKey(one.id), await createKey(two.id)];
    const [inOne, inTwo] = [client(keyOfOne.key).presets, client(keyOfTwo.key).presets];
    const push = (presets: OpenRouter['presets'], slug: string, model: string) =>
      presets.createPresetsResponses({ slug, responsesRequest: { model } });

    const first = await push(inOne, 'shared', 'of-one');
    const second = await push(inTwo, 'shared', 'of-two');
    await push(inTwo, 'secret', 'of-two');
    expect(first.data).toMatchObject({ workspaceId: one.id, designatedVersion: { version: 1 } });
    expect(second.data).toMatchObject({ workspaceId: two.id, designatedVersion: { version: 1 } });
    expect(second.data.id).not.toBe(first.data.id);
    expect((await inOne.get({ slug: 'shared' })).data.designatedVersion?.config).toMatchObject({
      model: 'of-one',
    });
    expect((await inTwo.get({ slug: 'shared' })).data.designatedVersion?.config).toMatchObject({
      model: 'of-two',
    });

    const slugs = async (presets: OpenRouter['presets']) =>
      (await presets.list()).result.data.map(({ slug }) => slug).toSorted();
    expect(await slugs(inOne)).toEqual(['shared']);
    expect(await slugs(inTwo)).toEqual(['secret', 'shared']);
    expect(await slugs(client(apiKey).presets)).toEqual([]);
    for (const call of [
      () => inOne.get({ slug: 'secret' }),
      () => inOne.listVersions({ slug: 'secret' }),
      () => inOne.getVersion({ slug: 'secret', version: '1' }),
    ]) {
      const error = await thrownBy(call(), NotFoundResponseError);
      expect(error.message).toBe('There is no preset "secret" that you can access.');
    }

    // The SDK has no parameter for the workspace, but hooks can modify requests.
    const to = (workspaceId: string) =>
      new HTTPClient().addHook(
        'beforeRequest',
        (request) => new Request(`${request.url}?workspace_id=${workspaceId}`, request),
      );
    expect(await slugs(client(managementKey, to(two.id)).presets)).toEqual(['secret', 'shared']);
    const { presets } = client(keyOfOne.key, to(two.id));
    expect((await thrownBy(presets.get({ slug: 'secret' }), NotFoundResponseError)).message).toContain(
      two.id,
    );

    await client().apiKeys.delete({ hash: keyOfTwo.data.hash });
    await client().workspaces.delete({ id: two.id });
    await thrownBy(inTwo.get({ slug: 'shared' }), UnauthorizedResponseError);
    await thrownBy(client(managementKey, to(two.id)).presets.get({ slug: 'shared' }), NotFoundResponseError);
    expect((await inOne.get({ slug: 'shared' })).data).toEqual(first.data);
  });

  it('records the changes of the SDK in the audit log', async () => {
    const { id } = await on.create('watched');
    const { data } = await on.createKey(id);
    await on.client().apiKeys.delete({ hash: data.hash });
    await on.client().workspaces.delete({ id });
    const { body } = await server.get('/api/v1/audit?limit=5');
    const recorded = body.data.map((event: Record<string, unknown>) => [event.kind, event.subject]);
    expect(recorded.toSorted()).toEqual([
      ['key.created', data.label],
      ['key.deleted', data.label],
      ['workspace.created', 'watched'],
      ['workspace.deleted', 'watched'],
      ['workspace.member_added', 'watched'],
    ]);
  });
});
