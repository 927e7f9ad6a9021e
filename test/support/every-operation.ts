import { contract } from '../../src/api/contract.ts';
import { healthOperations } from '../../src/api/health.ts';
import { hasHeader, type Operation } from '../../src/api/operation.ts';
import {
  dryRun,
  importLines,
  isModelCall,
  memberReferences,
  type NamedRequest,
  type Names,
  pathsOf,
  requestWith,
  type Sample,
  samplesOf,
} from './sample-requests.ts';

/** The requests of one operation that refer to these names. */
export type RequestsOf = (names: Names) => readonly NamedRequest[];

const isAccount = ({ tag }: Operation) => tag === 'Account';
const isAboutWorkspace = ({ access }: Operation) => ['call', 'read', 'write', 'release'].includes(access);
const creates = ({ tag, body }: Operation, route: string) =>
  tag === 'Presets' && route.startsWith('POST') && body !== undefined;

/** What isolation tests send in addition to what is derived. */
const variants: Readonly<Record<string, (names: Names) => readonly Sample[]>> = {
  listPresets: ({ slug }) =>
    ['status=all', `q=${slug}`, 'q=confidential&status=all', 'tag=confidential']
      .concat(`q=${slug}&tag=confidential&status=all`)
      .map((query) => ({ query })),
  getPreset: ({ slug }) => [{ path: `/presets/${slug}/` }, { method: 'HEAD' }],
  getPresetCase: () => [{ query: 'at=4' }],
  diffPresetVersions: () => ['against=latest', 'against=production'].map((query) => ({ query })),
  savePresetCase: () => [{ body: { name: 'Taken over', note: 'Taken over' } }],
  importPresets: ({ slug }) => [{ body: importLines(slug) }],
  getModels: () => [{ headers: { 'anthropic-version': '2023-06-01' } }],
  listKeys: ({ workspaceId }) => [
    { query: `workspace_id=${workspaceId.toUpperCase()}&include_disabled=true` },
  ],
  createKey: ({ workspaceId, memberEmail }) =>
    [{ workspace_id: workspaceId }, { creator_user_id: memberEmail }].map((body) => ({
      body: { name: 'A key', ...body },
    })),
  addWorkspaceMembers: ({ memberId, memberEmail }) =>
    [memberId, memberEmail].map((id) => ({
      path: '/workspaces/default/members/add',
      body: { user_ids: [id] },
    })),
  updateWorkspaceMember: (names) =>
    memberReferences(names).map((member) => ({ path: `/workspaces/default/members/${member}` })),
  removeWorkspaceMembers: () => [{ path: '/workspaces/default/members/remove' }],
  listOrganizationMembers: ({ memberEmail }) => [
    { query: `q=${encodeURIComponent(memberEmail)}` },
    { query: `q=${memberEmail.slice(0, 3)}&offset=1` },
  ],
  updateOrganizationMember: () => [{ body: { role: 'org:admin', first_name: 'Taken over' } }],
  listAuditEvents: ({ memberId, memberEmail, auditCursor, workspaceId, workspaceSlug, slug }) =>
    [workspaceId.toUpperCase(), workspaceId, workspaceSlug]
      .flatMap((workspace) => [
        `workspace=${workspace}`,
        `workspace=${workspace}&kind=preset&actor=${memberId}`,
        `workspace=${workspace}&preset=${slug}`,
        `workspace=${workspace}&preset=${slug}&cursor=${auditCursor}`,
      ])
      .concat(`preset=${slug}`, `actor=${memberId}`, `actor=${encodeURIComponent(memberEmail)}`)
      .concat(`actor=${memberId}&kind=preset`, `cursor=${auditCursor}`)
      .map((query) => ({ query })),
  listPeople: ({ memberEmail }) => [{ query: `q=${encodeURIComponent(memberEmail)}` }],
  invitePerson: ({ workspaceId }) => [
    { body: { email: 'new@example.com', workspaces: [{ id: workspaceId, role: 'admin' }] } },
  ],
  importOrganizationMembers: ({ memberEmail }) => [
    { body: { members: [{ email: memberEmail }], update_existing: true } },
  ],
  updateAccount: ({ memberEmail }) => [{ body: { email: memberEmail } }],
};

/** Operations that read and change existing presets. All of them accept a workspace_id. */
export const presetOperations = requestsOfEach(
  (operation, route) => isAboutWorkspace(operation) && !creates(operation, route),
);

/** Operations that create presets when allowed to, so they run after the others. */
export const creatingOperations = requestsOfEach(creates);

/** Operations that call presets. Dry runs only: they show what would be sent. */
export const inferenceOperations = requestsOfEach(isModelCall);

/** Operations on accounts. Keys may call only the first. */
export const accountOperations = requestsOfEach(isAccount);

/** All other operations that need a key. Those that create something are last. */
export const organizationOperations = requestsOfEach(
  (operation) => !isModelCall(operation) && !isAccount(operation) && !isAboutWorkspace(operation),
);

/** Operations without authentication, which reveal nothing about anyone. */
export const publicOperations: readonly string[] = Object.values<Operation>({
  ...contract,
  ...healthOperations,
}).flatMap(({ id, access }) => (access === 'public' ? [id] : []));

function requestsOfEach(
  isIncluded: (operation: Operation, route: string) => boolean,
): Readonly<Record<string, RequestsOf>> {
  const included = Object.entries<Operation>(contract)
    .filter(([route, operation]) => operation.access !== 'public' && isIncluded(operation, route))
    .toSorted(([one], [other]) => Number(isCreation(one)) - Number(isCreation(other)));
  return Object.fromEntries(
    included.map(([route, operation]) => [operation.id, (names) => requestsOf(route, operation, names)]),
  );
}

function isCreation(route: string): boolean {
  return route.startsWith('POST') && !route.includes(':');
}

/**
 * The samples of an operation, and the first of them with each condition, query parameter and
 * form of its path.
 */
function requestsOf(route: string, operation: Operation, names: Names): readonly NamedRequest[] {
  if (isModelCall(operation) && operation.body !== undefined)
    return presetReferences(names).map((body) =>
      requestWith({ body, headers: dryRun }, route, operation, names),
    );
  const own = samplesOf(operation, names);
  const more: readonly Sample[] = [
    ...conditionsOf(operation, names).map((headers) => ({ headers })),
    ...queriesOf(operation).map((query) => ({ query })),
    ...pathsOf(route, names).map((path) => ({ path })),
  ];
  return [
    ...own.slice(0, 1),
    ...more.map((each) => ({ ...own[0], ...each })),
    ...own.slice(1),
    ...(variants[operation.id]?.(names) ?? []),
  ].map((sample) => requestWith(sample, route, operation, names));
}

/** Every way in which a call can refer to a preset. */
function presetReferences({ slug, alias }: Names): readonly object[] {
  return [
    { model: `@preset/${slug}` },
    { model: `vendor/model@preset/${slug}` },
    { preset: slug },
    { preset: `${slug}@1` },
    { preset: `${slug}@9` },
    { preset: `${slug}:production` },
    { preset: `${slug}:latest` },
    { model: `@preset/${alias}` },
    { preset: `${alias}:latest` },
  ];
}

/** Matching ones and wildcards of every kind of condition. */
function conditionsOf(
  operation: Operation,
  { etag, idempotencyKey }: Names,
): readonly Readonly<Record<string, string>>[] {
  const conditions: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
    'if-match': [{ 'if-match': etag }, { 'if-match': '*' }, { 'if-none-match': '*' }],
    'if-none-match': [{ 'if-none-match': etag }, { 'if-none-match': '*' }],
    'idempotency-key': [{ 'idempotency-key': idempotencyKey }],
  };
  return Object.entries(conditions).flatMap(([name, headers]) => (hasHeader(operation, name) ? headers : []));
}

/** With each flag set and each number small and large. `variants` has the texts. */
function queriesOf({ query }: Operation): readonly string[] {
  const parameters = Object.entries<{ readonly type?: string }>(query?.properties ?? {});
  return parameters.flatMap(([name, { type }]) => {
    if (type === 'boolean') return [`${name}=true`];
    return type === 'integer' && name !== 'limit' ? [`${name}=1`, `${name}=9`] : [];
  });
}
