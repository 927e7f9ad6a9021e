import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { anyEngine } from '../support/engines.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { makeSession, ofSession } from '../support/sessions.ts';
import { type Call, type DocumentedCalls, documentedCalls, type Expected } from './documented-calls.ts';
import { bodyBytesMax, type DocumentedServer, startDocumentedServer } from './documented-server.ts';
import { operationsOf } from './openapi-document.ts';

const large = JSON.stringify({ name: 'x'.repeat(bodyBytesMax) });
const malformedPath = '%ZZ';
/** The label of both keys that a test server starts with. */
const sharedLabel = encodeURIComponent('te…89');

interface Case {
  readonly call: Call;
  readonly responses: readonly Expected[];
  /** Bodies that violate the documented schema and that the server rejects. */
  readonly invalidBodies?: readonly unknown[];
}

describe('the organization endpoints of the OpenAPI document', () => {
  let documented: DocumentedServer;
  let calls: DocumentedCalls;
  /** A management key of an `org:member` who is an editor of the default workspace. */
  let memberKey: string;
  let memberId: string;
  let otherId: string;
  let teamId: string;
  let keyHash: string;

  async function create(path: string, body: unknown) {
    const response = await calls.send({ method: 'POST', path, body });
    expect([response.status, response.text]).toEqual([201, expect.any(String)]);
    return response.body;
  }

  const newKeyHash = async (body: object = {}) => (await create('/keys', { name: 'k', ...body })).data.hash;
  const newMemberId = async (email: string) => (await create('/organization/members', { email })).data.id;

  beforeAll(async () => {
    documented = await startDocumentedServer(anyEngine);
    calls = documentedCalls(documented, managementKey);
    memberId = await newMemberId('member@example.com');
    otherId = await newMemberId('other@example.com');
    const path = `/workspaces/default/members/${memberId}`;
    await calls.send({ method: 'PATCH', path, body: { role: 'editor' } });
    const key = await create('/keys', { name: 'k', kind: 'management', creator_user_id: memberId });
    memberKey = key.key;
    teamId = (await create('/workspaces', { name: 'Team', slug: 'team' })).data.id;
    keyHash = await newKeyHash();
    await calls.send({ method: 'POST', path: '/presets/greeting/responses', body: { model: 'm' } });
  });
  afterAll(() => documented.stop());

  /** Errors that every read can return. */
  const rejected = (): readonly Expected[] => [
    [401, { key: null }],
    [401, { key: documented.keys.disabled }],
    [401, { key: apiKey }],
    [403, { key: documented.keys.ownerHasLeft }],
    [404, { key: documented.keys.personal }],
  ];
  const rejectedWrite = (): readonly Expected[] => [
    ...rejected(),
    [400, { body: '{' }],
    [403, { key: documented.keys.readOnly }],
    [413, { body: large }],
    [415, { body: 'x', headers: { 'content-type': 'text/plain' } }],
  ];
  const rejectedForMembers = (): readonly Expected[] => [...rejectedWrite(), [403, { key: memberKey }]];

  /** One case per operation, by operation id. */
  const cases: Readonly<Record<string, () => Case | Promise<Case>>> = {
    getCurrentKey: async () => ({
      call: { path: '/key' },
      responses: [
        [200, {}],
        [200, { key: apiKey }],
        [200, { key: memberKey }],
        [200, { key: documented.keys.personal }],
        [200, { key: documented.keys.readOnly }],
        [404, { key: null, headers: ofSession(await makeSession(documented.server, memberId)) }],
        ...rejected().filter(([, { key }]) => key !== apiKey && key !== documented.keys.personal),
      ],
    }),

    listKeys: () => ({
      call: { path: '/keys' },
      responses: [
        [200, {}],
        [200, { path: '/keys/' }],
        [200, { path: '/keys?include_disabled=true&offset=0' }],
        [200, { path: `/keys?workspace_id=${teamId}` }],
        [200, { path: '/keys?offset=1000' }],
        [200, { key: memberKey }],
        [200, { key: documented.keys.readOnly }],
        [400, { path: '/keys?offset=-1' }],
        [400, { path: '/keys?include_disabled=maybe' }],
        [400, { path: '/keys?workspace_id=team' }],
        [404, { path: `/keys?workspace_id=${newId()}` }],
        ...rejected(),
      ],
    }),

    createKey: () => ({
      call: { method: 'POST', path: '/keys', body: { name: 'k' } },
      responses: [
        [201, {}],
        [201, { path: '/keys/' }],
        [201, { key: memberKey }],
        [201, { body: { name: 'k', kind: 'management', read_only: true } }],
        [201, { body: { name: 'k', kind: 'read_only' } }],
        [201, { body: { name: 'k', scope: 'call', presets: ['greeting'] } }],
        [
          201,
          {
            body: {
              name: 'k',
              kind: 'api',
              read_only: false,
              expires_at: '2999-01-01T00:00:00+01:00',
              creator_user_id: null,
              workspace_id: teamId,
              limit: null,
              limit_reset: null,
              include_byok_in_limit: false,
              external: null,
            },
          },
        ],
        [201, { body: { name: 'k', limit: 12.34, limit_reset: 'weekly' } }],
        [400, { body: { name: 'k', limit: 0.1 + 0.2 } }],
        [400, { body: { name: 'a\nb' } }],
        [400, { body: { name: 'k', expires_at: '2026-01-01T00:00:00Z' } }],
        [400, { body: { name: 'k', kind: 'management', workspace_id: teamId } }],
        [400, { body: { name: 'k', read_only: true } }],
        [400, { body: { name: 'k', kind: 'management', scope: 'call' } }],
        [400, { body: { name: 'k', presets: ['Not a slug'] } }],
        [400, { body: { name: 'k', presets: ['unknown'] } }],
        [400, { body: { name: 'k', creator_user_id: 'user_unknown' } }],
        [400, { body: { name: 'k', creator_user_id: memberId, workspace_id: teamId } }],
        [403, { key: memberKey, body: { name: 'k', creator_user_id: otherId } }],
        [404, { body: { name: 'k', workspace_id: newId() } }],
        ...rejectedWrite(),
      ],
      invalidBodies: [
        {},
        { name: '' },
        { name: 'x'.repeat(201) },
        { name: 'k', more: 1 },
        { name: 'k', kind: 'other' },
        { name: 'k', scope: 'admin' },
        { name: 'k', presets: [] },
        { name: 'k', expires_at: 'tomorrow' },
        { name: 'k', workspace_id: 'team' },
        { name: 'k', creator_user_id: '' },
        { name: 'k', limit: -1 },
        { name: 'k', limit: 9_000_001 },
        { name: 'k', limit_reset: 'yearly' },
        { name: 'k', include_byok_in_limit: true },
        { name: 'k', external: { user: 'u' } },
        null,
        [],
      ],
    }),

    getKey: () => ({
      call: { path: `/keys/${keyHash}` },
      responses: [
        [200, {}],
        [400, { path: `/keys/${malformedPath}` }],
        [404, { key: memberKey }],
        [404, { path: `/keys/${newId()}` }],
        [404, { path: '/keys/%00' }],
        [409, { path: `/keys/${sharedLabel}` }],
        ...rejected(),
      ],
    }),

    updateKey: async () => ({
      call: { method: 'PATCH', path: `/keys/${await newKeyHash()}`, body: { name: 'renamed' } },
      responses: [
        [200, {}],
        [200, { body: { disabled: true, expires_at: '2999-01-01T00:00:00Z' } }],
        [200, { body: { disabled: false, expires_at: null } }],
        [200, { body: { limit: 50, limit_reset: 'monthly' } }],
        [200, { body: { limit: null, limit_reset: null, include_byok_in_limit: false } }],
        [400, { body: { name: 'a\nb' } }],
        [400, { body: { expires_at: '2026-01-01T00:00:00Z' } }],
        [400, { path: `/keys/${malformedPath}` }],
        [404, { key: memberKey }],
        [404, { path: `/keys/${newId()}` }],
        [409, { path: `/keys/${sharedLabel}` }],
        ...rejectedWrite(),
      ],
      invalidBodies: [
        {},
        { name: '' },
        { disabled: 'yes' },
        { expires_at: 1 },
        { limit: '1' },
        { kind: 'api' },
      ],
    }),

    deleteKey: async () => ({
      call: { method: 'DELETE', path: `/keys/${await newKeyHash()}` },
      responses: [
        [404, { key: memberKey }],
        [200, {}],
        [404, {}],
        [400, { path: `/keys/${malformedPath}` }],
        [409, { path: `/keys/${sharedLabel}` }],
        ...rejectedWrite(),
      ],
    }),

    rotateKey: async () => ({
      call: { method: 'POST', path: `/keys/${await newKeyHash()}/rotate` },
      responses: [
        [200, {}],
        [200, { body: {} }],
        [200, { body: null }],
        [200, { body: { grace_period_seconds: 0 } }],
        [200, { body: { grace_period_seconds: 2_592_000 } }],
        [400, { path: `/keys/${malformedPath}/rotate` }],
        [404, { key: memberKey }],
        [404, { path: `/keys/${newId()}/rotate` }],
        [409, { path: `/keys/${sharedLabel}/rotate` }],
        ...rejectedWrite(),
      ],
      invalidBodies: [
        { grace_period_seconds: -1 },
        { grace_period_seconds: 2_592_001 },
        { grace_period_seconds: 0.5 },
        { more: 1 },
        [],
      ],
    }),

    listWorkspaces: () => ({
      call: { path: '/workspaces' },
      responses: [
        [200, {}],
        [200, { path: '/workspaces?offset=100&limit=1' }],
        [200, { key: memberKey }],
        [400, { path: '/workspaces?limit=101' }],
        ...rejected(),
      ],
    }),

    createWorkspace: () => ({
      call: { method: 'POST', path: '/workspaces', body: { name: 'A', slug: 'made' } },
      responses: [
        [201, {}],
        [400, {}],
        [
          201,
          {
            body: {
              name: 'B',
              slug: 'made-2',
              description: null,
              default_text_model: null,
              default_image_model: null,
              default_provider_sort: null,
              io_logging_api_key_ids: null,
              io_logging_sampling_rate: 1,
              is_observability_io_logging_enabled: false,
              is_observability_broadcast_enabled: false,
              is_data_discount_logging_enabled: false,
              disabled_server_tools: [],
            },
          },
        ],
        [400, { body: { name: 'A', slug: newId() } }],
        [400, { body: { name: 'a\nb', slug: 'made-3' } }],
        ...rejectedForMembers(),
      ],
      invalidBodies: [
        {},
        { name: 'A' },
        { name: '', slug: 'a' },
        { name: 'x'.repeat(101), slug: 'a' },
        { name: 'A', slug: 'Two Words' },
        { name: 'A', slug: 'x'.repeat(51) },
        { name: 'A', slug: 'a', description: 'x'.repeat(501) },
        { name: 'A', slug: 'a', default_text_model: 'm' },
        { name: 'A', slug: 'a', default_provider_sort: 'price' },
        { name: 'A', slug: 'a', io_logging_api_key_ids: [1] },
        { name: 'A', slug: 'a', io_logging_sampling_rate: 0 },
        { name: 'A', slug: 'a', is_observability_io_logging_enabled: 'yes' },
        { name: 'A', slug: 'a', disabled_server_tools: ['openrouter:bash'] },
        { name: 'A', slug: 'a', more: 1 },
      ],
    }),

    getWorkspace: () => ({
      call: { path: '/workspaces/team' },
      responses: [
        [200, {}],
        [200, { path: `/workspaces/${teamId}` }],
        [200, { path: '/workspaces/default' }],
        [400, { path: `/workspaces/${malformedPath}` }],
        [404, { path: '/workspaces/none' }],
        ...rejected(),
      ],
    }),

    updateWorkspace: async () => {
      await create('/workspaces', { name: 'A', slug: 'to-change' });
      return {
        call: { method: 'PATCH', path: '/workspaces/to-change', body: { name: 'Changed' } },
        responses: [
          [200, {}],
          [200, { body: { description: 'x', slug: 'to-change' } }],
          [200, { body: { description: null, io_logging_sampling_rate: 1, disabled_server_tools: null } }],
          [400, { body: { slug: 'team' } }],
          [400, { path: `/workspaces/${malformedPath}` }],
          [404, { path: `/workspaces/${newId()}` }],
          ...rejectedForMembers(),
        ],
        invalidBodies: [{}, { name: '' }, { slug: 'A' }, { default_image_model: 'm' }, { is_default: true }],
      };
    },

    getContentLog: () => ({
      call: { path: '/workspaces/team/content-log' },
      responses: [
        [200, {}],
        [400, { path: `/workspaces/${malformedPath}/content-log` }],
        [404, { path: '/workspaces/none/content-log' }],
        ...rejected(),
      ],
    }),

    updateContentLog: () => ({
      call: {
        method: 'PATCH',
        path: '/workspaces/team/content-log',
        body: {
          enabled: false,
          sampling_rate: 0.1,
          redaction_patterns: ['[0-9]{16}'],
          retention_days: 7,
          bytes_max: 4_096,
        },
      },
      responses: [
        [200, {}],
        [400, { body: { redaction_patterns: ['(?=lookahead)'] } }],
        [400, { path: `/workspaces/${malformedPath}/content-log` }],
        [404, { path: '/workspaces/none/content-log' }],
        ...rejectedForMembers(),
      ],
      invalidBodies: [
        {},
        { enabled: null },
        { sampling_rate: 0 },
        { redaction_patterns: [''] },
        { redaction_patterns: Array(21).fill('a') },
        { retention_days: 0 },
        { bytes_max: 100 },
        { more: 1 },
      ],
    }),

    deleteWorkspace: async () => {
      await create('/workspaces', { name: 'A', slug: 'to-delete' });
      const busy = (await create('/workspaces', { name: 'Busy', slug: 'busy' })).data.id;
      await newKeyHash({ workspace_id: busy });
      return {
        call: { method: 'DELETE', path: '/workspaces/to-delete' },
        responses: [
          [403, { key: memberKey }],
          [200, {}],
          [404, {}],
          [400, { path: '/workspaces/busy' }],
          [400, { path: '/workspaces/default' }],
          [400, { path: '/workspaces/default?confirm_default_workspace_deletion=true' }],
          [400, { path: '/workspaces/default?confirm_default_workspace_deletion=maybe' }],
          ...rejectedForMembers(),
        ],
      };
    },

    listWorkspaceMembers: () => ({
      call: { path: '/workspaces/team/members' },
      responses: [
        [200, {}],
        [200, { path: '/workspaces/default/members?limit=1' }],
        [200, { path: `/workspaces/${teamId}/members?offset=9` }],
        [400, { path: '/workspaces/team/members?limit=0' }],
        [404, { path: '/workspaces/none/members' }],
        ...rejected(),
      ],
    }),

    addWorkspaceMembers: () => ({
      call: { method: 'POST', path: '/workspaces/team/members/add', body: { user_ids: [otherId] } },
      responses: [
        [200, {}],
        [200, {}],
        [200, { path: '/workspaces/default/members/add' }],
        [400, { body: { user_ids: [otherId, 'user_unknown'] } }],
        [404, { path: '/workspaces/none/members/add' }],
        ...rejectedForMembers(),
      ],
      invalidBodies: [
        {},
        { user_ids: [] },
        { user_ids: [''] },
        { user_ids: Array(101).fill('u') },
        { more: 1 },
      ],
    }),

    updateWorkspaceMember: async () => {
      const workspace = (await create('/workspaces', { name: 'A', slug: 'roles' })).data.id;
      const body = { user_ids: [otherId], role: 'viewer' };
      await calls.send({ method: 'POST', path: `/workspaces/${workspace}/members/add`, body });
      return {
        call: { method: 'PATCH', path: `/workspaces/roles/members/${otherId}`, body: { role: 'editor' } },
        responses: [
          [200, {}],
          [200, { path: `/workspaces/${workspace}/members/${otherId}`, body: { role: 'admin' } }],
          [400, { path: `/workspaces/roles/members/${malformedPath}` }],
          [404, { path: `/workspaces/none/members/${otherId}` }],
          [404, { path: `/workspaces/roles/members/${memberId}` }],
          [409, { path: `/workspaces/default/members/${await ownerId()}` }],
          ...rejectedForMembers(),
        ],
        invalidBodies: [{}, { role: 'owner' }, { role: 'viewer', more: 1 }],
      };
    },

    removeWorkspaceMembers: async () => {
      const { id } = (await create('/workspaces', { name: 'A', slug: 'to-leave' })).data;
      await calls.send({
        method: 'POST',
        path: `/workspaces/${id}/members/add`,
        body: { user_ids: [memberId, otherId], role: 'editor' },
      });
      await newKeyHash({ workspace_id: id, creator_user_id: memberId });
      return {
        call: { method: 'POST', path: '/workspaces/to-leave/members/remove', body: { user_ids: [otherId] } },
        responses: [
          [400, { body: { user_ids: [otherId, memberId] } }],
          [200, {}],
          [200, { body: { user_ids: ['user_unknown'] } }],
          [400, { path: '/workspaces/default/members/remove' }],
          [404, { path: '/workspaces/none/members/remove' }],
          ...rejectedForMembers(),
        ],
        invalidBodies: [{}, { user_ids: [] }, { user_ids: 'all' }, { user_ids: ['u'], more: 1 }],
      };
    },

    listPeople: () => ({
      call: { path: '/organization/people' },
      responses: [
        [200, {}],
        [200, { path: '/organization/people?q=member' }],
        [200, { path: '/organization/people?offset=100&limit=1' }],
        [200, { key: memberKey }],
        [400, { path: '/organization/people?limit=0' }],
        ...rejected(),
      ],
    }),

    getPerson: () => ({
      call: { path: `/organization/people/${memberId}` },
      responses: [
        [200, {}],
        [200, { path: '/organization/people/Member@example.com' }],
        [400, { path: `/organization/people/${malformedPath}` }],
        [404, { path: '/organization/people/none' }],
        ...rejected(),
      ],
    }),

    invitePerson: async () => {
      const id = await newMemberId('never-in@example.com');
      await calls.send({ method: 'POST', path: `/organization/people/${id}/deactivate` });
      return {
        call: { method: 'POST', path: '/organization/invitations', body: { email: 'invited@example.com' } },
        responses: [
          [201, {}],
          [201, {}],
          [
            201,
            {
              body: {
                email: 'invited-2@example.com',
                first_name: 'I',
                role: 'org:admin',
                workspaces: [{ id: 'team', role: 'editor' }],
              },
            },
          ],
          [400, { body: { email: 'nobody' } }],
          [400, { body: { email: 'a@example.com', workspaces: [{ id: 'none', role: 'viewer' }] } }],
          [409, { body: { email: 'never-in@example.com' } }],
          ...rejectedForMembers(),
        ],
        invalidBodies: [{}, { email: 'a@example.com', role: 'admin' }, { email: 'a@example.com', more: 1 }],
      };
    },

    createSignInLink: async () => {
      const id = await newMemberId('switched-off@example.com');
      await calls.send({ method: 'POST', path: `/organization/people/${id}/deactivate` });
      return {
        call: { method: 'POST', path: `/organization/people/${otherId}/sign-in-link` },
        responses: [
          [201, {}],
          [404, { path: '/organization/people/none/sign-in-link' }],
          [409, { path: `/organization/people/${id}/sign-in-link` }],
          ...rejectedForMembers(),
        ],
      };
    },

    deactivatePerson: async () => ({
      call: {
        method: 'POST',
        path: `/organization/people/${await newMemberId('to-deactivate@example.com')}/deactivate`,
      },
      responses: [
        [200, {}],
        [404, { path: '/organization/people/none/deactivate' }],
        [409, { path: `${(await lastAdminPath()).replace('/members/', '/people/')}/deactivate` }],
        ...rejectedForMembers(),
      ],
    }),

    reactivatePerson: () => ({
      call: { method: 'POST', path: `/organization/people/${otherId}/reactivate` },
      responses: [
        [200, {}],
        [404, { path: '/organization/people/none/reactivate' }],
        ...rejectedForMembers(),
      ],
    }),

    listPersonSessions: () => ({
      call: { path: `/organization/people/${otherId}/sessions` },
      responses: [
        [200, {}],
        [400, { path: `/organization/people/${malformedPath}/sessions` }],
        [404, { path: '/organization/people/none/sessions' }],
        ...rejected(),
        [403, { key: memberKey }],
      ],
    }),

    endPersonSessions: () => ({
      call: { method: 'DELETE', path: `/organization/people/${otherId}/sessions` },
      responses: [[200, {}], [404, { path: '/organization/people/none/sessions' }], ...rejectedForMembers()],
    }),

    endPersonSession: async () => {
      const id = await newMemberId('signed-in@example.com');
      const link = await calls.send({ method: 'POST', path: `/organization/people/${id}/sign-in-link` });
      const token = new URL(link.body.data.url).hash.slice(1);
      const headers = { 'sec-fetch-site': 'same-origin' };
      await calls.send({ method: 'POST', path: '/sign-in/link', body: { token }, headers, key: null });
      const sessions = await calls.send({ path: `/organization/people/${id}/sessions` });
      return {
        call: { method: 'DELETE', path: `/organization/people/${id}/sessions/${sessions.body.data[0].id}` },
        responses: [
          [200, {}],
          [404, {}],
          [404, { path: `/organization/people/none/sessions/${newId()}` }],
          ...rejectedForMembers(),
        ],
      };
    },

    listOrganizationMembers: () => ({
      call: { path: '/organization/members' },
      responses: [
        [200, {}],
        [200, { path: '/organization/members?offset=100&limit=1' }],
        [200, { key: memberKey }],
        [400, { path: '/organization/members?limit=0' }],
        ...rejected(),
      ],
    }),

    addOrganizationMember: () => ({
      call: { method: 'POST', path: '/organization/members', body: { email: 'new@example.com' } },
      responses: [
        [201, {}],
        [409, {}],
        [201, { body: { email: 'full@example.com', first_name: 'A', last_name: '', role: 'org:admin' } }],
        [400, { body: { email: 'nobody' } }],
        [400, { body: { email: 'a@example.com', first_name: 'a\nb' } }],
        ...rejectedForMembers(),
      ],
      invalidBodies: [
        {},
        { email: 1 },
        { email: `${'x'.repeat(251)}@a.b` },
        { email: 'a@example.com', role: 'admin' },
        { email: 'a@example.com', more: 1 },
      ],
    }),

    importOrganizationMembers: () => ({
      call: {
        method: 'POST',
        path: '/organization/members/import',
        body: {
          members: [
            { email: 'imported@example.com', first_name: 'I', last_name: 'M', role: 'org:member' },
            { email: 'imported@example.com' },
            { email: 'other@example.com', first_name: 'O' },
            { email: 'member@example.com' },
          ],
        },
      },
      responses: [
        [200, {}],
        [200, { body: { members: [{ email: 'other@example.com', last_name: 'P' }], update_existing: true } }],
        [400, { body: { members: [{ email: 'nobody' }] } }],
        ...rejectedForMembers(),
      ],
      invalidBodies: [
        {},
        { members: [] },
        { members: [{}] },
        { members: Array(501).fill({ email: 'a@example.com' }) },
        { members: [{ email: 'a@example.com', role: 'owner' }] },
        { members: [{ email: 'a@example.com' }], update_existing: 'yes' },
      ],
    }),

    getOrganizationMember: () => ({
      call: { path: `/organization/members/${memberId}` },
      responses: [
        [200, {}],
        [200, { path: '/organization/members/MEMBER%40example.com' }],
        [400, { path: `/organization/members/${malformedPath}` }],
        [404, { path: '/organization/members/nobody%40example.com' }],
        ...rejected(),
      ],
    }),

    updateOrganizationMember: async () => {
      await newMemberId('changing@example.com');
      return {
        call: {
          method: 'PATCH',
          path: '/organization/members/changing@example.com',
          body: { first_name: 'C' },
        },
        responses: [
          [200, {}],
          [200, { body: { last_name: 'D', role: 'org:admin' } }],
          [200, { body: { role: 'org:member' } }],
          [400, { body: { first_name: 'a\nb' } }],
          [400, { path: `/organization/members/${malformedPath}` }],
          [404, { path: '/organization/members/nobody@example.com' }],
          [409, { path: await lastAdminPath(), body: { role: 'org:member' } }],
          ...rejectedForMembers(),
        ],
        invalidBodies: [{}, { role: 'admin' }, { first_name: null }, { email: null }, { more: 1 }],
      };
    },

    removeOrganizationMember: async () => {
      await newMemberId('leaving@example.com');
      return {
        call: { method: 'DELETE', path: '/organization/members/leaving@example.com' },
        responses: [
          [403, { key: memberKey }],
          [200, {}],
          [404, {}],
          [400, { path: `/organization/members/${malformedPath}` }],
          [409, { path: await lastAdminPath() }],
          ...rejectedForMembers(),
        ],
      };
    },

    listAuditEvents: () => ({
      call: { path: '/audit' },
      responses: [
        [200, {}],
        [200, { path: '/audit?limit=1' }],
        [200, { path: '/audit?kind=key&actor=owner@localhost&since=2026-01-01T00:00:00Z' }],
        [200, { path: '/audit?kind=workspace.created&until=2999-01-01T00:00:00%2B01:00' }],
        [200, { path: '/audit?actor=nobody' }],
        [200, { path: '/audit?workspace=default' }],
        [200, { key: memberKey, path: '/audit?workspace=default' }],
        [403, { key: memberKey }],
        [400, { path: '/audit?preset=without-workspace' }],
        [404, { path: '/audit?workspace=none' }],
        [404, { path: '/audit?workspace=default&preset=none' }],
        [400, { path: '/audit?kind=none' }],
        [400, { path: '/audit?cursor=none' }],
        [400, { path: '/audit?since=yesterday' }],
        [400, { path: '/audit?limit=101' }],
        ...rejected(),
      ],
    }),
  };

  /** The id of the first admin. */
  async function ownerId(): Promise<string> {
    return (await calls.send({ path: '/key' })).body.data.creator_user_id;
  }

  /** Demotes all admins but one, and returns the path of that one. */
  async function lastAdminPath(): Promise<string> {
    const path = '/organization/members';
    const { body } = await calls.send({ path: `${path}?limit=100` });
    const [first, ...others] = body.data.filter(({ role }: { role: string }) => role === 'org:admin');
    for (const { id } of others)
      await calls.send({ method: 'PATCH', path: `${path}/${id}`, body: { role: 'org:member' } });
    return `${path}/${first.id}`;
  }

  it('have a test case for each operation', () => {
    const organizationOperations = operationsOf(documented.document).filter(({ tags = [] }) =>
      tags.some((tag) => ['Keys', 'Workspaces', 'Organization'].includes(tag)),
    );
    expect(organizationOperations.map(({ operationId }) => operationId).toSorted()).toEqual(
      Object.keys(cases).toSorted(),
    );
  });

  it.each(Object.entries(cases))('%s responds as documented', async (operationId, prepare) => {
    const { call, responses, invalidBodies = [] } = await prepare();
    for (const body of invalidBodies)
      expect([body, documented.checks.requestProblems(operationId, body)]).not.toEqual([body, null]);
    const rejections = invalidBodies.map((body): Expected => [400, { body }]);
    await calls.expectAsDocumented(operationId, call, [...responses, ...rejections]);
  });

  it('document the 409 for enabling a key whose owner was removed', async () => {
    const ownerId = await newMemberId('gone@example.com');
    const hash = await newKeyHash({ creator_user_id: ownerId });
    await calls.send({ method: 'DELETE', path: `/organization/members/${ownerId}` });
    const enable = { method: 'PATCH', path: `/keys/${hash}`, body: { disabled: false } };
    calls.check('updateKey', 409, await calls.send(enable), { enabling: hash });
  });

  it('document the audit events of every group', async () => {
    await documented.server.post('/api/v1/presets/a/responses', { model: 'm' });
    for (const group of ['preset', 'key', 'workspace', 'member']) {
      const response = await calls.send({ path: `/audit?kind=${group}&limit=100` });
      calls.check('listAuditEvents', 200, response, { group });
      expect(response.body.data).not.toHaveLength(0);
    }
  });

  it('document only one optional body', () => {
    const optional = operationsOf(documented.document).filter(
      ({ requestBody }) => requestBody !== undefined && !requestBody.required,
    );
    expect(optional.map(({ operationId }) => operationId)).toEqual(['rotateKey']);
    expect(optional[0]?.requestBody?.content['application/json']?.schema).toMatchObject({
      type: ['object', 'null'],
    });
  });
});
