import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyEngine, engines } from '../support/engines.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import {
  managementKey,
  startServerOn,
  startTestServer,
  type TestResponse,
  type TestServer,
} from '../support/server.ts';
import { makeSession, ofSession } from '../support/sessions.ts';
import { statusWithinOneSecond } from '../support/status-within-one-second.ts';

const token = 'scim-token-0123456789-0123456789-0123456789';
const oldToken = 'old-scim-token-0123456789-0123456789-012345';
const environment = { PRESETD_SCIM_TOKEN: `${oldToken}, ${token}` };

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** Sends SCIM requests to a server, as a provider does. */
function clientOf(server: TestServer, key = token) {
  const send = (method: string, path: string, body?: unknown): Promise<TestResponse> =>
    server.send(method, `/scim/v2${path}`, body, {
      key,
      ...(body !== undefined && { headers: { 'content-type': 'application/scim+json; charset=utf-8' } }),
    });
  return {
    send,
    patch: (path: string, ...operations: readonly object[]) =>
      send('PATCH', path, { schemas: [patchSchema], Operations: operations }),
    filter: (path: string, filter: string) => send('GET', `${path}?filter=${encodeURIComponent(filter)}`),
    async create(userName: string, fields: object = {}): Promise<string> {
      const { status, body } = await send('POST', '/Users', oktaUser(userName, fields));
      expect(status).toBe(201);
      return body.id;
    },
    async createGroup(displayName: string, members: readonly string[] = []): Promise<string> {
      const { status, body } = await send('POST', '/Groups', {
        schemas: [groupSchema],
        displayName,
        members: members.map((value) => ({ value })),
      });
      expect(status).toBe(201);
      return body.id;
    },
  };
}

/** The body that Okta sends to create a user. */
function oktaUser(userName: string, fields: object = {}): object {
  return {
    schemas: [userSchema],
    userName,
    name: { givenName: 'Ada', familyName: 'Lovelace' },
    emails: [{ primary: true, value: userName, type: 'work' }],
    displayName: 'Ada Lovelace',
    locale: 'en-US',
    externalId: `okta-${userName}`,
    groups: [],
    password: '1mz050nq',
    active: true,
    ...fields,
  };
}

describe.each(engines)('SCIM on %s', (engine) => {
  let server: TestServer;
  let scim: ReturnType<typeof clientOf>;
  beforeAll(async () => {
    server = await startTestServer(engine, environment);
    scim = clientOf(server);
  });
  afterAll(() => server.stop());

  const member = async (idOrEmail: string) =>
    (await server.get(`/api/v1/organization/members/${idOrEmail}`)).body.data;
  const events = async (kind: string) => (await server.get(`/api/v1/audit?kind=${kind}&limit=100`)).body.data;

  it('Okta creates, updates, deactivates and reactivates a user', async () => {
    const userName = 'okta.ada@example.com';
    const found = await scim.filter('/Users', `userName eq "${userName}"`);
    expect([found.status, found.body]).toEqual([
      200,
      {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
        totalResults: 0,
        startIndex: 1,
        itemsPerPage: 0,
        Resources: [],
      },
    ]);
    const created = await scim.send('POST', '/Users', oktaUser(userName));
    expect(created.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    const { id } = created.body;
    const location = `${server.url}/scim/v2/Users/${id}`;
    expect([created.status, created.headers.get('location')]).toEqual([201, location]);
    expect(created.body).toEqual({
      schemas: [userSchema],
      id: expect.stringMatching(/^user_[0-9a-f]{32}$/),
      externalId: `okta-${userName}`,
      userName,
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      displayName: 'Ada Lovelace',
      active: true,
      emails: [{ value: userName, type: 'work', primary: true }],
      meta: {
        resourceType: 'User',
        created: expect.any(String),
        lastModified: expect.any(String),
        location,
      },
    });
    expect(await member(id)).toMatchObject({
      email: userName,
      first_name: 'Ada',
      last_name: 'Lovelace',
      role: 'org:member',
    });

    const replaced = await scim.send('PUT', `/Users/${id}`, {
      ...created.body,
      name: { givenName: 'Augusta', familyName: 'King' },
      emails: [{ primary: true, value: 'okta.augusta@example.com', type: 'work' }],
      userName: 'okta.augusta@example.com',
    });
    expect([replaced.status, replaced.body.userName]).toEqual([200, 'okta.augusta@example.com']);
    expect(await member(id)).toMatchObject({ email: 'okta.augusta@example.com', first_name: 'Augusta' });

    const deactivated = await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: false } });
    expect([deactivated.status, deactivated.body.active]).toEqual([200, false]);
    const reactivated = await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: true } });
    expect([reactivated.status, reactivated.body.active]).toEqual([200, true]);

    const written = (await server.get('/api/v1/audit?kind=member&limit=100')).body.data
      .filter((event: { subject_id: string }) => event.subject_id === id)
      .map((event: { kind: string; actor_id: string; key_label: string }) => [
        event.kind,
        event.actor_id,
        event.key_label,
      ])
      .toReversed();
    expect(written).toEqual(
      [
        'member.added',
        'member.provisioned',
        'member.renamed',
        'member.email_changed',
        'member.provisioned',
        'member.deactivated',
        'member.reactivated',
      ].map((kind) => [kind, 'scim', 'SCIM']),
    );
  });

  it('Entra ID creates and patches a user', async () => {
    const created = await scim.send('POST', '/Users', {
      schemas: [userSchema, enterprise],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Entra_UserName@contoso.example',
      active: true,
      emails: [{ primary: true, type: 'work', value: 'Entra.User@contoso.example' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      roles: [],
      [enterprise]: { department: 'Research' },
    });
    expect(created.status).toBe(201);
    const { id } = created.body;
    const found = await scim.filter('/Users', 'externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"');
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id }] });

    const patched = await scim.patch(
      `/Users/${id}`,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updated@contoso.example' },
      { op: 'Replace', path: 'name.familyName', value: 'Updated' },
      { op: 'Add', path: `${enterprise}:department`, value: 'Sales' },
      { op: 'Add', path: 'addresses[type eq "work"].country', value: 'Norway' },
      { op: 'Replace', path: 'active', value: 'False' },
    );
    expect([patched.status, patched.body]).toMatchObject([
      200,
      {
        active: false,
        emails: [{ primary: true, type: 'work', value: 'updated@contoso.example' }],
        name: { formatted: 'givenName familyName', familyName: 'Updated', givenName: 'givenName' },
      },
    ]);
    expect(patched.body).not.toHaveProperty('addresses');
    expect(await member(id)).toMatchObject({ email: 'updated@contoso.example', last_name: 'Updated' });

    const dotted = await scim.patch(`/Users/${id}`, {
      op: 'Replace',
      value: { 'name.givenName': 'Dotted', [`${userSchema}:displayName`]: 'Shown', active: 'True' },
    });
    expect(dotted.body).toMatchObject({ name: { givenName: 'Dotted' }, displayName: 'Shown', active: true });
  });

  it('a user is found through every index, in any case where case does not matter', async () => {
    const id = await scim.create('Find.Me@example.com', {
      externalId: 'Find-Me',
      emails: [
        { value: 'Find.Me@example.com', type: 'work', primary: true },
        { value: 'Other@example.com', type: 'home' },
      ],
    });
    for (const filter of [
      `id eq "${id}"`,
      'userName eq "find.me@EXAMPLE.com"',
      'USERNAME Eq "find.me@example.com"',
      `${userSchema}:userName eq "find.me@example.com"`,
      'externalId eq "Find-Me"',
      'emails.value eq "other@example.com"',
      'emails eq "find.me@example.com"',
      'emails[type eq "home" and value sw "oth"]',
      'userName sw "find." and active eq true',
      'name.familyName eq "lovelace" and userName co "FIND.ME"',
      `userName ew "me@example.com" and not (externalId pr and externalId ne "Find-Me")`,
    ])
      expect([filter, (await scim.filter('/Users', filter)).body]).toEqual([
        filter,
        expect.objectContaining({ totalResults: 1, Resources: [expect.objectContaining({ id })] }),
      ]);
    for (const filter of [
      'externalId eq "find-me"',
      'userName eq "nobody"',
      'id eq "user_x"',
      'active eq "x"',
    ])
      expect((await scim.filter('/Users', filter)).body).toMatchObject({ totalResults: 0 });
  });

  it('users are listed in pages, in the order of their creation', async () => {
    const ids = [];
    for (const name of ['page-1', 'page-2', 'page-3']) ids.push(await scim.create(`${name}@example.com`));
    const all = (await scim.send('GET', '/Users?count=1000')).body;
    expect(all.Resources.slice(-3).map(({ id }: { id: string }) => id)).toEqual(ids);
    const start = all.totalResults - 1;
    const page = (await scim.send('GET', `/Users?startIndex=${start}&count=1&attributes=userName`)).body;
    expect(page).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: all.totalResults,
      startIndex: start,
      itemsPerPage: 1,
      Resources: [{ schemas: [userSchema], id: ids[1], userName: 'page-2@example.com' }],
    });
    const empty = (await scim.send('GET', '/Users?startIndex=100000&count=5')).body;
    expect(empty).toMatchObject({ totalResults: all.totalResults, itemsPerPage: 0, Resources: [] });
    expect((await scim.send('GET', '/Users?count=0')).body).toMatchObject({
      totalResults: all.totalResults,
      Resources: [],
    });
  });

  it('repeating a create is a conflict and changes nothing', async () => {
    const user = oktaUser('repeated@example.com');
    expect((await scim.send('POST', '/Users', user)).status).toBe(201);
    const before = [(await scim.send('GET', '/Users?count=1000')).text, await events('member')];
    for (const fields of [
      {},
      { userName: 'REPEATED@example.com', externalId: 'another', emails: [{ value: 'x@example.com' }] },
      { userName: 'another@example.com', emails: [{ value: 'y@example.com' }] },
      { userName: 'another@example.com', externalId: 'another' },
    ]) {
      const { status, body } = await scim.send('POST', '/Users', { ...user, ...fields });
      expect([status, body]).toEqual([
        409,
        {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
          status: '409',
          scimType: 'uniqueness',
          detail: expect.stringContaining('already provisioned'),
        },
      ]);
    }
    expect([(await scim.send('GET', '/Users?count=1000')).text, await events('member')]).toEqual(before);
    expect((await server.get('/api/v1/organization/members/x@example.com')).status).toBe(404);
  });

  it.each<[form: 'NFC' | 'NFD', other: 'NFC' | 'NFD']>([
    ['NFC', 'NFD'],
    ['NFD', 'NFC'],
  ])('names in %s are the same in %s', async (form, other) => {
    const [name, same] = [form, other].map((each) => `Zoë.Ångström.${form}@example.com`.normalize(each));
    const [group, sameGroup] = [form, other].map((each) => `Équipe ${form}`.normalize(each));
    if (name === undefined || same === undefined || group === undefined) throw new Error('no names');
    expect(same).not.toBe(name);
    const id = await scim.create(name);
    const fields = { userName: same, emails: [{ value: `x-${form}@example.com` }], externalId: 'another' };
    const { status, body } = await scim.send('POST', '/Users', oktaUser('another@example.com', fields));
    expect([status, body.scimType]).toEqual([409, 'uniqueness']);
    for (const filter of [
      `userName eq "${same}"`,
      `userName eq "${same.toLowerCase()}" and active eq true`,
      `emails[value sw "${same.slice(0, 5)}" and type eq "work"] and id eq "${id}"`,
    ])
      expect([filter, (await scim.filter('/Users', filter)).body.totalResults]).toEqual([filter, 1]);
    // What the provider sent is what it reads.
    expect((await scim.send('GET', `/Users/${id}`)).body.userName).toBe(name);
    await scim.createGroup(group);
    const repeated = { schemas: [groupSchema], displayName: sameGroup };
    expect((await scim.send('POST', '/Groups', repeated)).status).toBe(409);
    const found = await scim.filter('/Groups', `displayName eq "${sameGroup}"`);
    expect(found.body.Resources).toMatchObject([{ displayName: group }]);
  });

  it('a member who exists already is adopted, with their role and keys', async () => {
    const email = 'adopted@example.com';
    const added = await server.post(
      '/api/v1/organization/members',
      { email, first_name: 'Kept', role: 'org:admin' },
      { key: managementKey },
    );
    const { id } = added.body.data;
    expect((await scim.filter('/Users', `userName eq "${email}"`)).body.totalResults).toBe(0);
    const adopted = await scim.send('POST', '/Users', {
      schemas: [userSchema],
      userName: email.toUpperCase(),
      name: { familyName: 'New' },
    });
    expect([adopted.status, adopted.body]).toMatchObject([201, { id, userName: email.toUpperCase() }]);
    expect(await member(id)).toMatchObject({ first_name: 'Kept', last_name: 'New', role: 'org:admin' });
  });

  it('deleting a user removes the member, and a deleted user can be created again', async () => {
    const userName = 'deleted@example.com';
    const id = await scim.create(userName);
    const { secret: key } = await makeKey(server, { creator_user_id: id, scope: 'read' });
    expect((await scim.send('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await server.get('/api/v1/models', { key })).status).toBe(403);
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await scim.send(method, `/Users/${id}`);
      expect([status, body]).toEqual([
        404,
        {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
          status: '404',
          detail: `There is no User with the id ${id}.`,
        },
      ]);
    }
    expect((await server.get(`/api/v1/organization/members/${id}`)).status).toBe(404);
    expect(await scim.create(userName)).toBe(id);
  });

  it('a member removed by an admin is no longer a user', async () => {
    const id = await scim.create('removed@example.com');
    const group = await scim.createGroup('group-of-removed', [id]);
    await server.send('DELETE', `/api/v1/organization/members/${id}`, undefined, { key: managementKey });
    expect((await scim.send('GET', `/Users/${id}`)).status).toBe(404);
    expect((await scim.send('GET', `/Groups/${group}`)).body).not.toHaveProperty('members');
  });

  it('a deactivated user loses their keys until they are reactivated', async () => {
    const id = await scim.create('keys@example.com');
    const { secret: key } = await makeKey(server, { creator_user_id: id, scope: 'read' });
    const status = async () => (await server.get('/api/v1/models', { key })).status;
    expect(await status()).toBe(200);
    await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    expect(await status()).toBe(403);
    await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true });
    expect(await status()).toBe(200);
  });

  it('a user whose former address somebody else has is deactivated, and keeps the new one', async () => {
    const id = await scim.create('former@example.com');
    const corrected = await server.send(
      'PATCH',
      `/api/v1/organization/members/${id}`,
      { email: 'corrected@example.com' },
      { key: managementKey },
    );
    expect(corrected.status).toBe(200);
    await makeMember(server, 'former@example.com');
    const { status, body } = await scim.patch(`/Users/${id}`, {
      op: 'replace',
      path: 'active',
      value: false,
    });
    expect([status, body.active]).toEqual([200, false]);
    expect(await member(id)).toMatchObject({ email: 'corrected@example.com' });
  });

  it('an address that somebody else has does not prevent a deactivation', async () => {
    const id = await scim.create('stays@example.com');
    await makeMember(server, 'occupied@example.com');
    const put = (active: boolean | undefined) =>
      scim.send('PUT', `/Users/${id}`, oktaUser('occupied@example.com', { active }));
    for (const active of [true, undefined]) expect((await put(active)).status).toBe(409);
    expect((await scim.send('GET', `/Users/${id}`)).body.active).toBe(true);
    const { status, body } = await put(false);
    expect([status, body.active, body.userName]).toEqual([200, false, 'stays@example.com']);
    expect(await member(id)).toMatchObject({ email: 'stays@example.com' });
    expect((await put(false)).status).toBe(409);
  });

  it('a user without active keeps the status that an admin gave them', async () => {
    const email = 'kept@example.com';
    const described = oktaUser(email, { active: undefined });
    const deactivate = (idOrEmail: string) =>
      server.post(`/api/v1/organization/people/${idOrEmail}/deactivate`, {}, { key: managementKey });
    await makeMember(server, email);
    expect((await deactivate(email)).status).toBe(200);
    const adopted = await scim.send('POST', '/Users', described);
    expect([adopted.status, adopted.body.active]).toEqual([201, false]);
    const path = `/Users/${adopted.body.id}`;
    expect((await scim.send('PUT', path, described)).body.active).toBe(false);
    expect((await scim.send('PUT', path, oktaUser(email))).body.active).toBe(true);
  });

  it('Okta and Entra ID push groups', async () => {
    const [ann, bob] = [await scim.create('ann@example.com'), await scim.create('bob@example.com')];
    const created = await scim.send('POST', '/Groups', {
      schemas: [groupSchema],
      displayName: 'Prompt team',
      externalId: 'g1',
      members: [{ value: ann, display: 'ann@example.com' }],
    });
    const { id } = created.body;
    const location = `${server.url}/scim/v2/Groups/${id}`;
    const entry = (user: string) => ({
      value: user,
      $ref: `${server.url}/scim/v2/Users/${user}`,
      type: 'User',
    });
    expect([created.status, created.body]).toEqual([
      201,
      {
        schemas: [groupSchema],
        id,
        externalId: 'g1',
        displayName: 'Prompt team',
        members: [entry(ann)],
        meta: {
          resourceType: 'Group',
          created: expect.any(String),
          lastModified: expect.any(String),
          location,
        },
      },
    ]);
    const members = async () => {
      const { body } = await scim.send('GET', `/Groups/${id}`);
      return body.members?.map(({ value }: { value: string }) => value) ?? [];
    };
    const sorted = [ann, bob].toSorted();
    const added = await scim.patch(`/Groups/${id}`, {
      op: 'add',
      path: 'members',
      value: [{ value: bob }, { value: ann }],
    });
    expect([added.status, added.text]).toEqual([204, '']);
    expect(await members()).toEqual(sorted);
    const again = { op: 'add', path: 'members', value: [{ value: bob }] };
    const selected = await scim.patch(`/Groups/${id}?attributes=displayName`, again);
    expect([selected.status, selected.body]).toEqual([
      200,
      { schemas: [groupSchema], id, displayName: 'Prompt team' },
    ]);
    expect((await scim.patch('/Groups/unknown', again)).status).toBe(404);
    const unknownUser = { op: 'add', path: 'members', value: [{ value: 'user_unknown' }] };
    expect((await scim.patch(`/Groups/${id}`, unknownUser)).status).toBe(400);
    await scim.patch(`/Groups/${id}`, { op: 'remove', path: `members[value eq "${ann}"]` });
    expect(await members()).toEqual([bob]);
    await scim.patch(`/Groups/${id}`, { op: 'Add', path: 'members', value: [{ value: ann }] });
    await scim.patch(`/Groups/${id}`, { op: 'Remove', path: 'members', value: [{ value: bob }] });
    expect(await members()).toEqual([ann]);
    const renamed = await scim.patch(`/Groups/${id}`, {
      op: 'replace',
      value: { id, displayName: 'Prompt people' },
    });
    expect(renamed.body).toMatchObject({ displayName: 'Prompt people', members: [entry(ann)] });
    const found = await scim.send(
      'GET',
      `/Groups?excludedAttributes=members&filter=${encodeURIComponent('displayName eq "prompt PEOPLE"')}`,
    );
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id }] });
    expect(found.body.Resources[0]).not.toHaveProperty('members');
    expect((await scim.send('GET', `/Users/${ann}`)).body.groups).toEqual([
      { value: id, $ref: location, display: 'Prompt people', type: 'direct' },
    ]);
    expect(await scim.send('POST', '/Groups', { displayName: 'PROMPT people' })).toMatchObject({
      status: 409,
      body: { scimType: 'uniqueness' },
    });
    await scim.send('PUT', `/Groups/${id}`, { schemas: [groupSchema], displayName: 'Prompt people' });
    expect(await members()).toEqual([]);
    expect((await scim.send('DELETE', `/Groups/${id}`)).status).toBe(204);
    expect((await scim.send('GET', `/Groups/${id}`)).status).toBe(404);
    expect((await events('group')).slice(0, 2)).toMatchObject([
      { kind: 'group.deleted', key_label: 'SCIM' },
      { kind: 'group.member_removed', before: { user_id: ann, email: 'ann@example.com' } },
    ]);
  });

  it('a write with a query that is rejected changes nothing', async () => {
    const id = await scim.create('query@example.com');
    const group = await scim.createGroup('query-group');
    const query = '?attributes=id&attributes=userName';
    const paths = ['/Users?count=100', '/Groups?count=100', `/Groups/${group}`];
    const state = () => Promise.all(paths.map(async (path) => (await scim.send('GET', path)).body));
    const before = await state();
    for (const { status, body } of [
      await scim.send('POST', `/Users${query}`, oktaUser('unwritten@example.com')),
      await scim.send('PUT', `/Users/${id}${query}`, oktaUser('unwritten@example.com')),
      await scim.patch(`/Users/${id}${query}`, { op: 'replace', path: 'active', value: false }),
      await scim.patch(`/Groups/${group}${query}`, { op: 'add', path: 'members', value: [{ value: id }] }),
    ])
      expect([status, body.detail]).toEqual([400, 'The parameter attributes is sent more than once.']);
    expect(await state()).toEqual(before);
  });

  it('a group has only provisioned users', async () => {
    const [owner] = (await server.get('/api/v1/organization/members')).body.data;
    for (const value of ['user_unknown', owner.id]) {
      const { status, body } = await scim.send('POST', '/Groups', {
        displayName: 'Strangers',
        members: [{ value }],
      });
      expect([status, body.scimType, body.detail]).toEqual([
        400,
        'invalidValue',
        `members: ${value} is not the id of a provisioned user.`,
      ]);
    }
  });
});

it('groups of the sign-in file decide the roles of people, and keys follow at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'presetd-scim-'));
  const file = join(folder, 'sign-in.yaml');
  writeFileSync(
    file,
    JSON.stringify({
      providers: [{ id: 'okta', name: 'Okta', issuer: 'https://example.okta.com', client_id: 'abc' }],
      groups: [
        { name: 'admins', provider: 'scim', role: 'org:admin' },
        { name: 'okta-admins', provider: 'okta', role: 'org:admin' },
        { name: 'editors', workspaces: { default: 'editor' } },
      ],
    }),
  );
  const server = await startTestServer(anyEngine, { ...environment, PRESETD_SIGN_IN_CONFIG: file });
  const scim = clientOf(server);
  const id = await scim.create('grouped@example.com');
  const editors = await scim.createGroup('editors', [id]);
  const { secret: key } = await makeKey(server, { creator_user_id: id });
  // A new preset each time: editors may create one, but not replace a live version.
  const write = async (slug: string) => {
    const body = { model: 'm', messages: [{ role: 'system', content: 'x' }] };
    return (await server.post(`/api/v1/presets/${slug}/chat/completions`, body, { key })).status;
  };
  expect(await write('one')).toBe(200);
  const role = async () => (await server.get(`/api/v1/organization/members/${id}`)).body.data.role;
  await scim.createGroup('okta-admins', [id]);
  expect(await role()).toBe('org:member');
  const admins = await scim.createGroup('admins', [id]);
  expect(await role()).toBe('org:admin');
  await scim.send('DELETE', `/Groups/${admins}`);
  expect(await role()).toBe('org:member');
  const read = async () => (await server.get('/api/v1/account', { key })).body.data.workspaces;
  expect(await read()).toMatchObject([{ slug: 'default', role: 'editor' }]);
  await scim.patch(`/Groups/${editors}`, { op: 'remove', path: `members[value eq "${id}"]` });
  expect(await read()).toMatchObject([{ slug: 'default', role: 'viewer' }]);
  expect(await write('two')).toBe(403);
  await server.stop();
  rmSync(folder, { recursive: true });
});

describe('what SCIM takes away is gone with its response', () => {
  let server: TestServer;
  let upstream: ScriptedUpstream;
  let scim: ReturnType<typeof clientOf>;
  let workspace: string;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'presetd-scim-'));
    const file = join(folder, 'sign-in.json');
    const groups = [{ name: 'Research', provider: 'scim', workspaces: { research: 'editor' } }];
    writeFileSync(file, JSON.stringify({ groups }));
    upstream = await startScriptedUpstream();
    server = await startTestServer(anyEngine, {
      ...environment,
      PRESETD_SIGN_IN_CONFIG: file,
      PRESETD_UPSTREAM_URL: upstream.url,
      OPENROUTER_API_KEY: 'sk-upstream',
    });
    scim = clientOf(server);
    workspace = await makeWorkspace(server, 'research');
    const body = { model: 'm', messages: [{ role: 'system', content: 'Be brief.' }] };
    const path = `/api/v1/presets/bot/chat/completions?workspace_id=${workspace}`;
    expect((await server.post(path, body, { key: managementKey })).status).toBe(200);
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    rmSync(folder, { recursive: true });
  });

  /**
   * What a person can do in the workspace: read and call its preset with a key, which the fast path
   * serves from its caches, write with it, and read with a session.
   */
  const accessOf = async (id: string) => {
    const { secret: key } = await makeKey(server, { creator_user_id: id, workspace_id: workspace });
    const headers = ofSession(await makeSession(server, id));
    const messages = [{ role: 'user', content: 'Hi' }];
    return {
      read: async () => (await server.get('/api/v1/presets/bot', { key })).status,
      call: async () =>
        (await server.post('/api/v1/chat/completions', { model: '@preset/bot', messages }, { key })).status,
      write: async () =>
        (await server.send('PATCH', '/api/v1/presets/bot', { description: 'x' }, { key })).status,
      session: async () =>
        (await server.get(`/api/v1/presets?workspace_id=${workspace}`, { key: null, headers })).status,
    };
  };
  const isAllowed = (status: number) => status === 200;

  it.each<[title: string, take: (user: string, group: string) => Promise<TestResponse>]>([
    [
      'a patch removes the person from the group',
      (user, group) => scim.patch(`/Groups/${group}`, { op: 'remove', path: `members[value eq "${user}"]` }),
    ],
    [
      'a patch removes all members of the group',
      (_user, group) => scim.patch(`/Groups/${group}`, { op: 'remove', path: 'members' }),
    ],
    [
      'the group is replaced by one without the person',
      (_user, group) =>
        scim.send('PUT', `/Groups/${group}`, { schemas: [groupSchema], displayName: 'Research' }),
    ],
    [
      'the group gets a name that means nothing',
      (_user, group) =>
        scim.patch(`/Groups/${group}`, { op: 'replace', path: 'displayName', value: `Other ${group}` }),
    ],
    ['the group is deleted', (_user, group) => scim.send('DELETE', `/Groups/${group}`)],
    [
      'the person is deactivated',
      (user) => scim.patch(`/Users/${user}`, { op: 'replace', path: 'active', value: false }),
    ],
    ['the person is deleted', (user) => scim.send('DELETE', `/Users/${user}`)],
  ])('keys and sessions lose access at once when %s', async (_title, take) => {
    for (const use of ['read', 'call', 'write', 'session'] as const) {
      const user = await scim.create(`${crypto.randomUUID()}@example.com`);
      const group = await scim.createGroup('Research', [user]);
      const uses = await accessOf(user);
      // Twice, so that the key, the session and the preset are cached.
      for (const _ of [1, 2]) expect([use, isAllowed(await uses[use]())]).toEqual([use, true]);
      expect((await take(user, group)).status).toBeLessThan(300);
      expect([use, isAllowed(await uses[use]())]).toEqual([use, false]);
      await scim.send('DELETE', `/Groups/${group}`);
    }
  });

  it('the key of a member whom SCIM adopts as not active loses access at once', async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const { secret: key } = await makeKey(server, { creator_user_id: await makeMember(server, email) });
    const read = async () => (await server.get('/api/v1/models', { key })).status;
    expect([await read(), await read()]).toEqual([200, 200]);
    await scim.create(email, { active: false });
    expect(await read()).toBe(403);
  });

  it.each<[title: string, give: (user: string, group: string) => Promise<TestResponse>]>([
    [
      'a patch adds the person to the group',
      (user, group) =>
        scim.patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: user }] }),
    ],
    [
      'the group is replaced by one with the person',
      (user, group) => {
        const members = [{ value: user }];
        return scim.send('PUT', `/Groups/${group}`, {
          schemas: [groupSchema],
          displayName: 'Research',
          members,
        });
      },
    ],
  ])('sessions gain access at once when %s', async (_title, give) => {
    const user = await scim.create(`${crypto.randomUUID()}@example.com`);
    const group = await scim.createGroup('Research');
    const headers = ofSession(await makeSession(server, user));
    const read = async () =>
      (await server.get(`/api/v1/presets?workspace_id=${workspace}`, { key: null, headers })).status;
    expect([await read(), await read()]).toEqual([404, 404]);
    expect((await give(user, group)).status).toBeLessThan(300);
    expect(await read()).toBe(200);
    await scim.send('DELETE', `/Groups/${group}`);
  });
});

it.each(engines)('the last org:admin can be neither deactivated nor removed on %s', async (engine) => {
  const server = await startTestServer(engine, environment);
  const scim = clientOf(server);
  const [owner] = (await server.get('/api/v1/organization/members')).body.data;
  const id = await scim.create('it@example.com', { emails: [{ value: owner.email }] });
  expect(id).toBe(owner.id);
  for (const response of [
    await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }),
    await scim.send('PUT', `/Users/${id}`, oktaUser('it@example.com', { active: false })),
    await scim.send('DELETE', `/Users/${id}`),
  ])
    expect([response.status, response.body]).toEqual([
      409,
      {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '409',
        scimType: 'mutability',
        detail: expect.stringContaining('is the last org:admin'),
      },
    ]);
  const other = await scim.create('other-admin@example.com');
  await server.send(
    'PATCH',
    `/api/v1/organization/members/${other}`,
    { role: 'org:admin' },
    { key: managementKey },
  );
  expect((await scim.patch(`/Users/${other}`, { op: 'replace', path: 'active', value: false })).status).toBe(
    200,
  );
  expect((await scim.send('DELETE', `/Users/${id}`)).status).toBe(409);
  await server.stop();
});

it.each(engines)(
  'another server on %s refuses the key of a deactivated user within a second',
  async (engine) => {
    const server = await startTestServer(engine, environment);
    const second = await startServerOn(server.database, environment);
    const scim = clientOf(server);
    const id = await scim.create('leaving@example.com');
    const { secret: key } = await makeKey(server, { creator_user_id: id, scope: 'read' });
    const attempt = () => second.get('/api/v1/models', { key });
    expect((await attempt()).status).toBe(200);
    await scim.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' });
    expect(await statusWithinOneSecond(attempt)).toBe(403);
    await second.stop();
    await server.stop();
  },
);

describe('the SCIM protocol', () => {
  let server: TestServer;
  let scim: ReturnType<typeof clientOf>;
  beforeAll(async () => {
    server = await startTestServer(anyEngine, { ...environment, PRESETD_PUBLIC_URL: 'https://p.example' });
    scim = clientOf(server);
  });
  afterAll(() => server.stop());

  it('every token of the setting works, and nothing else does', async () => {
    for (const key of [token, oldToken])
      expect((await clientOf(server, key).send('GET', '/Users')).status).toBe(200);
    for (const key of [managementKey, `${token}x`, token.slice(1), `${oldToken}, ${token}`]) {
      const { status, headers, body } = await clientOf(server, key).send('GET', '/Users');
      expect([status, headers.get('www-authenticate'), headers.get('content-type')]).toEqual([
        401,
        'Bearer',
        'application/scim+json; charset=utf-8',
      ]);
      expect(body).toMatchObject({ status: '401', detail: expect.stringContaining('PRESETD_SCIM_TOKEN') });
    }
    expect((await server.send('GET', '/api/v1/models', undefined, { key: token })).status).toBe(401);
  });

  it('wrong tokens block an address', async () => {
    const limited = await startTestServer(anyEngine, {
      ...environment,
      PRESETD_AUTH_FAILURE_LIMIT: '2',
    });
    const wrong = clientOf(limited, 'wrong-token');
    const statuses = [];
    for (let index = 0; index < 3; index += 1) statuses.push((await wrong.send('GET', '/Users')).status);
    expect(statuses).toEqual([401, 401, 429]);
    expect((await clientOf(limited).send('GET', '/Users')).status).toBe(429);
    await limited.stop();
  });

  it('SCIM is off without the setting', async () => {
    const off = await startTestServer(anyEngine);
    for (const path of ['/Users', '/ServiceProviderConfig', '/nothing'])
      expect((await clientOf(off).send('GET', path)).status).toBe(404);
    await off.stop();
  });

  it('locations begin with the public URL', async () => {
    const { body } = await scim.send('GET', '/ServiceProviderConfig');
    expect(body.meta.location).toBe('https://p.example/scim/v2/ServiceProviderConfig');
  });

  it('the documents describe users and groups, and cannot be filtered', async () => {
    const types = (await scim.send('GET', '/ResourceTypes')).body;
    expect(types.Resources).toMatchObject([
      { id: 'User', endpoint: '/Users', schema: userSchema },
      { id: 'Group', endpoint: '/Groups', schema: groupSchema },
    ]);
    expect((await scim.send('GET', '/ResourceTypes/User')).body).toEqual(types.Resources[0]);
    expect((await scim.send('GET', `/Schemas/${groupSchema}`)).body).toMatchObject({ id: groupSchema });
    expect((await scim.send('GET', '/Schemas/nothing')).status).toBe(404);
    expect((await scim.filter('/Schemas', 'id eq "x"')).status).toBe(403);
  });

  it.each([
    ['GET', '/nothing', 404],
    ['POST', '/ServiceProviderConfig', 405],
    ['PUT', '/Users', 405],
    ['POST', '/.search', 501],
    ['POST', '/Users/.search', 501],
    ['POST', '/Bulk', 501],
    ['GET', '/Me', 501],
  ])('%s %s has the status %i and an error of SCIM', async (method, path, status) => {
    const response = await scim.send(method, path, method === 'GET' ? undefined : {});
    expect([response.status, response.body]).toMatchObject([
      status,
      { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: String(status) },
    ]);
  });

  it.each<[title: string, body: unknown, scimType: string, detail: RegExp]>([
    ['a list', [], 'invalidSyntax', /must be a JSON object/],
    ['another schema', { ...oktaUser('a@b.c'), schemas: [groupSchema] }, 'invalidValue', /schemas must/],
    ['no userName', oktaUser('a@b.c', { userName: undefined }), 'invalidValue', /userName is missing/],
    ['no address', oktaUser('nobody', { emails: [] }), 'invalidValue', /emails is missing/],
    ['a bad address', oktaUser('a@b.c', { emails: [{ value: 'x' }] }), 'invalidValue', /emails\[0\]/],
    ['a bad name', oktaUser('a@b.c', { name: { givenName: 'a\nb' } }), 'invalidValue', /name\.givenName/],
    ['no text', oktaUser('a@b.c', { title: 7, active: 'maybe' }), 'invalidValue', /active must.*; title/],
    [
      'two primary addresses',
      oktaUser('a@b.c', {
        emails: [
          { value: 'a@b.c', primary: true },
          { value: 'b@b.c', primary: true },
        ],
      }),
      'invalidValue',
      /more than one primary/,
    ],
  ])('a user with %s is refused', async (_title, sent, scimType, detail) => {
    const { status, body } = await scim.send('POST', '/Users', sent);
    expect([status, body.scimType, body.detail]).toEqual([400, scimType, expect.stringMatching(detail)]);
  });

  it.each([
    ['/Users?filter=userName', 'invalidFilter'],
    ['/Users?filter=shoeSize%20eq%205', 'invalidFilter'],
    ['/Users?filter=active%20gt%20true', 'invalidFilter'],
    [`/Users?filter=${'('.repeat(50)}`, 'invalidFilter'],
    ['/Users?count=many', 'invalidValue'],
    ['/Users?count=1&count=2', 'invalidValue'],
  ])('GET %s is refused', async (path, scimType) => {
    const { status, body } = await scim.send('GET', path);
    expect([status, body.scimType]).toEqual([400, scimType]);
  });

  it('bodies are limited, and other media types are refused', async () => {
    const large = oktaUser('a@b.c', { title: 'x'.repeat(70_000) });
    expect((await scim.send('POST', '/Users', large)).status).toBe(413);
    const text = await server.send('POST', '/scim/v2/Users', 'x', {
      key: token,
      headers: { 'content-type': 'text/plain' },
    });
    expect([text.status, text.body.status]).toEqual([415, '415']);
  });
});
