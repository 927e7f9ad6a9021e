import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Access } from '../../src/api/access.ts';
import { contract } from '../../src/api/contract.ts';
import { type Operation, splitRoute } from '../../src/api/operation.ts';
import { checksOf, type DocumentChecks } from '../compat/openapi-document.ts';
import { addUnusualKeys } from '../compat/unusual-keys.ts';
import { anyEngine } from '../support/engines.ts';
import { upstreamKey } from '../support/gateway-server.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import {
  type NamedRequest,
  type Names,
  type SampleRow,
  sampleRows,
  unknownNames,
} from '../support/sample-requests.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { managementKey, type TestResponse } from '../support/server.ts';
import { makeSession, ofSession, setDeactivated } from '../support/sessions.ts';
import { type SignInServer, startSignInServer } from '../support/sign-in-server.ts';

/** Rights in a workspace; each includes those before. */
const ladder = ['none', 'call', 'read', 'write', 'release', 'administer'] as const;

type Right = (typeof ladder)[number];

/** Requests about presets and models name the workspace in the query. */
const rows: readonly SampleRow[] = sampleRows.map((row) => ({
  ...row,
  request(names) {
    const { path, ...rest } = row.request(names);
    if (!isInWorkspace(row.access)) return { ...rest, path };
    return { ...rest, path: `${path}${path.includes('?') ? '&' : '?'}workspace_id=${names.workspaceId}` };
  },
}));

function isInWorkspace(access: Access): boolean {
  return isModelCall(access) || ladder.some((right) => right === access);
}

function isModelCall(access: Access): boolean {
  return ['model-call', 'dry-run', 'draft-run'].includes(access);
}

type Person = 'an org:admin' | 'a workspace admin' | 'an editor' | 'a viewer' | 'somebody without a role';
type Means =
  | 'session'
  | 'provider session'
  | 'management key'
  | 'read-only key'
  | 'write key'
  | 'read key'
  | 'call key';

const people: readonly Person[] = [
  'an org:admin',
  'a workspace admin',
  'an editor',
  'a viewer',
  'somebody without a role',
];
const means: readonly Means[] = [
  'session',
  'provider session',
  'management key',
  'read-only key',
  'write key',
  'read key',
  'call key',
];

/** The right of a person in the workspace by each means, in the order of `means`. */
const rightsBy: Readonly<Record<Person, readonly Right[]>> = {
  'an org:admin': ['administer', 'administer', 'administer', 'read', 'release', 'read', 'call'],
  'a workspace admin': ['administer', 'administer', 'administer', 'read', 'release', 'read', 'call'],
  'an editor': ['write', 'write', 'write', 'read', 'write', 'read', 'call'],
  'a viewer': ['read', 'read', 'read', 'read', 'read', 'read', 'call'],
  'somebody without a role': ['none', 'none', 'none', 'none', 'none', 'none', 'none'],
};

interface TableCaller {
  readonly person: Person;
  readonly means: Means;
}

/** A session started by signing in with a provider is like any other: one person has one. */
const callers: readonly (TableCaller & { readonly name: string })[] = people.flatMap((person) =>
  means
    .filter((each) => each !== 'provider session' || person === 'a workspace admin')
    .map((each) => ({ name: `the ${each} of ${person}`, person, means: each })),
);

/** Whether a session or a key of the same kind is identified by the same code. */
const isLikeAnother = (by: Means) => !['session', 'management key', 'write key'].includes(by);
const rowOfEachAccess = rows.filter(
  ({ access }, index) => index === rows.findIndex((row) => row.access === access),
);

const isSession = (by: Means) => by === 'session' || by === 'provider session';

/** The expected status; 200 stands for any success. Most may not know that another's key exists. */
function statusFor(access: Access, isAboutOthersKey: boolean, { person, means: by }: TableCaller): number {
  const isApiKey = by === 'write key' || by === 'read key' || by === 'call key';
  const isManagementKey = by === 'management key' || by === 'read-only key';
  const isAdmin = person === 'an org:admin';
  const isMember = person !== 'somebody without a role';
  const isWorkspaceAdmin = isAdmin || person === 'a workspace admin';
  const right = rightsBy[person][means.indexOf(by)] ?? 'none';
  const hidden = isAboutOthersKey && !isWorkspaceAdmin ? 404 : 403;
  const allowedIf = (isAllowed: boolean, otherwise = 403) => (isAllowed ? 200 : otherwise);
  // Strangers to a workspace do not learn that it exists. An API key belongs to it.
  const inWorkspace = (needed: Right) => {
    if (right === 'none') return isApiKey ? 403 : 404;
    return allowedIf(ladder.indexOf(right) >= ladder.indexOf(needed));
  };
  const managing = (isAllowed: boolean, otherwise?: number) =>
    isApiKey ? 401 : allowedIf(isAllowed, otherwise);
  const writing = (isAllowed: boolean, otherwise?: number) =>
    by === 'read-only key' ? 403 : managing(isAllowed, otherwise);
  switch (access) {
    case 'public':
    case 'anyone':
      return 200;
    case 'key':
      return allowedIf(!isSession(by), 404);
    case 'session':
      return allowedIf(isSession(by));
    case 'model-call':
      return isManagementKey ? 403 : inWorkspace('call');
    case 'call-write':
      return by === 'read-only key' ? 403 : inWorkspace('call');
    case 'dry-run':
      return isManagementKey ? 403 : inWorkspace('read');
    case 'draft-run':
      return isManagementKey ? 403 : inWorkspace('write');
    case 'member':
      return managing(true);
    case 'member-write':
      return writing(true);
    case 'workspace-member':
      return managing(isMember, 404);
    case 'workspace-admin':
      return managing(isWorkspaceAdmin, hidden);
    case 'workspace-admin-write':
      return writing(isWorkspaceAdmin, hidden);
    case 'org-admin':
      return managing(isAdmin, hidden);
    case 'org-admin-write':
      return writing(isAdmin, hidden);
    default:
      return inWorkspace(access);
  }
}

/** Keys that may do nothing, and one that belongs to no organization. */
const refusals: Readonly<Record<string, (access: Access) => number>> = {
  'a disabled key': () => 401,
  'an expired key': () => 401,
  'an unknown key': () => 401,
  'no key': () => 401,
  'a key whose owner has left': () => 403,
  'a personal management key': (access) => {
    if (access === 'key' || access === 'anyone') return 200;
    return access === 'session' || isModelCall(access) ? 403 : 404;
  },
};

describe('permissions', () => {
  let upstream: ScriptedUpstream;
  let server: SignInServer;
  let workspace: string;
  let unusual: Readonly<Record<string, string>>;
  let checks: DocumentChecks;
  let shared: Readonly<Record<Person, Names>>;
  const ids = new Map<Person, string>();
  const secrets = new Map<string, string>();
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startSignInServer(
      anyEngine,
      {},
      { PRESETD_UPSTREAM_URL: upstream.url, OPENROUTER_API_KEY: upstreamKey },
    );
    checks = checksOf((await server.get('/openapi.json', { key: null })).body);
    workspace = await makeWorkspace(server, 'table');
    ids.set('an org:admin', (await server.get('/api/v1/key')).body.data.creator_user_id);
    for (const [index, person] of people.entries()) {
      if (index > 0) ids.set(person, await addPerson(`person-${index}@example.com`));
    }
    const { disabled, expired, ownerHasLeft, personal } = await addUnusualKeys(server.database);
    unusual = {
      'a disabled key': disabled,
      'an expired key': expired,
      'an unknown key': 'sk-pst-v1-unknown',
      'a key whose owner has left': ownerHasLeft,
      'a personal management key': personal,
    };
    for (const { name, person, means: by } of callers) secrets.set(name, await credential(idOf(person), by));
    // After their keys exist, so that some have a larger scope than their owner.
    await giveRole(idOf('an editor'), 'editor');
    await giveRole(idOf('a viewer'), 'viewer');
    const stranger = idOf('somebody without a role');
    await server.database.transaction(`DELETE FROM workspace_members WHERE user_id = '${stranger}'`);
    shared = Object.fromEntries(
      await Promise.all(people.map(async (person) => [person, await makeSubjects(person)])),
    );
    // Running servers notice changes in the database within a second.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
  });
  afterAll(() => upstream.stop());

  const asAdmin = async (method: string, path: string, body?: unknown, headers = {}) => {
    const response = await server.send(method, `/api/v1${path}`, body, { key: managementKey, headers });
    expect([path, response.text, response.status < 300]).toEqual([path, response.text, true]);
    return response;
  };
  const idOf = (person: Person) => ids.get(person) ?? '';
  const giveRole = (userId: string, role: string, of = workspace) =>
    asAdmin('PATCH', `/workspaces/${of}/members/${userId}`, { role });
  const addPerson = async (email: string) => {
    const id = await makeMember(server, email);
    await giveRole(id, 'viewer', 'default');
    await asAdmin('POST', `/workspaces/${workspace}/members/add`, { user_ids: [id] });
    return id;
  };
  /** The account at the provider is linked to the member by its verified address. */
  const signInWithProvider = async (userId: string): Promise<string> => {
    const { email } = (await server.manage('GET', `/organization/people/${userId}`)).data;
    server.okta.account = { sub: userId, email, email_verified: true };
    const { browser, path } = await server.signIn('okta');
    return browser.cookie(server.url, 'presetd_session') ?? expect.fail(`signing in ended at ${path}`);
  };
  const credential = async (userId: string, by: Means): Promise<string> => {
    const owned = { creator_user_id: userId };
    const inWorkspace = { ...owned, workspace_id: workspace };
    switch (by) {
      case 'session':
        return makeSession(server, userId);
      case 'provider session':
        return signInWithProvider(userId);
      case 'management key':
        return (await makeKey(server, { ...owned, kind: 'management' })).secret;
      case 'read-only key':
        return (await makeKey(server, { ...owned, kind: 'read_only' })).secret;
      default:
        return (await makeKey(server, { ...inWorkspace, scope: by.split(' ')[0] })).secret;
    }
  };
  const makePresets = async (count: number): Promise<Pick<Names, 'slug' | 'alias'>[]> => {
    const made = Array.from({ length: count }, () => `s${unique()}`);
    const lines = made.flatMap((slug) => presetLines(slug, `${slug}-alias`)).join('\n');
    await asAdmin('POST', `/import?workspace_id=${workspace}`, lines, {
      'content-type': 'application/x-ndjson',
    });
    return made.map((slug) => ({ slug, alias: `${slug}-alias` }));
  };
  const makeKeys = async (person: Person, otherId: string): Promise<Pick<Names, 'keyId' | 'otherKeyId'>> => ({
    keyId: (await makeKey(server, { creator_user_id: idOf(person), kind: 'management' })).id,
    otherKeyId: (await makeKey(server, { creator_user_id: otherId, workspace_id: workspace })).id,
  });
  const unused = () => ({
    memberEmail: `new-${unique()}@example.com`,
    workspaceSlug: `w${unique()}`,
    idempotencyKey: `once-${unique()}`,
  });
  const makeSubjects = async (person: Person): Promise<Names> => {
    const memberId = await addPerson(`other-${unique()}@example.com`);
    const [preset] = await makePresets(1);
    if (preset === undefined) throw new Error('no preset');
    const keys = await makeKeys(person, memberId);
    const ids = { workspaceId: workspace, callerId: idOf(person), memberId };
    return { ...unknownNames(), ...unused(), ...ids, ...preset, ...keys };
  };
  const isAboutNewPreset = ({ access }: SampleRow) => access === 'write' || access === 'release';
  /** With new ones in place of those that the request may change. */
  const subjectsFor = async (
    person: Person,
    row: SampleRow,
    presets: Pick<Names, 'slug' | 'alias'>[],
  ): Promise<Names> => {
    const same = { ...shared[person], ...unused() };
    if (isAboutNewPreset(row)) return { ...same, ...presets.pop() };
    const { method, path, body } = row.request(same);
    const isChanged = (id: string) => method !== 'GET' && JSON.stringify([path, body]).includes(id);
    const keys =
      isChanged(same.keyId) || isChanged(same.otherKeyId) ? await makeKeys(person, same.memberId) : {};
    const member = isChanged(same.memberId) && {
      memberId: await addPerson(`changed-${unique()}@example.com`),
    };
    return { ...same, ...keys, ...member };
  };
  const statusOf = ({ access, request }: SampleRow, caller: TableCaller) => {
    const names = shared[caller.person];
    return statusFor(access, request(names).path.includes(names.otherKeyId), caller);
  };
  const sendAs = (
    { name, means: by }: TableCaller & { readonly name: string },
    { method, path, body, headers }: NamedRequest,
  ): Promise<TestResponse> => {
    const secret = secrets.get(name) ?? '';
    return server.send(method, `/api/v1${path}`, body, {
      key: isSession(by) ? null : secret,
      headers: { ...headers, ...(isSession(by) && ofSession(secret)) },
    });
  };
  const expectDocumented = ({ operation, access }: SampleRow, status: number, body: unknown) => {
    if (!isModelCall(access) && body !== undefined)
      expect([operation.id, checks.responseProblems(operation.id, status, body)]).toEqual([
        operation.id,
        null,
      ]);
  };
  /** The organization as its admin sees it, without last_used_at, which is written with a delay. */
  const everything = async () => {
    const paths = [
      '/keys?include_disabled=true',
      `/keys?include_disabled=true&workspace_id=${workspace}`,
      '/workspaces?limit=100',
      `/workspaces/${workspace}/members?limit=100`,
      '/organization/members?limit=100',
      '/audit?limit=1',
      `/export?workspace_id=${workspace}`,
    ];
    const all = await Promise.all(paths.map((path) => asAdmin('GET', path)));
    return all.map(({ text }) => text.replaceAll(/"last_used_at":[^,]+/g, ''));
  };

  it('there is a request for everything that the contract declares', () => {
    for (const operation of Object.values<Operation>(contract)) {
      const { id, access, accessFor = {} } = operation;
      const tried = rows.filter((row) => row.operation === operation).map((row) => row.access);
      const declared = access === 'public' ? [] : [access, ...Object.keys(accessFor)];
      expect([id, ...new Set(tried)].toSorted()).toEqual([id, ...declared].toSorted());
    }
  });

  it('only operations that are declared public need no key', async () => {
    for (const [route, { access }] of Object.entries<Operation>(contract)) {
      const { method, path } = splitRoute(route);
      const body = method === 'GET' ? undefined : {};
      const { status } = await server.send(method, `/api/v1${path}`, body, { key: null });
      expect([route, status === 401]).toEqual([route, access !== 'public']);
    }
  });

  it.each(callers)('forbidden operations fail, change nothing and say why for $name', async (caller) => {
    const before = await everything();
    upstream.clear();
    for (const row of rows) {
      const expected = statusOf(row, caller);
      if (expected === 200) continue;
      const sent = row.request(shared[caller.person]);
      const { status, text, body } = await sendAs(caller, sent);
      expect([row.route, sent, text, status]).toEqual([row.route, sent, text, expected]);
      expectDocumented(row, status, body);
      if (expected === 403) expect([row.route, text]).toEqual([row.route, expect.stringMatching(remedy)]);
    }
    expect(await everything()).toEqual(before);
    expect(upstream.requests).toEqual([]);
  });

  it.each(Object.entries(refusals))('no operation does anything for %s', async (name, statusFor) => {
    const before = await everything();
    for (const { route, access, request } of rows) {
      const { method, path, body, headers = {} } = request(shared['an org:admin']);
      const key = unusual[name] ?? null;
      const { status } = await server.send(method, `/api/v1${path}`, body, { key, headers });
      expect([route, access, status]).toEqual([route, access, statusFor(access)]);
    }
    expect(await everything()).toEqual(before);
  });

  it.each(means)(
    'a deactivated person can do nothing with their %s until they are reactivated',
    async (by) => {
      const userId = await addPerson(`deactivated-${unique()}@example.com`);
      const caller = { name: `deactivated ${by}`, person: 'a workspace admin', means: by } as const;
      secrets.set(caller.name, await credential(userId, by));
      await setDeactivated(server, userId, true);
      const before = await everything();
      for (const { route, request } of isLikeAnother(by) ? rowOfEachAccess : rows) {
        const { status, text } = await sendAs(caller, request(shared['a workspace admin']));
        expect([route, text, status]).toEqual([route, expect.stringContaining('deactivated'), 403]);
      }
      expect(await everything()).toEqual(before);
    },
  );

  it.each(callers)('allowed operations succeed for $name', async (caller) => {
    const { name, person, means: by } = caller;
    // The other session of the person may have ended this one.
    if (isSession(by)) secrets.set(name, await credential(idOf(person), by));
    const allowed = rows.filter((row) => statusOf(row, caller) === 200);
    // In one request: they would be most of the requests of this test.
    const presets = await makePresets(allowed.filter(isAboutNewPreset).length);
    for (const row of allowed) {
      const sent = row.request(await subjectsFor(person, row, presets));
      const { status, text, body } = await sendAs(caller, sent);
      const expected = row.done === 'any' ? expect.not.toBeOneOf([401, 403]) : row.done;
      expect([row.route, sent, text, status]).toEqual([row.route, sent, text, expected]);
      expectDocumented(row, status, body);
      if (row.access === 'session' && sent.method !== 'GET')
        secrets.set(name, await credential(idOf(person), by));
    }
  });
});

/** Every 403 says which role or credential is needed, or that the key cannot do this at all. */
const remedy =
  /Ask a workspace admin for the role|Use a key with|Use an API key|requires (a management key of )?an? |requires the role|Only an org:admin|"presetd": ?\{|presetd\\": \{/;

/** A preset with an alias and two versions: the first has a label, the second is live. */
function presetLines(slug: string, alias: string): readonly string[] {
  const at = '2026-01-01T00:00:00.000Z';
  const preset = {
    type: 'preset',
    slug,
    name: slug,
    description: null,
    status: 'active',
    status_updated_at: null,
    created_at: at,
    updated_at: at,
    versions: 2,
    designated_version: 2,
    labels: { production: 1 },
    aliases: [alias],
    cases: ['confidential'],
  };
  const versions = ['vendor/model', 'vendor/other'].map((model, index) => ({
    type: 'version',
    slug,
    version: index + 1,
    dialect: 'responses',
    system_prompt: null,
    created_at: at,
    config: { model },
  }));
  const testCase = { type: 'case', slug, name: 'confidential', variables: {}, messages: [], note: null };
  return [preset, ...versions, testCase].map((line) => JSON.stringify(line));
}

let counter = 0;
function unique(): number {
  counter += 1;
  return counter;
}
