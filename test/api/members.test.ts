import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyEngine, engines } from '../support/engines.ts';
import { makeKey, makeMember } from '../support/organizations.ts';
import { managementKey, startTestServer, type TestResponse, type TestServer } from '../support/server.ts';
import { signInAs } from '../support/sign-in.ts';

/** Invalid fields, for adding and importing alike, with the path of the expected issue. */
const problems: readonly [string, object][] = [
  ['/email', { email: undefined }],
  ['/email', { email: '' }],
  ['/email', { email: 'nobody' }],
  ['/email', { email: 'a@b@c' }],
  ['/email', { email: '@example.com' }],
  ['/email', { email: 'a b@example.com' }],
  ['/email', { email: ' a@example.com' }],
  ['/email', { email: 'a@example.com\n' }],
  ['/email', { email: 'nul\0@example.com' }],
  ['/email', { email: 'half\ud83d@example.com' }],
  ['/email', { email: `${'x'.repeat(243)}@example.com` }],
  ['/email', { email: null }],
  ['/first_name', { first_name: 'two\nlines' }],
  ['/first_name', { first_name: ' ' }],
  ['/first_name', { first_name: null }],
  ['/last_name', { last_name: 'nul\0' }],
  ['/last_name', { last_name: 'half \udc00' }],
  ['/last_name', { last_name: 'x'.repeat(201) }],
  ['/role', { role: 'admin' }],
  ['/role', { role: null }],
  ['/id', { id: 'user_x' }],
];

describe('members', () => {
  let server: TestServer;
  let adminId: string;
  let adminEmail: string;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    [{ id: adminId, email: adminEmail }] = (await server.get('/api/v1/organization/members')).body.data;
  });
  afterAll(() => server.stop());

  const send = (method: string, path: string, body?: unknown, key: string = managementKey) =>
    server.send(method, `/api/v1/organization/members${path}`, body, { key });
  const add = (body: object) => send('POST', '', body);
  const issuePaths = ({ body }: TestResponse): readonly string[] =>
    (body.error.metadata?.issues ?? []).map(({ path }: { path: string }) => path);
  const state = async () => [
    (await send('GET', '?limit=100')).text,
    (await server.get('/api/v1/audit?limit=1')).text,
  ];

  it('a new member has all fields, and is found by id and by address in any case', async () => {
    const response = await add({
      email: 'Grace.Hopper@Example.com',
      first_name: 'Grace',
      last_name: 'Höpper 🙂',
    });
    expect([response.status, response.body]).toEqual([
      201,
      {
        data: {
          id: expect.stringMatching(/^user_[0-9a-f]{32}$/),
          email: 'Grace.Hopper@Example.com',
          first_name: 'Grace',
          last_name: 'Höpper 🙂',
          role: 'org:member',
        },
      },
    ]);
    const { data } = response.body;
    const addresses = ['Grace.Hopper@Example.com', 'grace.hopper@example.com', 'GRACE.HOPPER@EXAMPLE.COM'];
    for (const reference of [data.id, ...addresses, ...addresses.map(encodeURIComponent)])
      expect([reference, (await send('GET', `/${reference}`)).body]).toEqual([reference, { data }]);
    const plain = (await add({ email: 'plain+tag@example.com', role: 'org:admin' })).body.data;
    expect(plain).toMatchObject({ first_name: '', last_name: '', role: 'org:admin' });
    expect((await send('GET', `/${encodeURIComponent('plain+tag@example.com')}`)).body.data).toEqual(plain);
    const { data: all, total_count: count } = (await send('GET', '')).body;
    expect([all, count]).toEqual([[expect.objectContaining({ id: adminId }), data, plain], 3]);
  });

  it.each([
    'ünï@exämple.com',
    `${'x'.repeat(242)}@example.com`,
    "o'neil@example.com",
    '"q"@example.com',
    'a@b',
  ])('accepts the email address %s', async (email) => {
    const { status, body } = await add({ email });
    expect([status, body.data.email]).toEqual([201, email]);
    expect((await send('GET', `/${encodeURIComponent(email.toUpperCase())}`)).body.data.id).toBe(
      body.data.id,
    );
  });

  it.each(problems)('rejects a new member that is invalid at %s: %j', async (path, wrong) => {
    const before = await state();
    const response = await add({ email: 'wrong@example.com', ...wrong });
    expect([response.status, issuePaths(response)]).toEqual([400, [path]]);
    expect(await state()).toEqual(before);
  });

  it('a member cannot be added twice, even with the address in another case', async () => {
    await makeMember(server, 'twice@example.com');
    const before = await state();
    for (const email of ['twice@example.com', 'TWICE@example.com', adminEmail.toUpperCase()]) {
      const response = await add({ email, first_name: 'Other' });
      expect([email, response.status]).toEqual([email, 409]);
      expect(response.body.error.message).toMatch(/is already a member of the organization\.$/);
    }
    expect(await state()).toEqual(before);
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        add({ email: index % 2 ? 'Raced@example.com' : 'raced@example.com' }),
      ),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it('a member edit changes only the given fields', async () => {
    const id = await makeMember(server, 'changed@example.com', { first_name: 'A', last_name: 'B' });
    const edit = (body: object, reference = id) => send('PATCH', `/${reference}`, body);
    const response = await edit({ last_name: 'C' }, 'CHANGED@example.com');
    expect([response.status, response.body]).toEqual([
      200,
      {
        data: {
          id,
          email: 'changed@example.com',
          first_name: 'A',
          last_name: 'C',
          role: 'org:member',
        },
      },
    ]);
    expect((await edit({ first_name: '', last_name: '' })).body.data).toMatchObject({
      first_name: '',
      last_name: '',
    });
    expect((await edit({ role: 'org:admin' })).body.data.role).toBe('org:admin');
    const before = await state();
    expect((await edit({ role: 'org:admin', first_name: '' })).status).toBe(200);
    expect(await state()).toEqual(before);
    expect((await send('GET', `/${id}`)).body.data).toMatchObject({ role: 'org:admin', last_name: '' });
  });

  it('an admin changes an address, and sessions, keys and the user id stay', async () => {
    const id = await makeMember(server, 'before@example.com');
    const browser = await signInAs(server, 'before@example.com');
    const { secret } = await makeKey(server, { creator_user_id: id });
    const edited = await send('PATCH', '/before@example.com', { email: 'After@example.com', last_name: 'L' });
    expect(edited.body.data).toMatchObject({ id, email: 'After@example.com', last_name: 'L' });
    expect((await send('GET', '/before@example.com')).status).toBe(404);
    expect((await browser.get('/account')).body.data.email).toBe('After@example.com');
    expect((await server.get('/api/v1/key', { key: secret })).status).toBe(200);
    const [event] = (await server.get('/api/v1/audit?kind=member.email_changed')).body.data;
    expect(event).toMatchObject({
      actor_email: adminEmail,
      subject: 'before@example.com',
      before: { email: 'before@example.com' },
      after: { email: 'After@example.com' },
    });
  });

  it('an address of another user is rejected, and nothing changes', async () => {
    const id = await makeMember(server, 'second@example.com');
    const before = await state();
    const response = await send('PATCH', `/${id}`, { email: adminEmail.toUpperCase(), first_name: 'X' });
    expect([response.status, response.body.error.message]).toEqual([
      409,
      `Another user, possibly a former member, has the address ${adminEmail}. Add ${adminEmail} as a member instead, or choose another address.`,
    ]);
    expect(await state()).toEqual(before);
  });

  it.each([
    ['', {}],
    // An edit may omit the address.
    ...problems.filter(([, wrong]) => JSON.stringify(wrong) !== '{}'),
  ] as const)('rejects a member edit that is invalid at %j: %j', async (path, wrong) => {
    const before = await state();
    const response = await send('PATCH', `/${adminId}`, wrong);
    expect([response.status, issuePaths(response)]).toEqual([400, [path]]);
    expect(await state()).toEqual(before);
  });

  it('a removed member who is added again is the same user', async () => {
    const id = await makeMember(server, 'back@example.com', { first_name: 'B', role: 'org:admin' });
    const response = await send('DELETE', '/Back@example.com');
    expect([response.status, response.body]).toEqual([200, { deleted: true }]);
    for (const reference of [id, 'back@example.com']) {
      for (const [method, body] of [
        ['GET', undefined],
        ['PATCH', { first_name: 'x' }],
        ['DELETE', undefined],
      ] as const) {
        const gone = await send(method, `/${reference}`, body);
        expect([method, gone.status, gone.body.error.message]).toEqual([
          method,
          404,
          `There is no member ${reference} in this organization.`,
        ]);
      }
    }
    const again = (await add({ email: 'BACK@example.com' })).body.data;
    expect(again).toEqual({
      id,
      email: 'back@example.com',
      first_name: 'B',
      last_name: '',
      role: 'org:member',
    });
  });

  it('members are listed in the order they joined, in pages', async () => {
    const { data, total_count: count } = (await send('GET', '?limit=100')).body;
    expect(data).toHaveLength(count);
    expect(data[0].id).toBe(adminId);
    expect((await send('GET', '?offset=1&limit=2')).body.data).toEqual(data.slice(1, 3));
    expect((await send('GET', `?offset=${count}`)).body).toEqual({ data: [], total_count: count });
    for (const query of ['?limit=0', '?limit=101', '?offset=-1'])
      expect([query, (await send('GET', query)).status]).toEqual([query, 400]);
  });

  describe('importing members', () => {
    const importMembers = (members: readonly object[], updateExisting?: boolean) =>
      send('POST', '/import', {
        members,
        ...(updateExisting !== undefined && { update_existing: updateExisting }),
      });

    it('an import reports the outcome for each person, in order', async () => {
      await makeMember(server, 'same@example.com', { first_name: 'Same' });
      await makeMember(server, 'other@example.com', { first_name: 'Other' });
      const response = await importMembers([
        { email: 'new@example.com', first_name: 'New', role: 'org:admin' },
        { email: 'SAME@example.com' },
        { email: 'other@example.com', first_name: 'Another' },
        { email: 'New@example.com', first_name: 'Twice' },
        { email: 'same@example.com', first_name: 'Same', role: 'org:member' },
        { email: 'newer@example.com' },
      ]);
      const twice = 'This address appears earlier in the request.';
      expect([response.status, response.body]).toEqual([
        200,
        {
          data: [
            { email: 'new@example.com', outcome: 'added' },
            { email: 'SAME@example.com', outcome: 'unchanged' },
            { email: 'other@example.com', outcome: 'differs' },
            { email: 'New@example.com', outcome: 'refused', message: twice },
            { email: 'same@example.com', outcome: 'refused', message: twice },
            { email: 'newer@example.com', outcome: 'added' },
          ],
          added_count: 2,
          updated_count: 0,
        },
      ]);
      expect((await send('GET', '/new@example.com')).body.data).toMatchObject({
        first_name: 'New',
        role: 'org:admin',
      });
      expect((await send('GET', '/other@example.com')).body.data.first_name).toBe('Other');
      expect((await send('GET', '/newer@example.com')).body.data).toMatchObject({
        first_name: '',
        role: 'org:member',
      });
    });

    it('update_existing changes members, and only the given fields', async () => {
      await makeMember(server, 'update@example.com', { first_name: 'A', last_name: 'B', role: 'org:admin' });
      const response = await importMembers(
        [{ email: 'Update@example.com', last_name: 'C' }, { email: 'update.new@example.com' }],
        true,
      );
      expect(response.body).toEqual({
        data: [
          { email: 'Update@example.com', outcome: 'updated' },
          { email: 'update.new@example.com', outcome: 'added' },
        ],
        added_count: 1,
        updated_count: 1,
      });
      expect((await send('GET', '/update@example.com')).body.data).toMatchObject({
        email: 'update@example.com',
        first_name: 'A',
        last_name: 'C',
        role: 'org:admin',
      });
      const before = await state();
      const again = await importMembers([{ email: 'update@example.com', last_name: 'C' }], true);
      expect(again.body.data[0].outcome).toBe('unchanged');
      expect(await state()).toEqual(before);
    });

    it('importing the same members again changes nothing', async () => {
      const people = Array.from({ length: 500 }, (_, index) => ({ email: `bulk-${index}@example.com` }));
      const first = (await importMembers(people)).body;
      expect([first.added_count, first.data.length]).toEqual([500, 500]);
      const before = await state();
      const again = (await importMembers(people, true)).body;
      expect(again).toMatchObject({ added_count: 0, updated_count: 0 });
      expect(new Set(again.data.map(({ outcome }: { outcome: string }) => outcome))).toEqual(
        new Set(['unchanged']),
      );
      expect(await state()).toEqual(before);
    });

    it.each(problems)('one person that is invalid at %s fails the whole import: %j', async (path, wrong) => {
      const before = await state();
      const response = await importMembers([
        { email: 'fine@example.com' },
        { email: 'wrong@example.com', ...wrong },
      ]);
      expect([response.status, issuePaths(response)]).toEqual([400, [`/members/1${path}`]]);
      expect(await state()).toEqual(before);
    });

    it.each([
      ['/members', {}],
      ['/members', { members: [] }],
      ['/members', { members: {} }],
      ['/members', { members: Array.from({ length: 501 }, (_, index) => ({ email: `m${index}@x.y` })) }],
      ['/members/0', { members: ['a@example.com'] }],
      ['/update_existing', { members: [{ email: 'a@b' }], update_existing: 'yes' }],
      ['/dry_run', { members: [{ email: 'a@b' }], dry_run: true }],
    ])('rejects an import body that is invalid at %s', async (path, body) => {
      const response = await send('POST', '/import', body);
      expect([response.status, issuePaths(response)]).toEqual([400, [path]]);
    });
  });
});

describe.each(engines)('the last org:admin on %s', (engine) => {
  let server: TestServer;
  let adminId: string;
  let email: string;
  beforeAll(async () => {
    server = await startTestServer(engine);
    [{ id: adminId, email }] = (await server.get('/api/v1/organization/members')).body.data;
  });
  afterAll(() => server.stop());

  const send = (method: string, path: string, body?: unknown) =>
    server.send(method, `/api/v1/organization/members${path}`, body, { key: managementKey });

  it('the last org:admin cannot be demoted or removed', async () => {
    await makeMember(server, 'member@example.com');
    const message = `${email} is the last org:admin. Add another one first.`;
    const before = (await send('GET', '')).text;
    for (const response of [
      await send('PATCH', `/${adminId}`, { role: 'org:member' }),
      await send('PATCH', `/${email.toUpperCase()}`, { role: 'org:member', first_name: 'New' }),
      await send('DELETE', `/${adminId}`),
      await send('DELETE', `/${encodeURIComponent(email)}`),
    ])
      expect([response.status, response.body.error.message]).toEqual([409, message]);
    const members = [{ email, role: 'org:member' }];
    const imported = await send('POST', '/import', { members, update_existing: true });
    expect([imported.status, imported.body.data]).toEqual([200, [{ email, outcome: 'refused', message }]]);
    expect((await send('POST', '/import', { members })).body.data).toEqual([{ email, outcome: 'differs' }]);
    expect((await send('GET', '')).text).toBe(before);
    expect((await send('PATCH', `/${adminId}`, { role: 'org:admin', first_name: 'Ada' })).status).toBe(200);
  });

  it('an org:admin can be demoted once there is another, even within one import', async () => {
    const imported = await send('POST', '/import', {
      members: [
        { email: 'next@example.com', role: 'org:admin' },
        { email, role: 'org:member' },
        { email: 'NEXT@example.com', role: 'org:member' },
      ],
      update_existing: true,
    });
    expect(imported.body.data.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'added',
      'updated',
      'refused',
    ]);
    const { body } = await server.get('/api/v1/organization/members');
    const admins = body.data.filter(({ role }: { role: string }) => role === 'org:admin');
    expect(admins.map(({ email: each }: { email: string }) => each)).toEqual(['next@example.com']);
    // The key of this request belongs to the member who was just demoted.
    expect((await send('PATCH', '/next@example.com', { first_name: 'x' })).status).toBe(403);
  });

  it('one org:admin remains when all are demoted in parallel', async () => {
    const many = await startTestServer(engine);
    try {
      const ids = [(await many.get('/api/v1/key')).body.data.creator_user_id];
      for (const name of ['a', 'b', 'c'])
        ids.push(await makeMember(many, `${name}@example.com`, { role: 'org:admin' }));
      const statuses = await Promise.all(
        ids.toReversed().map(async (id) => {
          const path = `/api/v1/organization/members/${id}`;
          return (await many.send('PATCH', path, { role: 'org:member' }, { key: managementKey })).status;
        }),
      );
      expect(statuses.filter((status) => status === 200).length).toBeLessThan(4);
      const { data } = (await many.get('/api/v1/organization/members')).body;
      expect(data.filter(({ role }: { role: string }) => role === 'org:admin')).not.toEqual([]);
    } finally {
      await many.stop();
    }
  });
});
