import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorkingDirectory,
  type ServerProcess,
  spawnCommand,
  startServerProcess,
} from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey, type TestResponse } from '../support/server.ts';
import { ownPage, tokenOf } from '../support/sign-in.ts';
import { storingResponses } from '../support/storing-upstream.ts';
import { shareWithFile } from '../support/test-scope.ts';
import { writeUpstreams } from '../support/upstream-file.ts';
import { checkOutLastRelease, type ReleasedVersion } from './released-version.ts';
import { sampledEngines } from './scale.ts';

const scimToken = 'scim-token-0123456789-0123456789-0123456789';
const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const password = 'a long walk along the river';
const draft = { text: '{"model": ', dialect: null, base_version: 1 };
const testCase = { variables: { customer: 'Ada' }, messages: [], note: 'Late parcel' };

/**
 * One organization in steps: the last release fills a database, this version upgrades it and
 * uses everything that is new, the last release runs on it again and changes what it can, and this
 * version returns. Each step is a test that continues from the one before.
 */
describe.each(sampledEngines)('a database of the last release on %s', (engine) => {
  let released: ReleasedVersion;
  let database: TestDatabase;
  let upstream: ScriptedUpstream;
  let server: ServerProcess;
  const directory = createWorkingDirectory();
  let upstreams: ReturnType<typeof writeUpstreams>;

  beforeAll(async () => {
    released = await checkOutLastRelease();
    database = await createDatabase(engine);
    upstream = await startScriptedUpstream();
    upstream.respondAlways(storingResponses('a'));
    const kind = { kind: 'openai-compatible', dialects: ['chat-completions', 'responses'] };
    upstreams = writeUpstreams([{ name: 'models', ...kind, base_url: upstream.url }]);
  });
  afterAll(async () => {
    await server?.stop();
    await upstream?.stop();
    await database?.drop();
    upstreams?.remove();
    released?.remove();
    directory.remove();
  });

  /** Replaces the server that runs, if any. */
  const run = async (which: 'old' | 'new', on = database) => {
    if (server !== undefined) expect((await server.stop()).code).toBe(0);
    const settings = {
      DATABASE_URL: on.url,
      PRESETD_BOOTSTRAP_API_KEY: apiKey,
      PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
      PRESETD_CONFIG: upstreams.path,
      PRESETD_SCIM_TOKEN: scimToken,
    };
    const programs = { old: released.program, new: undefined };
    server = await shareWithFile(() => startServerProcess(directory.path, settings, programs[which]));
  };

  interface Sender {
    readonly key?: string;
    readonly cookie?: string;
    readonly headers?: Readonly<Record<string, string>>;
  }
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    { key, cookie, headers = {} }: Sender = { key: managementKey },
  ): Promise<TestResponse> => {
    const response = await fetch(server.url + (path.startsWith('/scim') ? path : `/api/v1${path}`), {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(cookie !== undefined && { cookie, ...ownPage }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = text.startsWith('{') && !text.includes('}\n{');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  };
  const make = async (...request: Parameters<typeof send>): Promise<TestResponse['body']> => {
    const { status, text, body } = await send(...request);
    expect({ request, status, text }).toEqual({ request, status: expect.toSatisfy(isSuccess), text });
    return body;
  };
  const scim = (method: string, path: string, body?: object) =>
    make(method, `/scim/v2${path}`, body, { key: scimToken });
  const signIn = async (path: string, body: object) => {
    const { headers } = await send('POST', `/sign-in${path}`, body, { headers: ownPage });
    return headers.getSetCookie()[0]?.split(';')[0] ?? '';
  };
  const linkToken = async (email: string) =>
    tokenOf((await make('POST', `/organization/people/${email}/sign-in-link`)).data.url);

  /** Ids and secrets of what the steps create, by any name. */
  const ids: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  const cookies: Record<string, string> = {};
  let linkOfBarbara: string;
  const makeKey = async (name: string, details: object, as = managementKey) => {
    const { data, key } = await make('POST', '/keys', { name, ...details }, { key: as });
    [ids[name], secrets[name]] = [data.hash, key];
  };
  const makeMember = async (name: string, details: object = {}) => {
    const member = { email: `${name}@example.com`, first_name: name, ...details };
    ids[name] = (await make('POST', '/organization/members', member)).data.id;
  };

  /** Everything that an admin can read of what the last release stored, by path. */
  const readAll = async (): Promise<Readonly<Record<string, unknown>>> => {
    const found: Record<string, unknown> = {};
    for (const path of [
      '/organization/members?limit=100',
      '/organization/members/grace@example.com',
      '/workspaces?limit=100',
      '/workspaces/research/members',
      `/keys?include_disabled=true`,
      `/keys?include_disabled=true&workspace_id=${ids.research}`,
      '/audit?limit=100',
      ...['default', 'research'].flatMap((workspace) => {
        const query = `workspace_id=${ids[workspace]}`;
        return [
          `/presets?status=all&limit=100&${query}`,
          ...['support', 'triage', 'drafts'].flatMap((slug) =>
            ['', '/versions', '/labels', '/events'].map((rest) => `/presets/${slug}${rest}?${query}`),
          ),
        ];
      }),
      `/presets/support/versions/2/diff?against=1`,
    ])
      found[path] = withoutLastUse((await make('GET', path)) as object);
    return found;
  };
  /** The status of a read and a change with each key that the last release created. */
  const rightsOfKeys = async () => {
    const rights: Record<string, readonly number[]> = {};
    for (const [name, key] of Object.entries({ apiKey, managementKey, ...secrets }))
      rights[name] = [
        (await send('GET', '/presets/support', undefined, { key })).status,
        (await send('PATCH', '/presets/support', { description: 'Same' }, { key })).status,
        (await send('GET', '/organization/members', undefined, { key })).status,
      ];
    return rights;
  };

  let before: Awaited<ReturnType<typeof readAll>>;
  let rightsBefore: Awaited<ReturnType<typeof rightsOfKeys>>;
  let exported: string;
  let calls: readonly string[];

  it('an upgrade in place keeps all data, and every key its rights', async () => {
    await run('old');
    await makeMember('grace', { last_name: 'Hopper' });
    await makeMember('ada', { role: 'org:admin' });
    await makeMember('left');
    await makeMember('scripts');
    ids.default = (await make('GET', '/workspaces/default')).data.id;
    ids.research = (await make('POST', '/workspaces', { name: 'Research', slug: 'research' })).data.id;
    await make('POST', '/workspaces', { name: 'Gone', slug: 'gone' });
    await make('DELETE', '/workspaces/gone');
    await make('POST', '/workspaces/research/members/add', { user_ids: [ids.grace] });
    await makeKey('of grace', { creator_user_id: ids.grace, workspace_id: ids.research });
    await makeKey('management of grace', { creator_user_id: ids.grace, kind: 'management' });
    await makeKey('read-only', { kind: 'read_only', expires_at: '2036-01-01T00:00:00Z' });
    await makeKey('of scripts', { creator_user_id: ids.scripts });
    await makeKey('of left', { creator_user_id: ids.left });
    await makeKey('disabled', {});
    await makeKey('rotated', {});
    secrets['before rotation'] = secrets.rotated ?? '';
    const rotation = { grace_period_seconds: 86_400 };
    secrets.rotated = (await make('POST', `/keys/${ids.rotated}/rotate`, rotation)).key;
    await make('PATCH', `/keys/${ids.disabled}`, { disabled: true });
    await make('DELETE', '/organization/members/left@example.com');
    for (const key of [apiKey, secrets['of grace'] ?? '']) {
      const capture = (slug: string, path: string, body: object, headers = {}) =>
        make('POST', `/presets/${slug}/${path}`, body, { key, headers });
      const system = { role: 'system', content: 'Grüße, “quoted” \\ 🙂\n'.repeat(900) };
      await capture('support', 'chat/completions', { model: 'm', temperature: 0.1, messages: [system] });
      await capture('support', 'messages', { model: 'n', max_tokens: 5, system: 'Brief.', messages: [] });
      await capture('triage', 'responses', { model: 'm', instructions: 'Sort.' }, { 'idempotency-key': key });
      await capture('drafts', 'responses', { model: 'm' });
      await make('PUT', '/presets/support/labels/production', { version: 1 }, { key });
      await make('PATCH', '/presets/support', { designated_version: 1, name: 'Support' }, { key });
      await make('PATCH', '/presets/support', { description: 'Same' }, { key });
      await make('PATCH', '/presets/triage', { status: 'disabled' }, { key });
      await make('DELETE', '/presets/drafts', undefined, { key });
    }
    rightsBefore = await rightsOfKeys();
    // Some of each kind: otherwise the comparison would say little.
    expect(new Set(Object.values(rightsBefore).map(String))).toEqual(
      new Set(['200,200,200', '200,200,401', '200,403,200', '403,403,403', '401,401,401']),
    );
    before = await readAll();
    exported = (await send('GET', '/export')).text;
    const source = { DATABASE_URL: database.url };
    const backup = ['backup', 'backup.db'];
    expect((await spawnCommand(backup, directory.path, source, '', released.program)).code).toBe(0);

    await run('new');
    await expectOldState();
    const repeated = await send(
      'POST',
      '/presets/triage/responses',
      { model: 'm', instructions: 'Sort.' },
      { key: apiKey, headers: { 'idempotency-key': apiKey } },
    );
    expect([repeated.status, repeated.body.data.designated_version.version]).toEqual([200, 1]);
    const imported = await fetch(`${server.url}/api/v1/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/x-ndjson' },
      body: exported,
    });
    expect(await imported.json()).toMatchObject({
      data: [{ outcome: 'unchanged' }, { outcome: 'unchanged' }, { outcome: 'unchanged' }],
    });
  });

  const expectOldState = async () => {
    const after = await readAll();
    // Fields may be new, but none is lost or changed.
    for (const [path, content] of Object.entries(before))
      expect({ path, content: after[path] }).toMatchObject({ path, content });
    expect(await rightsOfKeys()).toEqual(rightsBefore);
  };

  it('this version restores a backup of the last release with all data and keys', async () => {
    const restored = await createDatabase(engine);
    const target = { DATABASE_URL: restored.url };
    expect((await spawnCommand(['restore', 'backup.db'], directory.path, target)).code).toBe(0);
    await run('new', restored);
    await expectOldState();
    await run('new');
  });

  it('this version adds accounts, roles, provisioning and work to what the last release stored', async () => {
    const people = (await make('GET', '/organization/people')).data as readonly Person[];
    const statuses = people.map(({ email, status }) => `${email} ${status}`);
    expect(statuses).toEqual([
      'owner@localhost active',
      'grace@example.com active',
      'ada@example.com invited',
      'scripts@example.com active',
    ]);
    expect(rolesOf(people[1])).toEqual({ default: 'admin', research: 'admin' });

    cookies.grace = await signIn('/link', { token: await linkToken('grace@example.com') });
    await make('PUT', '/account/password', { password }, { cookie: cookies.grace });
    const invitation = await make('POST', '/organization/invitations', { email: 'barbara@example.com' });
    cookies.barbara = await signIn('/link', { token: tokenOf(invitation.url) });
    await make('PUT', '/account/password', { password }, { cookie: cookies.barbara });
    linkOfBarbara = await linkToken('barbara@example.com');
    await make('PATCH', `/workspaces/research/members/${ids.grace}`, { role: 'viewer' });
    await make('POST', `/organization/people/${ids.scripts}/deactivate`);
    await makeKey('limited', { scope: 'call', presets: ['support'] });
    await makeKey('with a budget', { limit: 12.5, limit_reset: 'weekly' });
    for (const name of ['alan', 'dennis']) {
      const userName = `${name}@example.com`;
      ids[name] = (await scim('POST', '/Users', { schemas: [userSchema], userName })).id;
    }
    const members = [{ value: ids.alan }, { value: ids.dennis }];
    const group = { schemas: [groupSchema], displayName: 'Prompt team', members };
    ids.group = (await scim('POST', '/Groups', group)).id;

    await make('PUT', '/presets/support/aliases/help');
    await make('PATCH', '/presets/support', { tags: ['customers'] });
    await make('PUT', '/presets/support/cases/Late', testCase);
    await make('PUT', '/presets/support/draft', draft, { cookie: cookies.grace });
    const variables = { customer: { type: 'string', default: 'you' } };
    const presetd = { variables, note: 'With a variable', designate: false };
    await make('POST', '/presets/support/responses', {
      model: 'm',
      instructions: 'Hi {{customer}}',
      presetd,
    });
    const call = { model: '@preset/support', input: 'Hi' };
    const response = await make('POST', '/responses', call, { key: apiKey });
    ids.response = response.id;
    await expectNewState();
    await expect.poll(callsOfSupport).toHaveLength(2);
    calls = await callsOfSupport();
  });

  const callsOfSupport = async (): Promise<readonly string[]> =>
    (await make('GET', '/generations?preset=support&limit=100')).data.map(({ id }: { id: string }) => id);

  /** What this version stored, whatever the last release did in between. */
  const expectNewState = async () => {
    const statusOf = async (path: string, sender: Sender, body?: object) =>
      (await send(body === undefined ? 'GET' : 'PATCH', path, body, sender)).status;
    const change = { description: 'Same' };
    const account = await make('GET', '/account', undefined, { cookie: cookies.grace ?? '' });
    expect(account.data.email).toBe('grace@example.com');
    expect(await signIn('/password', { email: 'grace@example.com', password })).toMatch(/^presetd_session=/);
    const grace = { key: secrets['of grace'] ?? '' };
    expect(await statusOf('/presets/support', grace)).toBe(200);
    await expect.poll(() => statusOf('/presets/support', grace, change)).toBe(403);
    const limited = { key: secrets.limited ?? '' };
    expect(await statusOf('/presets/support', limited)).toBe(403);
    const callWith = async (model: string) =>
      (await send('POST', '/responses', { model, input: 'Hi' }, limited)).status;
    expect([await callWith('@preset/support'), await callWith('@preset/triage')]).toEqual([200, 403]);
    await expect.poll(() => statusOf('/presets/support', { key: secrets['of scripts'] ?? '' })).toBe(403);

    const preset = (await make('GET', '/presets/help')).data;
    expect(preset.slug).toBe('support');
    expect((await make('GET', '/presets/help/tags')).data).toEqual(['customers']);
    expect((await make('GET', '/presets/support/cases/Late')).data).toMatchObject(testCase);
    const ofGrace = { cookie: cookies.grace ?? '' };
    expect((await make('GET', '/presets/support/draft', undefined, ofGrace)).data).toMatchObject(draft);
    const version = (await make('GET', '/presets/support/versions/3')).data;
    expect(version.presetd).toMatchObject({ note: 'With a variable', variables: { customer: {} } });
    expect((await make('GET', '/presets/support/usage')).data.last_called_at).toEqual(expect.any(String));

    const stored = await make('GET', `/responses/${ids.response}`, undefined, { key: apiKey });
    expect(stored.id).toBe(ids.response);
    const next = { model: 'm', input: 'And?', previous_response_id: ids.response };
    expect((await make('POST', '/responses', next, { key: apiKey })).previous_response_id).toBe(ids.response);
    expect((await scim('GET', `/Users/${ids.alan}`)).userName).toBe('alan@example.com');
  };

  it('after a rollback the last release serves and changes what this version stored', async () => {
    await run('old');
    // Its own data, with what has been added since.
    for (const path of Object.keys(before)) await make('GET', path);
    const { status } = await send('GET', '/export');
    expect(status).toBe(200);
    await expectNewState();

    await make('PATCH', '/organization/members/grace@example.com', { last_name: 'H.' });
    await make('PATCH', '/organization/members/alan@example.com', { first_name: 'Alan', role: 'org:admin' });
    // People who come back have to be invited again.
    await make('DELETE', '/organization/members/barbara@example.com');
    await makeMember('barbara');
    await make('DELETE', '/organization/members/dennis@example.com');
    await makeMember('kurt');
    await make('POST', '/workspaces/research/members/add', { user_ids: [ids.kurt] });
    await make('PATCH', `/keys/${ids.limited}`, { name: 'Renamed' });
    await make('PATCH', `/keys/${ids['with a budget']}`, { name: 'Renamed' });
    secrets.limited = (await make('POST', `/keys/${ids.limited}/rotate`, { grace_period_seconds: 0 })).key;
    await make('POST', '/presets/support/responses', { model: 'm' });
    await make('PUT', '/presets/support/labels/production', { version: 4 });
    await make('POST', '/presets/drafts/restore');
  });

  it('the next upgrade finds everything as this version and the last release left it', async () => {
    await run('new');
    await expectNewState();
    // The last release knew nothing of limits when it renamed the key.
    const withBudget = (await make('GET', `/keys/${ids['with a budget']}`)).data;
    expect(withBudget).toMatchObject({ name: 'Renamed', limit: 12.5, limit_reset: 'weekly' });
    // The last release recorded nothing, so there is one more call.
    await expect.poll(callsOfSupport).toEqual([expect.any(String), ...calls]);
    const support = (await make('GET', '/presets/support')).data;
    expect(support.designated_version).toMatchObject({ version: 4, config: { model: 'm' } });
    const labels = (await make('GET', '/presets/support/labels')).data;
    expect(labels).toMatchObject([{ label: 'production', version: 4 }]);

    const people = (await make('GET', '/organization/people')).data as readonly Person[];
    const find = (name: string) => people.find(({ id }) => id === ids[name]);
    expect(find('grace')).toMatchObject({ last_name: 'H.', has_password: true });
    expect(rolesOf(find('grace'))).toEqual({ default: 'admin', research: 'viewer' });
    expect(rolesOf(find('kurt'))).toEqual({ default: 'admin', research: 'admin' });
    expect(find('alan')).toMatchObject({ first_name: 'Alan', role: 'org:admin', is_provisioned: true });
    expect(find('dennis')).toBeUndefined();
    expect(find('barbara')).toMatchObject({ has_password: false, providers: [] });
    expect((await send('GET', '/account', undefined, { cookie: cookies.barbara ?? '' })).status).toBe(401);
    expect(await signIn('/password', { email: 'barbara@example.com', password })).toBe('');
    expect(await signIn('/link', { token: linkOfBarbara })).toBe('');

    const listed = await scim('GET', '/Users');
    expect(listed.Resources.map(({ id }: { id: string }) => id)).toEqual([ids.alan]);
    const { members } = await scim('GET', `/Groups/${ids.group}`);
    expect(members.map(({ value }: { value: string }) => value)).toEqual([ids.alan]);
    const deactivated = { schemas: [patchSchema], Operations: [{ op: 'replace', value: { active: false } }] };
    expect(await scim('PATCH', `/Users/${ids.alan}`, deactivated)).toMatchObject({ active: false });
    expect((await scim('POST', '/Users', { schemas: [userSchema], userName: 'dennis@example.com' })).id).toBe(
      ids.dennis,
    );
    await make('GET', '/audit?limit=100');
  });
});

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

interface Person {
  readonly id: string;
  readonly email: string;
  readonly status: string;
  readonly workspaces: readonly { readonly slug: string; readonly role: string }[];
}

function rolesOf(person: Person | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries((person?.workspaces ?? []).map(({ slug, role }) => [slug, role]));
}

/** The time of the last use of a key is stored once a minute, and when a server stops. */
function withoutLastUse(value: object): object {
  return JSON.parse(JSON.stringify(value, (name, each) => (name === 'last_used_at' ? undefined : each)));
}
