import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenapiDocument, operationsOf } from '../compat/openapi-document.ts';
import { anyEngine } from '../support/engines.ts';
import { importLines, type NamedRequest, publicOperations } from '../support/every-operation.ts';
import { upstreamKey } from '../support/gateway-server.ts';
import {
  get,
  type OrganizationNeed,
  type OrganizationSubjects,
  organizationRows,
  patch,
  post,
  put,
  remove,
} from '../support/organization-rows.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { managementKey, type TestResponse } from '../support/server.ts';
import { makeSession, ofSession, setDeactivated } from '../support/sessions.ts';
import { type SignInServer, startSignInServer } from '../support/sign-in-server.ts';

/** Rights in a workspace; each includes those before it. */
const ladder = ['none', 'call', 'read', 'write', 'release', 'administer'] as const;

type Right = (typeof ladder)[number];

/**
 * Rights in the workspace of the table, those of the organization, and:
 * - `calling`, `showing`: call models, or show what a call would send; `drafting`: run a draft
 */
type Need = Right | OrganizationNeed | 'calling' | 'showing' | 'drafting';

/** Created anew for a request that is allowed to change them. */
interface Subjects extends OrganizationSubjects {
  readonly alias: string;
}

/** `done` is the status if it is allowed, 200 unless given; `any` if it depends on the upstream. */
type Row = readonly [
  operation: string,
  need: Need,
  request: (subjects: Subjects) => NamedRequest,
  done?: number | 'any',
];

const presetRows: readonly Row[] = [
  ['listPresets', 'read', () => get('/presets')],
  ['getPreset', 'read', ({ slug }) => get(`/presets/${slug}`)],
  ['getPreset', 'read', ({ alias }) => get(`/presets/${alias}`)],
  ['listPresetTags', 'read', ({ slug }) => get(`/presets/${slug}/tags`)],
  ['listPresetVersions', 'read', ({ slug }) => get(`/presets/${slug}/versions`)],
  ['getPresetVersion', 'read', ({ slug }) => get(`/presets/${slug}/versions/1`)],
  ['diffPresetVersions', 'read', ({ slug }) => get(`/presets/${slug}/versions/2/diff`)],
  ['listPresetLabels', 'read', ({ slug }) => get(`/presets/${slug}/labels`)],
  ['listPresetAliases', 'read', ({ slug }) => get(`/presets/${slug}/aliases`)],
  ['getPresetAlias', 'read', ({ slug, alias }) => get(`/presets/${slug}/aliases/${alias}`)],
  ['listPresetCases', 'read', ({ slug }) => get(`/presets/${slug}/cases`)],
  ['getPresetCase', 'read', ({ slug }) => get(`/presets/${slug}/cases/x`), 404],
  ['savePresetCase', 'write', ({ slug }) => put(`/presets/${slug}/cases/x`, {})],
  ['removePresetCase', 'write', ({ slug }) => remove(`/presets/${slug}/cases/y`), 404],
  ['listPresetDrafts', 'read', ({ slug }) => get(`/presets/${slug}/drafts`)],
  ['getPresetDraft', 'read', ({ slug }) => get(`/presets/${slug}/draft`), 404],
  [
    'savePresetDraft',
    'write',
    ({ slug }) => put(`/presets/${slug}/draft`, { text: '', dialect: null, base_version: 1 }),
  ],
  ['discardPresetDraft', 'write', ({ slug }) => remove(`/presets/${slug}/draft`), 404],
  ['getPresetUsage', 'read', ({ slug }) => get(`/presets/${slug}/usage`)],
  ['listPresetEvents', 'read', ({ slug }) => get(`/presets/${slug}/events`)],
  ['exportPresets', 'read', () => get('/export')],
  ['setPresetLabel', 'write', ({ slug }) => put(`/presets/${slug}/labels/staging`, { version: 1 })],
  ['removePresetLabel', 'write', ({ slug }) => remove(`/presets/${slug}/labels/production`)],
  ['addPresetAlias', 'write', ({ slug }) => put(`/presets/${slug}/aliases/${slug}-other`)],
  ['removePresetAlias', 'release', ({ slug, alias }) => remove(`/presets/${slug}/aliases/${alias}`)],
  ['updatePreset', 'write', ({ slug }) => patch(`/presets/${slug}`, { name: 'New', tags: ['new'] })],
  ['updatePreset', 'release', ({ slug }) => patch(`/presets/${slug}`, { designated_version: 1 })],
  ['updatePreset', 'release', ({ slug }) => patch(`/presets/${slug}`, { status: 'disabled' })],
  ['updatePreset', 'release', ({ slug }) => patch(`/presets/${slug}`, { slug: `${slug}-new` })],
  ['archivePreset', 'release', ({ slug }) => remove(`/presets/${slug}`)],
  ['restorePreset', 'release', ({ slug }) => post(`/presets/${slug}/restore`)],
  [
    'importPresets',
    'release',
    ({ slug }) => post('/import', importLines(`${slug}-in`), { 'content-type': 'application/x-ndjson' }),
  ],
  ...(['responses', 'chat/completions', 'messages'] as const).flatMap((path): Row[] => {
    const operation = {
      responses: 'createPresetsResponses',
      'chat/completions': 'createPresetsChatCompletions',
      messages: 'createPresetsMessages',
    }[path];
    const body = {
      model: 'vendor/model',
      ...(path === 'messages' && { max_tokens: 5 }),
      ...(path !== 'responses' && { messages: [{ role: 'user', content: 'x' }] }),
    };
    const hidden = { ...body, presetd: { designate: false } };
    const rows: Row[] = [
      [operation, 'write', ({ slug }) => post(`/presets/${slug}/${path}`, hidden)],
      [operation, 'release', ({ slug }) => post(`/presets/${slug}/${path}`, body)],
    ];
    // Only the body depends on the dialect.
    if (path !== 'responses') return rows;
    return [
      ...rows,
      [operation, 'write', ({ slug }) => post(`/presets/${slug}-first/${path}`, body)],
      [operation, 'write', ({ slug }) => post(`/presets/${slug}/${path}?dry_run=true`, hidden)],
      [operation, 'release', ({ slug }) => post(`/presets/${slug}/${path}?dry_run=true`, body)],
      [operation, 'release', ({ alias }) => post(`/presets/${alias}/${path}`, body, { 'if-match': '*' })],
      [
        operation,
        'release',
        ({ slug }) => post(`/presets/${slug}/${path}`, body, { 'idempotency-key': `${slug}-${path}` }),
      ],
    ];
  }),
  ['getModels', 'call', () => get('/models')],
  ['listModelsUser', 'call', () => get('/models/user')],
  ['listModelsCount', 'call', () => get('/models/count')],
  ['retrieveModel', 'call', ({ slug }) => get(`/models/@preset/${slug}`)],
  ['getModel', 'call', ({ slug }) => get(`/model/@preset/${slug}`)],
  ['listEndpoints', 'call', ({ slug }) => get(`/models/@preset/${slug}/endpoints`)],
];

const dryRun = { 'x-presetd-dry-run': 'true' };

const draft = { presetd: { draft: { dialect: 'responses', request: { model: 'vendor/model' } } } };

const calls: readonly (readonly [operation: string, path: string])[] = [
  ['sendChatCompletionRequest', 'chat/completions'],
  ['createMessages', 'messages'],
  ['createResponses', 'responses'],
];

const relayedCalls: readonly (readonly [operation: string, path: string])[] = [
  ['createCompletion', 'completions'],
  ['createEmbeddings', 'embeddings'],
  ['createRerank', 'rerank'],
  ['createModeration', 'moderations'],
  ['createImages', 'images'],
  ['createImage', 'images/generations'],
  ['createAudioSpeech', 'audio/speech'],
  ['countMessagesTokens', 'messages/count_tokens'],
  ['countResponsesInputTokens', 'responses/input_tokens'],
  ['compactResponses', 'responses/compact'],
];

const formCalls: readonly (readonly [operation: string, path: string])[] = [
  ['createImageEdit', 'images/edits'],
  ['createImageVariation', 'images/variations'],
  ['createAudioTranscriptions', 'audio/transcriptions'],
  ['createAudioTranslations', 'audio/translations'],
];

const formWith = (model: string) =>
  `--x\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n--x--\r\n`;

const inferenceRows: readonly Row[] = [
  ...calls.flatMap(([operation, path]): Row[] => [
    [operation, 'calling', ({ slug }) => post(`/${path}`, { preset: slug })],
    [operation, 'calling', () => post(`/${path}`, { model: 'vendor/model' })],
    [operation, 'showing', ({ slug }) => post(`/${path}`, { preset: slug }, dryRun)],
    [operation, 'showing', ({ alias }) => post(`/${path}`, { model: `@preset/${alias}@1` }, dryRun)],
    [operation, 'drafting', ({ slug }) => post(`/${path}`, { preset: slug, ...draft })],
    [operation, 'drafting', () => post(`/${path}`, { preset: 'planned', ...draft }, dryRun)],
  ]),
  ...relayedCalls.flatMap(([operation, path]): Row[] => [
    [operation, 'calling', ({ slug }) => post(`/${path}`, { model: `@preset/${slug}` }), 'any'],
    [operation, 'showing', ({ slug }) => post(`/${path}`, { model: `@preset/${slug}` }, dryRun), 'any'],
  ]),
  ...formCalls.map(([operation, path]): Row => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    return [
      operation,
      'calling',
      ({ slug }) => post(`/${path}`, formWith(`@preset/${slug}`), headers),
      'any',
    ];
  }),
  ['connectResponses', 'calling', () => get('/responses'), 426],
  ['getResponse', 'calling', () => get('/responses/resp_x'), 404],
  ['deleteResponse', 'calling', () => remove('/responses/resp_x'), 404],
  ['cancelResponse', 'calling', () => post('/responses/resp_x/cancel'), 404],
  ['listInputItems', 'calling', () => get('/responses/resp_x/input_items'), 404],
];

/** Requests about presets and calls name the workspace in the query. */
const rows: readonly Row[] = [
  ...[...presetRows, ...inferenceRows].map(
    ([operation, need, request, done = 200]): Row => [
      operation,
      need,
      (subjects) => {
        const { path, ...rest } = request(subjects);
        return {
          ...rest,
          path: `${path}${path.includes('?') ? '&' : '?'}workspace_id=${subjects.workspace}`,
        };
      },
      done,
    ],
  ),
  ...organizationRows,
];

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

/** A session that was started by signing in with a provider is like any other: one person has one. */
const callers: readonly (TableCaller & { readonly name: string })[] = people.flatMap((person) =>
  means
    .filter((each) => each !== 'provider session' || person === 'a workspace admin')
    .map((each) => ({ name: `the ${each} of ${person}`, person, means: each })),
);

/** Whether a session or a key of the same kind is identified by the same code. */
const isLikeAnother = (by: Means) => !['session', 'management key', 'write key'].includes(by);
const rowOfEachNeed = rows.filter(([, need], index) => index === rows.findIndex((row) => row[1] === need));

const isSession = (by: Means) => by === 'session' || by === 'provider session';

/** The expected status; 200 stands for any success. */
function statusFor(need: Need, { person, means: by }: TableCaller): number {
  const isApiKey = by === 'write key' || by === 'read key' || by === 'call key';
  const isManagementKey = by === 'management key' || by === 'read-only key';
  const isAdmin = person === 'an org:admin';
  const isMember = person !== 'somebody without a role';
  const isWorkspaceAdmin = isAdmin || person === 'a workspace admin';
  const isReadOnly = by === 'read-only key';
  const right = rightsBy[person][means.indexOf(by)] ?? 'none';
  const allowedIf = (isAllowed: boolean, otherwise = 403) => (isAllowed ? 200 : otherwise);
  // Strangers to a workspace do not learn that it exists. An API key belongs to it.
  const inWorkspace = (needed: Right) => {
    if (right === 'none') return isApiKey ? 403 : 404;
    return allowedIf(ladder.indexOf(right) >= ladder.indexOf(needed));
  };
  switch (need) {
    case 'key':
      return allowedIf(!isSession(by), 404);
    case 'session':
      return allowedIf(isSession(by));
    case 'anyone':
      return 200;
    case 'calling':
      return isManagementKey ? 403 : inWorkspace('call');
    case 'showing':
      return isManagementKey ? 403 : inWorkspace('read');
    case 'drafting':
      return isManagementKey ? 403 : inWorkspace('write');
    case 'directory':
      return allowedIf(!isApiKey, 401);
    case 'own':
      return isApiKey ? 401 : allowedIf(!isReadOnly);
    case 'insight':
      return isApiKey ? 401 : allowedIf(isMember, 404);
    case 'all history':
      return isApiKey ? 401 : allowedIf(isAdmin);
    case "others' keys":
      return isApiKey ? 401 : allowedIf(isWorkspaceAdmin, 404);
    case 'stopping':
      if (isApiKey || isReadOnly) return isApiKey ? 401 : 403;
      return allowedIf(isWorkspaceAdmin, 404);
    case 'taking over':
      if (isApiKey || isReadOnly) return isApiKey ? 401 : 403;
      return allowedIf(isAdmin, isWorkspaceAdmin ? 403 : 404);
    case 'managing':
      return isApiKey ? 401 : allowedIf(right === 'administer');
    case 'organization':
      return isApiKey ? 401 : allowedIf(isAdmin && !isReadOnly);
    default:
      return inWorkspace(need);
  }
}

describe('permissions', () => {
  let upstream: ScriptedUpstream;
  let server: SignInServer;
  let workspace: string;
  let document: OpenapiDocument;
  let shared: Readonly<Record<Person, Subjects>>;
  const ids = new Map<Person, string>();
  const secrets = new Map<string, string>();
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startSignInServer(
      anyEngine,
      {},
      { PRESETD_UPSTREAM_URL: upstream.url, OPENROUTER_API_KEY: upstreamKey },
    );
    document = (await server.get('/openapi.json', { key: null })).body;
    workspace = await makeWorkspace(server, 'table');
    ids.set('an org:admin', (await server.get('/api/v1/key')).body.data.creator_user_id);
    for (const [index, person] of people.entries()) {
      if (index > 0) ids.set(person, await addPerson(`person-${index}@example.com`));
    }
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
  const makePresets = async (count: number): Promise<Pick<Subjects, 'slug' | 'alias'>[]> => {
    const made = Array.from({ length: count }, () => `s${unique()}`);
    const lines = made.flatMap((slug) => presetLines(slug, `${slug}-alias`)).join('\n');
    await asAdmin('POST', `/import?workspace_id=${workspace}`, lines, {
      'content-type': 'application/x-ndjson',
    });
    return made.map((slug) => ({ slug, alias: `${slug}-alias` }));
  };
  const makeKeys = async (
    person: Person,
    otherId: string,
  ): Promise<Pick<Subjects, 'ownKey' | 'otherKey'>> => ({
    ownKey: (await makeKey(server, { creator_user_id: idOf(person), kind: 'management' })).id,
    otherKey: (await makeKey(server, { creator_user_id: otherId, workspace_id: workspace })).id,
  });
  const makeSubjects = async (person: Person): Promise<Subjects> => {
    const email = `new-${unique()}@example.com`;
    const otherId = await addPerson(`other-${email}`);
    const [preset] = await makePresets(1);
    if (preset === undefined) throw new Error('no preset');
    const keys = await makeKeys(person, otherId);
    return { workspace, email, ownerId: idOf(person), otherId, ...preset, ...keys };
  };
  const isAboutNewPreset = (operation: string, need: Need) => operation.includes('Preset') && need !== 'read';
  /** With new ones in place of those that the operation changes. */
  const subjectsFor = async (
    person: Person,
    operation: string,
    need: Need,
    presets: Pick<Subjects, 'slug' | 'alias'>[],
  ): Promise<Subjects> => {
    const same = { ...shared[person], email: `new-${unique()}@example.com` };
    if (isAboutNewPreset(operation, need)) return { ...same, ...presets.pop() };
    if (operation === 'createWorkspace') return { ...same, slug: `w${unique()}` };
    if (['updateKey', 'rotateKey', 'deleteKey'].includes(operation))
      return { ...same, ...(await makeKeys(person, same.otherId)) };
    if (['removeWorkspaceMembers', 'removeOrganizationMember', 'deactivatePerson'].includes(operation))
      return { ...same, otherId: await addPerson(`leaving-${same.email}`) };
    return same;
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

  it('the table covers every operation that needs a key or session', () => {
    const covered = [...new Set(rows.map(([operation]) => operation)), ...publicOperations];
    expect(covered.toSorted()).toEqual(
      operationsOf(document)
        .map(({ operationId }) => operationId)
        .toSorted(),
    );
  });

  it.each(callers)('forbidden operations fail, change nothing and say why for $name', async (caller) => {
    const before = await everything();
    upstream.clear();
    for (const [operation, need, request] of rows) {
      const expected = statusFor(need, caller);
      if (expected === 200) continue;
      const sent = request(shared[caller.person]);
      const { status, text } = await sendAs(caller, sent);
      expect([operation, sent, text, status]).toEqual([operation, sent, text, expected]);
      if (expected === 403) expect([operation, text]).toEqual([operation, expect.stringMatching(remedy)]);
    }
    expect(await everything()).toEqual(before);
    expect(upstream.requests).toEqual([]);
  });

  it.each(means)(
    'a deactivated person can do nothing with their %s until they are reactivated',
    async (by) => {
      const userId = await addPerson(`deactivated-${unique()}@example.com`);
      const caller = { name: `deactivated ${by}`, person: 'a workspace admin', means: by } as const;
      secrets.set(caller.name, await credential(userId, by));
      await setDeactivated(server, userId, true);
      const before = await everything();
      for (const [operation, , request] of isLikeAnother(by) ? rowOfEachNeed : rows) {
        const { status, text } = await sendAs(caller, request(shared['a workspace admin']));
        expect([operation, text, status]).toEqual([operation, expect.stringContaining('deactivated'), 403]);
      }
      expect(await everything()).toEqual(before);
    },
  );

  it.each(callers)('allowed operations succeed for $name', async (caller) => {
    const { name, person, means: by } = caller;
    // The other session of the person may have ended this one.
    if (isSession(by)) secrets.set(name, await credential(idOf(person), by));
    const allowed = rows.filter(([, need]) => statusFor(need, caller) === 200);
    // In one request: they would be most of the requests of this test.
    const presets = await makePresets(
      allowed.filter(([operation, need]) => isAboutNewPreset(operation, need)).length,
    );
    for (const [operation, need, request, done = 200] of allowed) {
      const sent = request(await subjectsFor(caller.person, operation, need, presets));
      const { status, text } = await sendAs(caller, sent);
      const expected = done === 'any' ? expect.not.toBeOneOf([401, 403]) : done;
      expect([operation, sent, text, status]).toEqual([operation, sent, text, expected]);
      if (operation === 'signOut' || operation === 'endAllSessions')
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
  return [preset, ...versions].map((line) => JSON.stringify(line));
}

let counter = 0;
function unique(): number {
  counter += 1;
  return counter;
}
