import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { strictestEngine } from '../support/engines.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import {
  managementKey,
  startServerOn,
  startTestServer,
  type TestResponse,
  type TestServer,
} from '../support/server.ts';
import { statusWithinOneSecond } from '../support/status-within-one-second.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const settings = {
  default_guardrail_id: '00000000-0000-0000-0000-000000000000',
  default_text_model: null,
  default_image_model: null,
  default_provider_sort: null,
  is_observability_io_logging_enabled: false,
  is_observability_broadcast_enabled: false,
  is_data_discount_logging_enabled: false,
  io_logging_sampling_rate: 1,
  io_logging_api_key_ids: null,
  disabled_server_tools: null,
  include_byok_in_budgets: false,
};

/** Invalid fields, for creating and editing alike, with the path of the expected issue. */
const problems: readonly [string, object][] = [
  ['/name', { name: '' }],
  ['/name', { name: ' ' }],
  ['/name', { name: 'x'.repeat(101) }],
  ['/name', { name: 'two\nlines' }],
  ['/name', { name: 'nul\0' }],
  ['/name', { name: 'half \ud83d' }],
  ['/name', { name: null }],
  ['/slug', { slug: '' }],
  ['/slug', { slug: 'x'.repeat(51) }],
  ['/slug', { slug: 'Capital' }],
  ['/slug', { slug: '-a' }],
  ['/slug', { slug: 'a-' }],
  ['/slug', { slug: 'a--b' }],
  ['/slug', { slug: 'a b' }],
  ['/slug', { slug: 'a\n' }],
  ['/slug', { slug: 'ä' }],
  ['/slug', { slug: '..' }],
  ['/slug', { slug: newId() }],
  ['/slug', { slug: null }],
  ['/description', { description: 'x'.repeat(501) }],
  ['/description', { description: 'nul\0' }],
  ['/description', { description: 'half \udc00' }],
  ['/description', { description: 1 }],
  ['/default_text_model', { default_text_model: 'openai/gpt' }],
  ['/default_image_model', { default_image_model: 'x' }],
  ['/default_provider_sort', { default_provider_sort: 'price' }],
  ['/io_logging_api_key_ids', { io_logging_api_key_ids: [1] }],
  ['/io_logging_sampling_rate', { io_logging_sampling_rate: 0 }],
  ['/io_logging_sampling_rate', { io_logging_sampling_rate: 1.1 }],
  ['/is_observability_io_logging_enabled', { is_observability_io_logging_enabled: 'yes' }],
  ['/is_observability_broadcast_enabled', { is_observability_broadcast_enabled: true }],
  ['/is_data_discount_logging_enabled', { is_data_discount_logging_enabled: true }],
  ['/disabled_server_tools', { disabled_server_tools: ['web_search'] }],
  ['/id', { id: newId() }],
  ['/is_default', { is_default: true }],
  ['/created_by', { created_by: 'user_x' }],
];

const neutral = {
  default_text_model: null,
  default_image_model: null,
  default_provider_sort: null,
  io_logging_api_key_ids: [],
  io_logging_sampling_rate: 1,
  is_observability_io_logging_enabled: false,
  is_observability_broadcast_enabled: false,
  is_data_discount_logging_enabled: false,
  disabled_server_tools: [],
};

describe('workspaces', () => {
  let server: TestServer;
  let second: TestServer;
  let adminId: string;
  let adminEmail: string;
  beforeAll(async () => {
    server = await startTestServer(strictestEngine);
    second = await startServerOn(server.database);
    [{ id: adminId, email: adminEmail }] = (await server.get('/api/v1/organization/members')).body.data;
  });
  afterAll(async () => {
    await second.stop();
    await server.stop();
  });

  const send = (method: string, path: string, body?: unknown, key: string = managementKey) =>
    server.send(method, `/api/v1${path}`, body, { key });
  const create = (body: object) => send('POST', '/workspaces', body);
  const issuePaths = ({ body }: TestResponse): readonly string[] =>
    (body.error.metadata?.issues ?? []).map(({ path }: { path: string }) => path);
  const state = async () => [
    (await send('GET', '/workspaces?limit=100')).text,
    (await send('GET', '/audit?limit=1')).text,
  ];
  const peopleOf = async (workspace: string): Promise<readonly string[]> => {
    const { data, total_count: count } = (await send('GET', `/workspaces/${workspace}/members`)).body;
    expect(count).toBe(data.length);
    return data.map(({ user_id: id }: { user_id: string }) => id);
  };

  it('every member belongs to the default workspace and cannot be removed from it', async () => {
    const { body } = await send('GET', '/workspaces/default');
    expect(body.data).toEqual({
      id: expect.stringMatching(uuid),
      name: 'Default',
      slug: 'default',
      description: null,
      is_default: true,
      member_count: 1,
      created_at: expect.stringMatching(time),
      updated_at: null,
      created_by: null,
      ...settings,
    });
    const id = await makeMember(server, 'everybody@example.com');
    expect((await send('GET', '/workspaces/default')).body.data.member_count).toBe(2);
    expect(await peopleOf('default')).toEqual([adminId, id]);
    const again = await send('POST', '/workspaces/default/members/add', { user_ids: [id, adminId] });
    expect([again.status, again.body]).toEqual([200, { data: [], added_count: 0 }]);
    const out = await send('POST', '/workspaces/default/members/remove', { user_ids: [id] });
    expect([out.status, out.body.error.message]).toEqual([
      400,
      expect.stringContaining('belongs to the default workspace'),
    ]);
    expect(await peopleOf('default')).toEqual([adminId, id]);
  });

  it('a new workspace has all fields, and its creator as a member', async () => {
    const response = await create({ name: 'Team ä 🙂', slug: 'team-1', description: 'Two\nlines' });
    expect([response.status, response.body]).toEqual([
      201,
      {
        data: {
          id: expect.stringMatching(uuid),
          name: 'Team ä 🙂',
          slug: 'team-1',
          description: 'Two\nlines',
          is_default: false,
          member_count: 1,
          created_at: expect.stringMatching(time),
          updated_at: null,
          created_by: adminId,
          ...settings,
        },
      },
    ]);
    const { data } = response.body;
    for (const reference of [data.id, data.id.toUpperCase(), 'team-1'])
      expect((await send('GET', `/workspaces/${reference}`)).body).toEqual({ data });
    const { body: members } = await send('GET', '/workspaces/team-1/members');
    expect(members).toEqual({
      data: [
        {
          id: expect.stringMatching(uuid),
          workspace_id: data.id,
          user_id: adminId,
          email: adminEmail,
          role: 'admin',
          workspace_role: 'admin',
          created_at: data.created_at,
        },
      ],
      total_count: 1,
    });
    expect((await send('GET', `/presets?workspace_id=${data.id}`)).body).toEqual({
      data: [],
      total_count: 0,
      total_count_exact: true,
    });
  });

  it('accepts unsupported settings of OpenRouter with neutral values', async () => {
    expect((await create({ name: 'Neutral', slug: 'neutral', ...neutral })).status).toBe(201);
    const nothing = Object.fromEntries(Object.keys(neutral).map((name) => [name, null]));
    expect((await create({ name: 'Null', slug: 'nothing', ...nothing, description: null })).status).toBe(201);
    const before = await state();
    const edited = await send('PATCH', '/workspaces/neutral', neutral);
    expect([edited.status, edited.body.data.updated_at]).toEqual([200, null]);
    expect(await state()).toEqual(before);
  });

  it.each([['/name', { name: undefined }], ['/slug', { slug: undefined }], ...problems])(
    'rejects a new workspace that is invalid at %s: %j',
    async (path, wrong) => {
      const before = await state();
      const response = await create({ name: 'Wrong', slug: 'wrong', ...wrong });
      expect([response.status, issuePaths(response)]).toEqual([400, [path]]);
      expect(await state()).toEqual(before);
    },
  );

  it.each([['', {}], ...problems] as const)(
    'rejects a workspace edit that is invalid at %j: %j',
    async (path, wrong) => {
      const before = await state();
      const response = await send('PATCH', '/workspaces/default', wrong);
      expect([response.status, issuePaths(response)]).toEqual([400, [path]]);
      expect(await state()).toEqual(before);
    },
  );

  it.each(['a', '1', '0-0', 'x'.repeat(50), 'default-1', 'constructor'])(
    'accepts the workspace slug %s',
    async (slug) => {
      expect((await create({ name: slug, slug })).status).toBe(201);
      expect((await send('GET', `/workspaces/${slug}`)).body.data.slug).toBe(slug);
    },
  );

  it('workspace slugs are unique, and free again after a change', async () => {
    const [one, two] = [await makeWorkspace(server, 'slug-one'), await makeWorkspace(server, 'slug-two')];
    const before = await state();
    for (const response of [
      await create({ name: 'x', slug: 'slug-one' }),
      await create({ name: 'x', slug: 'default' }),
      await send('PATCH', `/workspaces/${two}`, { slug: 'slug-one', name: 'Never' }),
    ])
      expect([response.status, issuePaths(response)]).toEqual([400, ['/slug']]);
    expect(await state()).toEqual(before);
    const renamed = await send('PATCH', '/workspaces/slug-one', { slug: 'slug-three' });
    expect(renamed.body.data).toMatchObject({ id: one, slug: 'slug-three', updated_at: expect.any(String) });
    expect((await send('GET', '/workspaces/slug-one')).status).toBe(404);
    expect((await send('GET', '/workspaces/slug-three')).body.data.id).toBe(one);
    expect((await send('PATCH', `/workspaces/${two}`, { slug: 'slug-one' })).body.data.id).toBe(two);
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => create({ name: 'x', slug: 'slug-raced' })),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400, 400, 400]);
  });

  it('a workspace edit keeps omitted fields', async () => {
    const id = await makeWorkspace(server, 'kept');
    const edit = async (body: object) => (await send('PATCH', `/workspaces/${id}`, body)).body.data;
    const described = await edit({ description: 'Text' });
    expect(described).toMatchObject({ name: 'kept', slug: 'kept', description: 'Text' });
    expect(await edit({ name: 'Kept' })).toMatchObject({ name: 'Kept', slug: 'kept', description: 'Text' });
    const cleared = await edit({ description: null });
    expect(cleared).toMatchObject({ name: 'Kept', description: null });
    expect(await edit({ name: 'Kept', slug: 'kept', description: null })).toEqual(cleared);
    const shown = (await send('PATCH', '/workspaces/default', { name: 'Everybody' })).body.data;
    expect(shown).toMatchObject({ name: 'Everybody', is_default: true });
    await send('PATCH', '/workspaces/default', { name: 'Default' });
  });

  it('workspaces are listed oldest first, in pages', async () => {
    const { body } = await send('GET', '/workspaces?limit=100');
    expect(body.total_count).toBe(body.data.length);
    expect(body.data[0].is_default).toBe(true);
    const times = body.data.map(({ created_at: at }: { created_at: string }) => at);
    expect(times).toEqual(times.toSorted());
    const page = (await send('GET', '/workspaces?offset=1&limit=2')).body;
    expect(page).toEqual({ data: body.data.slice(1, 3), total_count: body.total_count });
    const end = (await send('GET', '/workspaces?offset=2147483647')).body;
    expect(end).toEqual({ data: [], total_count: body.total_count });
    for (const query of ['limit=0', 'limit=101', 'offset=-1', 'limit=x'])
      expect([query, (await send('GET', `/workspaces?${query}`)).status]).toEqual([query, 400]);
  });

  describe('members of a workspace', () => {
    const add = (workspace: string, body: unknown) =>
      send('POST', `/workspaces/${workspace}/members/add`, body);
    const remove = (workspace: string, body: unknown) =>
      send('POST', `/workspaces/${workspace}/members/remove`, body);

    it('adds, removes and counts workspace members', async () => {
      const id = await makeWorkspace(server, 'people');
      const one = await makeMember(server, 'one@example.com');
      const two = await makeMember(server, 'two@example.com', { role: 'org:admin' });
      const added = await add('people', { user_ids: [one, adminId, two, one] });
      expect([added.status, added.body]).toEqual([
        200,
        {
          data: [
            {
              id: expect.stringMatching(uuid),
              workspace_id: id,
              user_id: one,
              email: 'one@example.com',
              role: 'member',
              workspace_role: 'admin',
              created_at: expect.stringMatching(time),
            },
            {
              id: expect.stringMatching(uuid),
              workspace_id: id,
              user_id: two,
              email: 'two@example.com',
              role: 'admin',
              workspace_role: 'admin',
              created_at: expect.stringMatching(time),
            },
          ],
          added_count: 2,
        },
      ]);
      expect((await peopleOf('people')).toSorted()).toEqual([adminId, one, two].toSorted());
      expect((await peopleOf('people'))[0]).toBe(adminId);
      expect((await send('GET', '/workspaces/people')).body.data.member_count).toBe(3);
      const { data: second } = (await send('GET', '/workspaces/people/members?offset=1&limit=1')).body;
      expect(second).toHaveLength(1);
      expect((await add('people', { user_ids: [one] })).body).toEqual({ data: [], added_count: 0 });
      const removed = await remove(id, { user_ids: [one, 'user_none', one] });
      expect([removed.status, removed.body]).toEqual([200, { removed_count: 1 }]);
      expect((await remove(id, { user_ids: [one] })).body).toEqual({ removed_count: 0 });
      expect((await send('GET', '/workspaces/people')).body.data.member_count).toBe(2);
      await send('DELETE', `/organization/members/${two}`);
      expect(await peopleOf('people')).toEqual([adminId]);
      await makeMember(server, 'two@example.com');
      expect(await peopleOf('people')).toEqual([adminId]);
    });

    it('adds either all workspace members of a request or none', async () => {
      await makeWorkspace(server, 'all-or-none');
      const good = await makeMember(server, 'good@example.com');
      const before = await state();
      for (const stranger of ['user_none', 'good@example.com', "' OR 1=1 --"]) {
        for (const workspace of ['all-or-none', 'default']) {
          const response = await add(workspace, { user_ids: [good, stranger, stranger] });
          expect([stranger, response.status, issuePaths(response)]).toEqual([
            stranger,
            400,
            ['/user_ids/1', '/user_ids/2'],
          ]);
        }
        const gone = await remove('all-or-none', { user_ids: [stranger] });
        expect([stranger, gone.status, gone.body]).toEqual([stranger, 200, { removed_count: 0 }]);
      }
      for (const text of ['nul\0', 'half \ud83d']) {
        for (const change of [add, remove]) {
          const response = await change('all-or-none', { user_ids: [good, text] });
          expect([response.status, issuePaths(response)]).toEqual([400, ['/user_ids/1']]);
        }
      }
      expect(await peopleOf('all-or-none')).toEqual([adminId]);
      expect(await state()).toEqual(before);
    });

    it('does not remove workspace members who have active keys there', async () => {
      const id = await makeWorkspace(server, 'active');
      const [one, two] = [
        await makeMember(server, 'active.one@example.com'),
        await makeMember(server, 'active.two@example.com'),
      ];
      await add(id, { user_ids: [one, two] });
      const key = await makeKey(server, { workspace_id: id, creator_user_id: two });
      // Keys in other workspaces do not count.
      await makeKey(server, { creator_user_id: one });
      await makeKey(server, { creator_user_id: one, kind: 'management' });
      const rejected = await remove(id, { user_ids: [one, two, two] });
      expect([rejected.status, issuePaths(rejected)]).toEqual([400, ['/user_ids/1', '/user_ids/2']]);
      expect(rejected.body.error.message).toContain('active.two@example.com');
      expect(await peopleOf(id)).toHaveLength(3);
      await send('PATCH', `/keys/${key.id}`, { disabled: true });
      expect((await remove(id, { user_ids: [one, two] })).body).toEqual({ removed_count: 2 });
      // A key cannot be enabled while its owner is not in the workspace.
      expect((await send('PATCH', `/keys/${key.id}`, { disabled: false })).status).toBe(409);
      expect((await send('GET', '/key', undefined, key.secret)).status).toBe(401);
      await add(id, { user_ids: [two] });
      expect((await send('PATCH', `/keys/${key.id}`, { disabled: false })).status).toBe(200);
    });

    it.each([
      [{}, ['/user_ids']],
      [{ user_ids: [] }, ['/user_ids']],
      [{ user_ids: 'user_x' }, ['/user_ids']],
      [{ user_ids: [''] }, ['/user_ids/0']],
      [{ user_ids: [1] }, ['/user_ids/0']],
      [{ user_ids: ['x'.repeat(201)] }, ['/user_ids/0']],
      [{ user_ids: Array.from({ length: 101 }, () => 'x') }, ['/user_ids']],
      [{ user_ids: ['x'], role: 'owner' }, ['/role']],
    ])('rejects the user_ids body %j', async (body, paths) => {
      for (const change of [add, remove]) {
        const response = await change('default', body);
        expect([response.status, issuePaths(response)]).toEqual([400, paths]);
      }
    });

    it('members of an unknown workspace are 404', async () => {
      for (const reference of [newId(), 'none', '~x', 'DEFAULT']) {
        const body = { user_ids: [adminId] };
        for (const response of [
          await add(reference, body),
          await remove(reference, body),
          await send('GET', `/workspaces/${reference}/members`),
        ])
          expect([reference, response.status, response.body.error.message]).toEqual([
            reference,
            404,
            `There is no workspace "${reference}" that you can access.`,
          ]);
      }
    });
  });

  describe('deleting a workspace', () => {
    it('does not delete a workspace with active keys, nor the default workspace', async () => {
      const id = await makeWorkspace(server, 'busy');
      const one = await makeKey(server, { workspace_id: id });
      const two = await makeKey(server, { workspace_id: id });
      const messageOf = async (path: string) => {
        const { status, body } = await send('DELETE', path);
        return [status, body.error?.message ?? body];
      };
      expect(await messageOf('/workspaces/busy')).toEqual([
        400,
        expect.stringContaining('still has active keys'),
      ]);
      await send('PATCH', `/keys/${one.id}`, { disabled: true });
      expect(await messageOf('/workspaces/busy')).toEqual([400, expect.stringContaining('an active key')]);
      expect((await send('GET', '/key', undefined, two.secret)).status).toBe(200);
      await send('PATCH', `/keys/${two.id}`, { disabled: true });
      expect(await messageOf('/workspaces/busy')).toEqual([200, { deleted: true }]);
      for (const query of ['', '?confirm_default_workspace_deletion=true'])
        expect(await messageOf(`/workspaces/default${query}`)).toEqual([
          400,
          expect.stringContaining('is the default workspace'),
        ]);
      expect(await messageOf('/workspaces/default?confirm_default_workspace_deletion=x')).toEqual([
        400,
        expect.stringContaining('/confirm_default_workspace_deletion'),
      ]);
      expect((await send('GET', '/workspaces/default')).status).toBe(200);
    });

    it('deletes a workspace whose keys have expired or whose key owners have left', async () => {
      const id = await makeWorkspace(server, 'left-behind');
      const ownerId = await makeMember(server, 'left.behind@example.com', { role: 'org:admin' });
      await makeKey(server, { workspace_id: id, creator_user_id: ownerId });
      const expired = await makeKey(server, { workspace_id: id });
      await send('DELETE', `/organization/members/${ownerId}`);
      expect((await send('DELETE', `/workspaces/${id}`)).status).toBe(400);
      await server.database.transaction(
        `UPDATE api_keys SET expires_at = '2026-01-01T00:00:00.000Z' WHERE id = '${expired.id}'`,
      );
      expect((await send('DELETE', `/workspaces/${id}`)).status).toBe(200);
    });

    it('deleting a workspace deletes its keys, frees its slug and makes its presets inaccessible', async () => {
      const id = await makeWorkspace(server, 'gone');
      const key = await makeKey(server, { workspace_id: id });
      const preset = `/presets/left?workspace_id=${id}`;
      await send('POST', `/presets/left/responses?workspace_id=${id}`, { model: 'm' });
      const onSecond = () => second.get(`/api/v1${preset}`);
      for (const response of [await send('GET', preset), await onSecond()]) expect(response.status).toBe(200);
      await send('PATCH', `/keys/${key.id}`, { disabled: true });
      const { total_count: before } = (await send('GET', '/workspaces')).body;
      expect((await send('DELETE', '/workspaces/gone')).body).toEqual({ deleted: true });
      expect((await send('GET', preset)).status).toBe(404);
      expect(await statusWithinOneSecond(onSecond)).toBe(404);
      expect((await send('GET', '/workspaces')).body.total_count).toBe(before - 1);
      for (const [method, path] of [
        ['GET', '/workspaces/gone'],
        ['GET', `/workspaces/${id}`],
        ['GET', `/workspaces/~${id}`],
        ['DELETE', `/workspaces/${id}`],
        ['GET', `/workspaces/${id}/members`],
        ['GET', `/keys/${key.id}`],
        ['GET', `/keys?workspace_id=${id}`],
      ] as const)
        expect([path, (await send(method, path)).status]).toEqual([path, 404]);
      expect((await send('POST', '/keys', { name: 'x', workspace_id: id })).status).toBe(404);
      expect((await send('GET', '/key', undefined, key.secret)).status).toBe(401);
      const next = await makeWorkspace(server, 'gone');
      expect(next).not.toBe(id);
      expect((await send('GET', `/presets/left?workspace_id=${next}`)).status).toBe(404);
      const [row] = await server.database.sql(
        `SELECT count(*) AS presets FROM presets WHERE workspace_id = '${id}'`,
      );
      expect(Number(row?.presets)).toBe(1);
    });
  });
});
