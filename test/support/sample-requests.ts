import type { Access } from '../../src/api/access.ts';
import { contract } from '../../src/api/contract.ts';
import { isOptionalBody, type Operation, splitRoute } from '../../src/api/operation.ts';
import { newId, newUserId } from '../../src/core/identifiers.ts';
import { hashSecret, newSecret } from '../../src/core/organization/api-key.ts';
import { minimalValue } from './minimal-value.ts';

/**
 * Requests of every operation, derived from the contract.
 *
 * The method, the path, a minimal body and the access that a request needs follow from the
 * operation. `references` has the values of path parameters, and `samples` the requests of
 * operations for which one with a minimal body is not enough.
 */

/** Well-formed names of things that do not exist. */
export function unknownNames() {
  const [keyId, memberId] = [newId(), newUserId()];
  return {
    slug: 'unknown',
    alias: 'unknown-alias',
    /** The preset's ETag and the idempotency key of its create. Others may learn both. */
    etag: '"x"',
    idempotencyKey: 'unknown',
    workspaceId: newId(),
    /** Also the slug of a workspace to create. */
    workspaceSlug: 'unknown',
    /** A key of the caller, and one of the member. */
    keyId,
    otherKeyId: keyId,
    keyLabel: 'unknown',
    secretHash: hashSecret(newSecret()),
    retiredSecretHash: hashSecret(newSecret()),
    callerId: memberId,
    memberId,
    /** Also the address of a member to add. */
    memberEmail: 'nobody@example.com',
    generationId: `gen-${newId().replaceAll('-', '')}`,
    auditCursor: `2026-01-01T00:00:00.000Z_${newId()}`,
    sessionId: newId(),
    /** Of a command line that signs in. */
    userCode: 'BCDF-GHJK',
  };
}

/**
 * Everything that a request can refer to. Isolation tests send requests with another tenant's
 * names, in which the caller and the member are the same.
 */
export type Names = Readonly<ReturnType<typeof unknownNames>>;

/** A request to send with some key. */
export interface NamedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request of an operation with the access that it needs. */
export interface SampleRow {
  readonly route: string;
  readonly operation: Operation;
  readonly access: Access;
  /** The status if it is allowed; `any` if it depends on more, such as the upstream. */
  readonly done: number | 'any';
  readonly request: (names: Names) => NamedRequest;
}

/** What a sample has in place of the derived request. */
export interface Sample extends Partial<NamedRequest> {
  /** Appended to the path. */
  readonly query?: string;
  /** One of `accessFor`, unless it is the `access` of the operation. */
  readonly access?: Access;
  /** The status of the documented response unless given. */
  readonly done?: SampleRow['done'];
}

export const dryRun = { 'x-presetd-dry-run': 'true' };

const draft = { presetd: { draft: { dialect: 'responses', request: { model: 'vendor/model' } } } };

/** The values of a path parameter, by the segment before it. Most tests use the first. */
const references: Readonly<Record<string, (names: Names) => readonly string[]>> = {
  'presets/:slug': ({ slug, alias }) => [slug, alias],
  'versions/:version': () => ['2', '1', '9'],
  'labels/:label': () => ['production'],
  'aliases/:alias': ({ alias }) => [alias],
  'cases/:name': () => ['confidential', 'absent'],
  'keys/:hash': (names) => [
    names.keyId,
    encodeURIComponent(names.keyLabel),
    names.secretHash,
    names.retiredSecretHash,
  ],
  'workspaces/:id': ({ workspaceId, workspaceSlug }) => [workspaceId, workspaceSlug],
  'members/:id': memberReferences,
  'members/:user_id': memberReferences,
  'people/:id': memberReferences,
  'sessions/:session_id': ({ sessionId }) => [sessionId],
  'device/:user_code': ({ userCode }) => [userCode],
  'responses/:response_id': ({ slug }) => [`resp_${slug}`],
  'models/:id': ({ slug, alias }) => [
    ...[`@preset/${slug}`, `%40preset%2F${slug}`, `anthropic/@preset/${slug}`, `@preset/${slug}@1`],
    ...[`@preset/${slug}@9`, `@preset/${slug}:production`, `@preset/${alias}`],
  ],
  'models/:author': () => ['@preset'],
  'model/:author': () => ['@preset'],
  ':author/:slug': ({ slug, alias }) => [slug, `${slug}@1`, alias],
};

export function memberReferences({ memberId, memberEmail }: Names): readonly string[] {
  return [memberId, encodeURIComponent(memberEmail)];
}

/** The requests of an operation for which the derived one is not enough. */
const samples: Readonly<Record<string, (names: Names) => readonly Sample[]>> = {
  addPresetAlias: ({ slug }) => [{}, { path: `/presets/${slug}/aliases/${slug}-other` }],
  getPresetDraft: () => [{ done: 404 }],
  getGeneration: ({ generationId }) => [{ query: `id=${generationId}`, done: 404 }],
  listGenerationContent: ({ generationId }) => [{ query: `id=${generationId}`, done: 404 }],
  submitGenerationFeedback: ({ generationId }) => [
    { body: { generation_id: generationId, category: 'other', comment: 'Taken over' }, done: 404 },
  ],
  updateContentLog: () => [{ body: { enabled: true, retention_days: 7 } }],
  repriceUsage: () => [{ body: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' } }],
  queryAnalytics: () => [{ body: { metrics: ['request_count'] } }],
  discardPresetDraft: () => [{ done: 404 }],
  updatePreset: ({ slug }) => [
    { body: { name: 'New', tags: ['new'] } },
    { access: 'release', body: { designated_version: 1 } },
    { access: 'release', body: { status: 'active' } },
    { access: 'release', body: { slug: `${slug}-new` } },
  ],
  importPresets: ({ slug }) => [{ body: importLines(`${slug}-in`) }],
  createPresetsResponses: (names) => captures(names, 'responses', { model: 'vendor/model' }),
  createPresetsChatCompletions: (names) =>
    captures(names, 'chat/completions', {
      model: 'vendor/model',
      messages: [{ role: 'system', content: 'x' }],
    }),
  createPresetsMessages: (names) =>
    captures(names, 'messages', {
      model: 'vendor/model',
      max_tokens: 5,
      messages: [{ role: 'user', content: 'x' }],
    }),
  listKeys: ({ workspaceId }) => [{}, { query: `workspace_id=${workspaceId}` }],
  getKey: ({ otherKeyId }) => [{}, { access: 'workspace-admin', path: `/keys/${otherKeyId}` }],
  createKey: ({ callerId, memberId, workspaceId }) => [
    { body: { name: 'Mine', kind: 'management' } },
    { body: { name: 'Mine', kind: 'management', creator_user_id: callerId } },
    {
      access: 'org-admin-write',
      body: { name: 'Theirs', creator_user_id: memberId, workspace_id: workspaceId, scope: 'call' },
    },
    {
      access: 'org-admin-write',
      body: { name: 'Theirs', creator_user_id: memberId, kind: 'management' },
    },
  ],
  updateKey: ({ otherKeyId, workspaceId }) => [
    { body: { disabled: true } },
    { body: { name: 'New', disabled: true } },
    { access: 'workspace-admin-write', path: `/keys/${otherKeyId}`, body: { disabled: true } },
    ...[
      { disabled: false },
      { expires_at: null },
      { name: 'x', disabled: true },
      { workspace_id: workspaceId },
    ].map((body) => ({ access: 'org-admin-write', path: `/keys/${otherKeyId}`, body }) as const),
  ],
  rotateKey: ({ otherKeyId }) => [
    {},
    {
      access: 'org-admin-write',
      path: `/keys/${otherKeyId}/rotate`,
      body: { grace_period_seconds: 0 },
    },
  ],
  deleteKey: ({ otherKeyId }) => [{}, { access: 'workspace-admin-write', path: `/keys/${otherKeyId}` }],
  deleteWorkspace: () => [{ path: '/workspaces/default', done: 400 }],
  listWorkspaceMembers: () => [{ path: '/workspaces/default/members' }, { access: 'workspace-member' }],
  // Nobody gives themselves a role.
  addWorkspaceMembers: ({ callerId }) => [{}, { body: { user_ids: [callerId] } }],
  updateWorkspaceMember: ({ workspaceId, callerId }) => [
    {},
    { path: `/workspaces/${workspaceId}/members/${callerId}`, body: { role: 'admin' } },
  ],
  updateOrganizationMember: ({ callerId, memberEmail }) => [
    {},
    { body: { email: memberEmail } },
    { path: `/organization/members/${callerId}`, body: { role: 'org:admin' } },
  ],
  endPersonSession: () => [{ done: 404 }],
  // The second time, it needs the current password.
  setPassword: () => [{ body: { password: 'correct horse battery staple' }, done: 'any' }],
  endSession: () => [{ done: 404 }],
  getDeviceRequest: () => [{ done: 404 }],
  decideDeviceRequest: () => [{ done: 404 }],
  listAuditEvents: ({ workspaceId }) => [
    { query: 'workspace=default' },
    { access: 'workspace-member', query: `workspace=${workspaceId}` },
    { access: 'org-admin' },
  ],
};

/** Requests of every operation that needs a key or a session, in the order of the contract. */
export const sampleRows: readonly SampleRow[] = Object.entries<Operation>(contract)
  .filter(([, { access }]) => access !== 'public')
  .flatMap(([route, operation]) =>
    samplesOf(operation, unknownNames()).map(({ access, done }, index) => ({
      route,
      operation,
      access: access ?? operation.access,
      done: done ?? operation.response.status ?? 200,
      request: (names) => requestWith(samplesOf(operation, names)[index] ?? {}, route, operation, names),
    })),
  );

export function requestWith(sample: Sample, route: string, operation: Operation, names: Names): NamedRequest {
  const { body = bodyOf(operation, names), query, headers } = sample;
  const path = sample.path ?? pathsOf(route, names)[0] ?? '';
  const [type] = operation.bodyTypes ?? [];
  return {
    method: sample.method ?? splitRoute(route).method,
    path: query === undefined ? path : `${path}?${query}`,
    ...(body !== undefined && { body }),
    headers: { ...(type !== undefined && typeof body === 'string' && { 'content-type': type }), ...headers },
  };
}

/** With the values of all parameters, the first of each first. */
export function pathsOf(route: string, names: Names): readonly string[] {
  const segments = splitRoute(route).path.slice(1).split('/');
  return segments.reduce<readonly string[]>(
    (paths, segment, index) => {
      const values = segment.startsWith(':')
        ? valuesOf(`${segments[index - 1]}/${segment}`, names)
        : [segment];
      return paths.flatMap((path) => values.map((value) => `${path}/${value}`));
    },
    [''],
  );
}

function valuesOf(parameter: string, names: Names): readonly string[] {
  const valuesFor = references[parameter];
  if (valuesFor !== undefined) return valuesFor(names);
  throw new Error(
    `Add ${parameter} to references in test/support/sample-requests.ts, with an existing name.`,
  );
}

function bodyOf({ body }: Operation, names: Names): unknown {
  if (body === undefined || isOptionalBody(body)) return undefined;
  return minimalValue(body, {
    slug: names.workspaceSlug,
    email: names.memberEmail,
    user_ids: [names.memberId],
  });
}

export function isModelCall({ access }: Operation): boolean {
  return access === 'model-call';
}

export function samplesOf(operation: Operation, names: Names): readonly Sample[] {
  return samples[operation.id]?.(names) ?? (isModelCall(operation) ? modelCallsOf(operation, names) : [{}]);
}

function modelCallsOf(
  { body, bodyTypes = [], accessFor = {}, response }: Operation,
  names: Names,
): readonly Sample[] {
  const { slug, alias } = names;
  if (body === undefined) return [{ done: response.status === 101 ? 426 : 404 }];
  if ('draft-run' in accessFor)
    return [
      { body: { preset: slug } },
      { body: { model: 'vendor/model' } },
      { access: 'dry-run', body: { preset: slug }, headers: dryRun },
      { access: 'dry-run', body: { model: `@preset/${alias}@1` }, headers: dryRun },
      { access: 'draft-run', body: { preset: slug, ...draft } },
      { access: 'draft-run', body: { preset: 'planned', ...draft }, headers: dryRun },
    ];
  const model = `@preset/${slug}`;
  const form = `--x\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n--x--\r\n`;
  const formType = { 'content-type': 'multipart/form-data; boundary=x' };
  const forms: readonly Sample[] = [{ body: form, headers: formType, done: 'any' }];
  return [
    { body: { model }, done: 'any' },
    { access: 'dry-run', body: { model }, headers: dryRun, done: 'any' },
    ...(bodyTypes.includes('multipart/form-data') ? forms : []),
  ];
}

/** A version that does not go live, one that does, and one that is the first. */
function captures({ slug, alias, idempotencyKey }: Names, dialect: string, body: object): readonly Sample[] {
  const hidden = { ...body, presetd: { designate: false } };
  return [
    { body: hidden },
    { access: 'release', body },
    { access: 'release', body, headers: { 'idempotency-key': idempotencyKey } },
    { access: 'release', body, path: `/presets/${alias}/${dialect}`, headers: { 'if-match': '*' } },
    { body, path: `/presets/${slug}-first-${dialect.replace('/', '-')}/${dialect}` },
    { body: hidden, query: 'dry_run=true' },
    { access: 'release', body, query: 'dry_run=true' },
  ];
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
