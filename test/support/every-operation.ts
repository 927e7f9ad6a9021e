import { newId, newUserId } from '../../src/core/identifiers.ts';
import { hashSecret, newSecret } from '../../src/core/organization/api-key.ts';

/** Well-formed names of things that do not exist. */
export function unknownNames() {
  return {
    slug: 'unknown',
    alias: 'unknown-alias',
    /** The preset's ETag and the idempotency key of its create. Others may learn both. */
    etag: '"x"',
    idempotencyKey: 'unknown',
    workspaceId: newId(),
    workspaceSlug: 'unknown',
    keyId: newId(),
    keyLabel: 'unknown',
    secretHash: hashSecret(newSecret()),
    retiredSecretHash: hashSecret(newSecret()),
    memberId: newUserId(),
    memberEmail: 'nobody@example.com',
    auditCursor: `2026-01-01T00:00:00.000Z_${newId()}`,
    sessionId: newId(),
  };
}

/**
 * Everything that a request can refer to. Isolation tests send requests with another tenant's
 * names.
 */
export type Names = Readonly<ReturnType<typeof unknownNames>>;

/** A request to send with some key. */
export interface NamedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The requests of one operation that refer to these names. */
export type RequestsOf = (names: Names) => readonly NamedRequest[];

/** Operations that read and change existing presets. All of them accept a workspace_id. */
export const presetOperations: Readonly<Record<string, RequestsOf>> = byEachName({
  listPresets: ({ slug }) => [
    get('/presets'),
    get('/presets?status=all'),
    get(`/presets?q=${slug}`),
    get('/presets?q=confidential&status=all'),
    get('/presets?tag=confidential'),
    get(`/presets?q=${slug}&tag=confidential&status=all`),
    get('/presets?offset=1'),
  ],
  getPreset: ({ slug, etag }) => [
    get(`/presets/${slug}`),
    get(`/presets/${slug}/`),
    get(`/presets/${slug}`, { 'if-none-match': etag }),
    get(`/presets/${slug}`, { 'if-none-match': '*' }),
    { method: 'HEAD', path: `/presets/${slug}` },
  ],
  listPresetVersions: ({ slug }) => [
    get(`/presets/${slug}/versions`),
    get(`/presets/${slug}/versions?offset=9`),
  ],
  getPresetVersion: ({ slug }) => [
    get(`/presets/${slug}/versions/1`),
    get(`/presets/${slug}/versions/9`),
    get(`/presets/${slug}/versions/1`, { 'if-none-match': '*' }),
  ],
  diffPresetVersions: ({ slug }) => [
    get(`/presets/${slug}/versions/2/diff`),
    get(`/presets/${slug}/versions/1/diff?against=latest`),
    get(`/presets/${slug}/versions/1/diff?against=production`),
  ],
  listPresetLabels: ({ slug }) => [get(`/presets/${slug}/labels`)],
  listPresetTags: ({ slug }) => [get(`/presets/${slug}/tags`)],
  listPresetEvents: ({ slug }) => [get(`/presets/${slug}/events`), get(`/presets/${slug}/events?offset=9`)],
  setPresetLabel: ({ slug, etag }) =>
    conditions(etag).map((headers) => ({
      method: 'PUT',
      path: `/presets/${slug}/labels/production`,
      body: { version: 1 },
      headers,
    })),
  removePresetLabel: ({ slug, etag }) =>
    conditions(etag).map((headers) => ({
      method: 'DELETE',
      path: `/presets/${slug}/labels/production`,
      headers,
    })),
  listPresetAliases: ({ slug }) => [get(`/presets/${slug}/aliases`)],
  getPresetAlias: ({ slug, alias }) => [get(`/presets/${slug}/aliases/${alias}`)],
  addPresetAlias: ({ slug, etag }) =>
    conditions(etag).map((headers) => ({
      method: 'PUT',
      path: `/presets/${slug}/aliases/taken-over`,
      headers,
    })),
  removePresetAlias: ({ slug, alias, etag }) =>
    conditions(etag).map((headers) => ({
      method: 'DELETE',
      path: `/presets/${slug}/aliases/${alias}`,
      headers,
    })),
  listPresetCases: ({ slug }) => [get(`/presets/${slug}/cases`), get(`/presets/${slug}/cases?offset=9`)],
  getPresetCase: ({ slug }) => [
    get(`/presets/${slug}/cases/confidential`),
    get(`/presets/${slug}/cases/confidential?at=4`),
    get(`/presets/${slug}/cases/absent`),
  ],
  savePresetCase: ({ slug, etag }) =>
    [{}, { name: 'Taken over', note: 'Taken over' }].flatMap((body) =>
      conditions(etag).map((headers) => ({
        method: 'PUT',
        path: `/presets/${slug}/cases/confidential`,
        body,
        headers,
      })),
    ),
  removePresetCase: ({ slug, etag }) =>
    conditions(etag).map((headers) => ({
      method: 'DELETE',
      path: `/presets/${slug}/cases/confidential`,
      headers,
    })),
  getPresetDraft: ({ slug, etag }) => [
    get(`/presets/${slug}/draft`),
    get(`/presets/${slug}/draft`, { 'if-none-match': etag }),
  ],
  listPresetDrafts: ({ slug }) => [get(`/presets/${slug}/drafts`), get(`/presets/${slug}/drafts?offset=9`)],
  savePresetDraft: ({ slug, etag }) =>
    conditions(etag).map((headers) => ({
      method: 'PUT',
      path: `/presets/${slug}/draft`,
      body: { text: 'Taken over', dialect: null, base_version: 1 },
      headers,
    })),
  discardPresetDraft: ({ slug, etag }) =>
    conditions(etag).map((headers) => ({ method: 'DELETE', path: `/presets/${slug}/draft`, headers })),
  getPresetUsage: ({ slug }) => [get(`/presets/${slug}/usage`)],
  updatePreset: ({ slug, etag }) =>
    [{ name: 'Taken over', tags: ['taken-over'], designated_version: 1 }, { slug: 'taken-over' }].flatMap(
      (body) =>
        conditions(etag).map((headers) => ({ method: 'PATCH', path: `/presets/${slug}`, body, headers })),
    ),
  restorePreset: ({ slug, etag }) =>
    conditions(etag).map((headers) => ({ method: 'POST', path: `/presets/${slug}/restore`, headers })),
  archivePreset: ({ slug, etag }) =>
    conditions(etag).map((headers) => ({ method: 'DELETE', path: `/presets/${slug}`, headers })),
  exportPresets: () => [get('/export')],
  getModels: () => [
    get('/models'),
    get('/models?offset=1'),
    get('/models', { 'anthropic-version': '2023-06-01' }),
  ],
  listModelsUser: () => [get('/models/user')],
  listModelsCount: () => [get('/models/count')],
  retrieveModel: ({ slug }) => [
    get(`/models/@preset/${slug}`),
    get(`/models/%40preset%2F${slug}`),
    get(`/models/anthropic/@preset/${slug}`),
    get(`/models/@preset/${slug}@1`),
    get(`/models/@preset/${slug}@9`),
    get(`/models/@preset/${slug}:production`),
  ],
  getModel: ({ slug }) => [get(`/model/@preset/${slug}`), get(`/model/@preset/${slug}@1`)],
  listEndpoints: ({ slug }) => [get(`/models/@preset/${slug}/endpoints`)],
});

/** Operations that create presets when allowed to, so they run after the others. */
export const creatingOperations: Readonly<Record<string, RequestsOf>> = byEachName({
  createPresetsResponses: (names) => creates(names, 'responses', { model: 'm' }),
  createPresetsChatCompletions: (names) =>
    creates(names, 'chat/completions', { model: 'm', messages: [{ role: 'system', content: 'x' }] }),
  createPresetsMessages: (names) =>
    creates(names, 'messages', {
      model: 'm',
      max_tokens: 5,
      messages: [{ role: 'user', content: 'x' }],
    }),
  importPresets: ({ slug }) =>
    [slug, `${slug}-imported`].map((each) => ({
      method: 'POST',
      path: '/import',
      body: importLines(each),
      headers: { 'content-type': 'application/x-ndjson' },
    })),
});

/** Operations that call presets. Dry runs only: they show what would be sent. */
export const inferenceOperations: Readonly<Record<string, RequestsOf>> = byEachName({
  sendChatCompletionRequest: (names) => calls(names, 'chat/completions'),
  createMessages: (names) => calls(names, 'messages'),
  createResponses: (names) => calls(names, 'responses'),
  // Relayed calls read references with the same code.
  createCompletion: (names) => relayedCalls(names, 'completions'),
  createEmbeddings: (names) => relayedCalls(names, 'embeddings'),
  createRerank: (names) => relayedCalls(names, 'rerank'),
  createModeration: (names) => relayedCalls(names, 'moderations'),
  createImages: (names) => relayedCalls(names, 'images'),
  createImage: (names) => relayedCalls(names, 'images/generations'),
  createImageEdit: (names) => relayedCalls(names, 'images/edits'),
  createImageVariation: (names) => relayedCalls(names, 'images/variations'),
  createAudioSpeech: (names) => relayedCalls(names, 'audio/speech'),
  createAudioTranscriptions: (names) => relayedCalls(names, 'audio/transcriptions'),
  createAudioTranslations: (names) => relayedCalls(names, 'audio/translations'),
  countMessagesTokens: (names) => relayedCalls(names, 'messages/count_tokens'),
  countResponsesInputTokens: (names) => relayedCalls(names, 'responses/input_tokens'),
  compactResponses: (names) => relayedCalls(names, 'responses/compact'),
  connectResponses: () => [get('/responses')],
  getResponse: ({ slug }) => [get(`/responses/resp_${slug}`)],
  deleteResponse: ({ slug }) => [{ method: 'DELETE', path: `/responses/resp_${slug}` }],
  cancelResponse: ({ slug }) => [{ method: 'POST', path: `/responses/resp_${slug}/cancel` }],
  listInputItems: ({ slug }) => [get(`/responses/resp_${slug}/input_items`)],
});

/** All other operations that need a key. */
export const organizationOperations: Readonly<Record<string, RequestsOf>> = {
  getCurrentKey: () => [get('/key')],
  listProviders: () => [get('/providers')],
  listKeys: ({ workspaceId }) => [
    get(`/keys?workspace_id=${workspaceId}`),
    get(`/keys?workspace_id=${workspaceId.toUpperCase()}&include_disabled=true`),
  ],
  getKey: (names) => ofKey(names, (path) => get(path)),
  updateKey: (names) =>
    [{ name: 'Taken over', disabled: true }, { workspace_id: names.workspaceId }].flatMap((body) =>
      ofKey(names, (path) => ({ method: 'PATCH', path, body })),
    ),
  rotateKey: (names) =>
    ofKey(names, (path) => ({
      method: 'POST',
      path: `${path}/rotate`,
      body: { grace_period_seconds: 0 },
    })),
  deleteKey: (names) => ofKey(names, (path) => ({ method: 'DELETE', path })),
  createKey: ({ workspaceId, memberId, memberEmail }) =>
    [
      { workspace_id: workspaceId },
      { creator_user_id: memberId },
      { creator_user_id: memberEmail },
      { kind: 'management', creator_user_id: memberId },
      { workspace_id: workspaceId, creator_user_id: memberId },
    ].map((body) => ({ method: 'POST', path: '/keys', body: { name: 'A key', ...body } })),
  listWorkspaces: () => [get('/workspaces'), get('/workspaces?offset=1')],
  getWorkspace: (names) => ofWorkspace(names, (path) => get(path)),
  updateWorkspace: (names) =>
    ofWorkspace(names, (path) => ({ method: 'PATCH', path, body: { name: 'Taken over' } })),
  listWorkspaceMembers: (names) => ofWorkspace(names, (path) => get(`${path}/members`)),
  addWorkspaceMembers: (names) => [
    ...ofWorkspace(names, (path) => ({
      method: 'POST',
      path: `${path}/members/add`,
      body: { user_ids: [names.memberId] },
    })),
    { method: 'POST', path: '/workspaces/default/members/add', body: { user_ids: [names.memberId] } },
    { method: 'POST', path: '/workspaces/default/members/add', body: { user_ids: [names.memberEmail] } },
  ],
  updateWorkspaceMember: (names) =>
    ['default', names.workspaceId, names.workspaceSlug].flatMap((workspace) =>
      [names.memberId, encodeURIComponent(names.memberEmail)].map((member) => ({
        method: 'PATCH',
        path: `/workspaces/${workspace}/members/${member}`,
        body: { role: 'viewer' },
      })),
    ),
  removeWorkspaceMembers: (names) => [
    ...ofWorkspace(names, (path) => ({
      method: 'POST',
      path: `${path}/members/remove`,
      body: { user_ids: [names.memberId] },
    })),
    { method: 'POST', path: '/workspaces/default/members/remove', body: { user_ids: [names.memberId] } },
  ],
  deleteWorkspace: (names) => ofWorkspace(names, (path) => ({ method: 'DELETE', path })),
  createWorkspace: ({ workspaceSlug }) => [
    { method: 'POST', path: '/workspaces', body: { name: 'Room', slug: workspaceSlug } },
  ],
  listOrganizationMembers: ({ memberEmail }) => [
    get('/organization/members?offset=1'),
    get(`/organization/members?q=${encodeURIComponent(memberEmail)}`),
    get(`/organization/members?q=${memberEmail.slice(0, 3)}&offset=1`),
    get('/organization/members?offset=9'),
  ],
  getOrganizationMember: (names) => ofMember(names, (path) => get(path)),
  updateOrganizationMember: (names) =>
    ofMember(names, (path) => ({
      method: 'PATCH',
      path,
      body: { role: 'org:admin', first_name: 'Taken over' },
    })),
  removeOrganizationMember: (names) => ofMember(names, (path) => ({ method: 'DELETE', path })),
  listAuditEvents: ({ memberId, memberEmail, auditCursor, workspaceId, workspaceSlug, slug }) => [
    ...[workspaceId, workspaceId.toUpperCase(), workspaceSlug].flatMap((workspace) => [
      get(`/audit?workspace=${workspace}`),
      get(`/audit?workspace=${workspace}&kind=preset&actor=${memberId}`),
      get(`/audit?workspace=${workspace}&preset=${slug}`),
      get(`/audit?workspace=${workspace}&preset=${slug}&cursor=${auditCursor}`),
    ]),
    get(`/audit?preset=${slug}`),
    get(`/audit?actor=${memberId}`),
    get(`/audit?actor=${encodeURIComponent(memberEmail)}`),
    get(`/audit?actor=${memberId}&kind=preset`),
    get(`/audit?cursor=${auditCursor}`),
  ],
  listPeople: ({ memberEmail }) => [
    get('/organization/people?offset=1'),
    get(`/organization/people?q=${encodeURIComponent(memberEmail)}`),
  ],
  getPerson: (names) => ofPerson(names, (path) => get(path)),
  createSignInLink: (names) => ofPerson(names, (path) => ({ method: 'POST', path: `${path}/sign-in-link` })),
  deactivatePerson: (names) => ofPerson(names, (path) => ({ method: 'POST', path: `${path}/deactivate` })),
  reactivatePerson: (names) => ofPerson(names, (path) => ({ method: 'POST', path: `${path}/reactivate` })),
  listPersonSessions: (names) => ofPerson(names, (path) => get(`${path}/sessions`)),
  endPersonSessions: (names) => ofPerson(names, (path) => ({ method: 'DELETE', path: `${path}/sessions` })),
  endPersonSession: (names) =>
    ofPerson(names, (path) => ({ method: 'DELETE', path: `${path}/sessions/${names.sessionId}` })),
  invitePerson: ({ memberEmail, workspaceId }) => [
    {
      method: 'POST',
      path: '/organization/invitations',
      body: { email: 'new@example.com', workspaces: [{ id: workspaceId, role: 'admin' }] },
    },
    { method: 'POST', path: '/organization/invitations', body: { email: memberEmail } },
  ],
  addOrganizationMember: ({ memberEmail }) => [
    { method: 'POST', path: '/organization/members', body: { email: memberEmail } },
  ],
  importOrganizationMembers: ({ memberEmail }) => [
    {
      method: 'POST',
      path: '/organization/members/import',
      body: { members: [{ email: memberEmail }], update_existing: true },
    },
  ],
};

/** Operations on accounts. Keys may call only the first. */
export const accountOperations: Readonly<Record<string, RequestsOf>> = {
  getAccount: () => [get('/account')],
  updateAccount: ({ memberEmail }) => [
    { method: 'PATCH', path: '/account', body: { first_name: 'Taken over' } },
    { method: 'PATCH', path: '/account', body: { email: memberEmail } },
  ],
  setPassword: () => [
    { method: 'PUT', path: '/account/password', body: { password: 'correct horse battery staple' } },
  ],
  listSessions: () => [get('/account/sessions')],
  endSession: ({ sessionId }) => [{ method: 'DELETE', path: `/account/sessions/${sessionId}` }],
  getDeviceRequest: () => [get('/sign-in/device/BCDF-GHJK')],
  decideDeviceRequest: () => [{ method: 'POST', path: '/sign-in/device/BCDF-GHJK', body: { approve: true } }],
  endAllSessions: () => [{ method: 'DELETE', path: '/account/sessions' }],
  signOut: () => [{ method: 'POST', path: '/sign-out' }],
};

/** Operations without authentication, which reveal nothing about anyone. */
export const publicOperations: readonly string[] = [
  'healthz',
  'readyz',
  'getSignInOptions',
  'signInWithPassword',
  'signInWithLink',
  'startDeviceSignIn',
  'pollDeviceSignIn',
];

/**
 * Adds the first and the last request of each operation with the alias in place of the slug. The
 * others differ in conditions, which are checked once the preset is found by either.
 */
function byEachName(operations: Readonly<Record<string, RequestsOf>>): Readonly<Record<string, RequestsOf>> {
  return Object.fromEntries(
    Object.entries(operations).map(([id, requestsOf]) => {
      const requests: RequestsOf = (names) => {
        const byAlias = requestsOf({ ...names, slug: names.alias });
        return [...requestsOf(names), ...byAlias.slice(0, 1), ...byAlias.slice(1).slice(-1)];
      };
      return [id, requests];
    }),
  );
}

function get(path: string, headers: Readonly<Record<string, string>> = {}): NamedRequest {
  return { method: 'GET', path, headers };
}

/** No condition, a matching one, and wildcards of both kinds. */
function conditions(etag: string): readonly Readonly<Record<string, string>>[] {
  return [{}, { 'if-match': etag }, { 'if-match': '*' }, { 'if-none-match': '*' }];
}

/** A create with every kind of condition, ending with an unconditional one. */
function creates(
  { slug, etag, idempotencyKey }: Names,
  dialect: string,
  body: unknown,
): readonly NamedRequest[] {
  const create = { method: 'POST', path: `/presets/${slug}/${dialect}`, body };
  return [
    { ...create, path: `${create.path}?dry_run=true` },
    { ...create, headers: { 'if-match': etag } },
    { ...create, headers: { 'if-match': '*' } },
    { ...create, headers: { 'if-none-match': '*' } },
    { ...create, headers: { 'idempotency-key': idempotencyKey } },
    create,
  ];
}

/** Every way in which a call can refer to a preset. */
function calls({ slug }: Names, path: string): readonly NamedRequest[] {
  return [
    { model: `@preset/${slug}` },
    { model: `vendor/model@preset/${slug}` },
    { preset: slug },
    { preset: `${slug}@1` },
    { preset: `${slug}@9` },
    { preset: `${slug}:production` },
    { preset: `${slug}:latest` },
  ].map((body) => call(path, body));
}

function relayedCalls({ slug }: Names, path: string): readonly NamedRequest[] {
  return [{ model: `@preset/${slug}` }, { preset: `${slug}@1` }].map((body) => call(path, body));
}

function call(path: string, body: object): NamedRequest {
  return { method: 'POST', path: `/${path}`, body, headers: { 'x-presetd-dry-run': 'true' } };
}

/** A minimal export file with one preset and one version. */
export function importLines(slug: string): string {
  const at = '2026-01-01T00:00:00.000Z';
  const preset = {
    type: 'preset',
    slug,
    name: 'Imported',
    description: null,
    status: 'active',
    status_updated_at: null,
    created_at: at,
    updated_at: at,
    versions: 1,
    designated_version: 1,
    labels: {},
  };
  const version = {
    type: 'version',
    slug,
    version: 1,
    dialect: 'responses',
    system_prompt: null,
    created_at: at,
    config: { model: 'imported' },
  };
  return [preset, version].map((line) => JSON.stringify(line)).join('\n');
}

/** A request for each way to refer to a key. */
function ofKey(
  { keyId, keyLabel, secretHash, retiredSecretHash }: Names,
  request: (path: string) => NamedRequest,
): readonly NamedRequest[] {
  return [keyId, encodeURIComponent(keyLabel), secretHash, retiredSecretHash].map((reference) =>
    request(`/keys/${reference}`),
  );
}

/** A request for each way to refer to a workspace. */
function ofWorkspace(
  { workspaceId, workspaceSlug }: Names,
  request: (path: string) => NamedRequest,
): readonly NamedRequest[] {
  return [workspaceId, workspaceSlug].map((reference) => request(`/workspaces/${reference}`));
}

/** A request for each way to refer to the account of a member. */
function ofPerson(names: Names, request: (path: string) => NamedRequest): readonly NamedRequest[] {
  return ofMember(names, (path) => request(path.replace('/members/', '/people/')));
}

/** A request for each way to refer to a member. */
function ofMember(
  { memberId, memberEmail }: Names,
  request: (path: string) => NamedRequest,
): readonly NamedRequest[] {
  return [memberId, encodeURIComponent(memberEmail)].map((reference) =>
    request(`/organization/members/${reference}`),
  );
}
