import { documentedSlugPattern, workspaceSlugPattern } from '../core/organization/workspace.ts';
import { namePattern } from '../core/text/name.ts';
import { storablePattern } from '../core/text/storable-text.ts';
import { Type } from '../core/type.ts';
import { workspaceRole } from './account.ts';
import { redactionPatternsMax, userIdsMax } from './limits.ts';
import { operations } from './operation.ts';
import {
  deleted,
  documentedPattern,
  named,
  nullable,
  one,
  page,
  pageQuery,
  ref,
  timestamp,
  unsupportedField,
} from './schema-parts.ts';

/** Workspaces and their members, compatible with OpenRouter's API. */

const alwaysNull = (feature: string) => Type.Null({ description: `Always null: presetd has no ${feature}.` });
const alwaysFalse = (feature: string) =>
  Type.Boolean({ description: `Always false: presetd has no ${feature}.` });

export const Workspace = named(
  'Workspace',
  Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      name: Type.String(),
      slug: Type.String(),
      description: nullable(Type.String()),
      is_default: Type.Boolean({
        description: 'Every member of the organization belongs to the default workspace.',
      }),
      member_count: Type.Integer(),
      created_at: timestamp,
      updated_at: nullable(timestamp),
      created_by: nullable(Type.String({ description: 'The id of a user. Null for the default workspace.' })),
      default_guardrail_id: Type.String({ description: 'Always the nil UUID: presetd has no guardrails.' }),
      default_text_model: alwaysNull('default models'),
      default_image_model: alwaysNull('default models'),
      default_provider_sort: alwaysNull('default provider order'),
      is_observability_io_logging_enabled: Type.Boolean({
        description: 'Whether the content of calls is logged.',
      }),
      is_observability_broadcast_enabled: alwaysFalse('broadcasting'),
      is_data_discount_logging_enabled: alwaysFalse('data discount'),
      io_logging_sampling_rate: Type.Number({ description: 'The share of calls whose content is logged.' }),
      io_logging_api_key_ids: alwaysNull('content logging by key'),
      disabled_server_tools: alwaysNull('list of disabled server tools'),
      include_byok_in_budgets: alwaysFalse('budgets'),
    },
    {
      additionalProperties: false,
      description: 'A part of the organization with its own presets and keys.',
    },
  ),
);

/**
 * OpenRouter's settings of a workspace that presetd does not have. Only neutral values are valid.
 */
const unsupportedSettings = {
  default_text_model: unsupportedField(null, 'default models'),
  default_image_model: unsupportedField(null, 'default models'),
  default_provider_sort: unsupportedField(null, 'default provider order'),
  io_logging_api_key_ids: unsupportedField([], 'content logging by key'),
  is_observability_broadcast_enabled: unsupportedField(false, 'broadcasting'),
  is_data_discount_logging_enabled: unsupportedField(false, 'data discount'),
  disabled_server_tools: unsupportedField([], 'list of disabled server tools'),
};

/** As in OpenRouter's API. */
const samplingRange = { minimum: 0.0001, maximum: 1 };

const name = Type.String({ minLength: 1, maxLength: 100, ...documentedPattern(namePattern) });
const slug = Type.String({
  pattern: workspaceSlugPattern,
  ...documentedPattern(documentedSlugPattern),
  maxLength: 50,
  'x-must': 'must be 1 to 50 of a-z 0-9, with single hyphens between them',
  description: 'Can be used in paths instead of the id. It must not look like a UUID.',
});
const description = Type.Optional(
  nullable(Type.String({ maxLength: 500, ...documentedPattern(storablePattern) })),
);

/** Null changes nothing, like a field that is omitted. */
const contentLogSwitch = {
  is_observability_io_logging_enabled: Type.Optional(
    nullable(Type.Boolean({ description: 'Whether the content of calls is logged.' })),
  ),
  io_logging_sampling_rate: Type.Optional(
    nullable(Type.Number({ ...samplingRange, description: 'The share of calls whose content is logged.' })),
  ),
};

export const NewWorkspace = named(
  'NewWorkspace',
  Type.Object(
    { name, slug, description, ...contentLogSwitch, ...unsupportedSettings },
    { additionalProperties: false },
  ),
);

/**
 * All fields are optional, but at least one is required: an empty edit is most likely a mistake.
 */
export const WorkspaceEdit = named(
  'WorkspaceEdit',
  Type.Object(
    {
      name: Type.Optional(name),
      slug: Type.Optional(slug),
      description,
      ...contentLogSwitch,
      ...unsupportedSettings,
    },
    { additionalProperties: false, minProperties: 1 },
  ),
);

const enabled = Type.Boolean({ description: 'Whether the content of calls is logged.' });
const samplingRate = Type.Number({
  ...samplingRange,
  description: 'The share of calls whose content is logged, chosen by their ids.',
});
const redactionPatterns = Type.Array(Type.String({ minLength: 1 }), {
  maxItems: redactionPatternsMax,
  description:
    'Regular expressions without lookaround and backreferences. What they match in a string is replaced before anything is stored.',
});
const retentionDays = Type.Integer({
  minimum: 1,
  maximum: 3_650,
  description: 'How long content is stored; not longer than the records of calls.',
});
const bytesMax = Type.Integer({
  minimum: 1_024,
  maximum: 4_194_304,
  description: 'The size of what is stored of one call. Long strings are cut to it.',
});

export const ContentLog = named(
  'ContentLog',
  Type.Object(
    {
      enabled,
      sampling_rate: samplingRate,
      redaction_patterns: redactionPatterns,
      retention_days: retentionDays,
      bytes_max: bytesMax,
    },
    { additionalProperties: false, description: 'Which content of the calls of a workspace is stored.' },
  ),
);

export const ContentLogEdit = named(
  'ContentLogEdit',
  Type.Object(
    {
      enabled: Type.Optional(enabled),
      sampling_rate: Type.Optional(samplingRate),
      redaction_patterns: Type.Optional(redactionPatterns),
      retention_days: Type.Optional(retentionDays),
      bytes_max: Type.Optional(bytesMax),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
);

export type ContentLog = Type.Static<typeof ContentLog.schema>;

const workspaceParams = Type.Object({
  id: Type.String({ description: 'The id or slug of the workspace.' }),
});

export const WorkspaceMember = named(
  'WorkspaceMember',
  Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      workspace_id: Type.String({ format: 'uuid' }),
      user_id: Type.String(),
      email: Type.String(),
      role: Type.Enum(['admin', 'member'], { description: 'The role in the organization.' }),
      workspace_role: workspaceRole,
      created_at: timestamp,
    },
    { additionalProperties: false, description: 'A member of a workspace.' },
  ),
);

const userIds = Type.Object(
  {
    user_ids: Type.Array(
      Type.String({ minLength: 1, maxLength: 200, ...documentedPattern(storablePattern) }),
      {
        minItems: 1,
        maxItems: userIdsMax,
        description: 'Ids of members of the organization.',
      },
    ),
  },
  { additionalProperties: false },
);

const addedUserIds = Type.Object(
  {
    ...userIds.properties,
    role: Type.Optional({ ...workspaceRole, description: 'Their role in the workspace. Default `admin`.' }),
  },
  { additionalProperties: false },
);

export type Workspace = Type.Static<typeof Workspace.schema>;
export type WorkspaceMember = Type.Static<typeof WorkspaceMember.schema>;

const tag = 'Workspaces';
const oneWorkspace = one(ref(Workspace));

export const workspaceOperations = operations({
  'GET /workspaces': {
    id: 'listWorkspaces',
    tag,
    access: 'member',
    summary: 'List workspaces',
    description: 'Oldest first.',
    query: pageQuery,
    response: {
      description: 'A page of workspaces; empty past the end.',
      body: page(ref(Workspace), 'Number of workspaces of the organization.'),
    },
  },
  'POST /workspaces': {
    id: 'createWorkspace',
    tag,
    access: 'org-admin-write',
    summary: 'Create a workspace',
    description: 'You become its first member.',
    body: ref(NewWorkspace),
    bodySize: 'small',
    response: { status: 201, description: 'The workspace.', body: oneWorkspace },
  },
  'GET /workspaces/:id': {
    id: 'getWorkspace',
    tag,
    access: 'member',
    summary: 'Get a workspace',
    params: workspaceParams,
    response: { description: 'The workspace.', body: oneWorkspace },
  },
  'PATCH /workspaces/:id': {
    id: 'updateWorkspace',
    tag,
    access: 'org-admin-write',
    summary: 'Update a workspace',
    description:
      'Changes the name, slug or description, or whether the content of calls is logged. Omitted fields stay unchanged.',
    params: workspaceParams,
    body: ref(WorkspaceEdit),
    bodySize: 'small',
    response: { description: 'The updated workspace.', body: oneWorkspace },
  },
  'DELETE /workspaces/:id': {
    id: 'deleteWorkspace',
    tag,
    access: 'org-admin-write',
    summary: 'Delete a workspace',
    description:
      'Returns 400 for the default workspace, and while the workspace has active keys. Its presets stay in the database but can no longer be accessed; the logged content of its calls is deleted within minutes.',
    params: workspaceParams,
    query: Type.Object({
      confirm_default_workspace_deletion: Type.Optional(
        Type.Boolean({ description: 'Has no effect: the default workspace cannot be deleted.' }),
      ),
    }),
    response: deleted,
  },
  'GET /workspaces/:id/content-log': {
    id: 'getContentLog',
    tag,
    access: 'workspace-admin',
    summary: 'Get the settings of the content log of a workspace',
    params: workspaceParams,
    response: { description: 'The settings.', body: one(ref(ContentLog)) },
  },
  'PATCH /workspaces/:id/content-log': {
    id: 'updateContentLog',
    tag,
    access: 'org-admin-write',
    summary: 'Change the settings of the content log of a workspace',
    description:
      'They apply to calls that begin from then on; a shorter retention also to what is stored. Omitted fields stay unchanged.',
    params: workspaceParams,
    body: ref(ContentLogEdit),
    bodySize: 'small',
    response: { description: 'The settings.', body: one(ref(ContentLog)) },
  },
  'GET /workspaces/:id/members': {
    id: 'listWorkspaceMembers',
    tag,
    access: 'member',
    accessFor: { 'workspace-member': 'Listing those of any workspace but the default one' },
    summary: 'List the members of a workspace',
    description:
      'In the order in which they were added. Every member of the organization belongs to the default workspace.',
    params: workspaceParams,
    query: pageQuery,
    response: {
      description: 'A page of members; empty past the end.',
      body: page(ref(WorkspaceMember), 'Number of members of the workspace.'),
    },
  },
  'POST /workspaces/:id/members/add': {
    id: 'addWorkspaceMembers',
    tag,
    access: 'workspace-admin-write',
    summary: 'Add members of the organization to a workspace',
    description: 'All or nothing: returns 400 if one of them is not a member of the organization.',
    params: workspaceParams,
    body: addedUserIds,
    bodySize: 'small',
    response: {
      description: 'The members that were added, without those who already belonged to the workspace.',
      body: Type.Object({ data: Type.Array(ref(WorkspaceMember)), added_count: Type.Integer() }),
    },
  },
  'PATCH /workspaces/:id/members/:user_id': {
    id: 'updateWorkspaceMember',
    tag,
    access: 'workspace-admin-write',
    summary: 'Change the role of a member of a workspace',
    description: 'An org:admin is always an admin (409).',
    params: Type.Object({
      ...workspaceParams.properties,
      user_id: Type.String({ description: 'The id of the member.' }),
    }),
    body: Type.Object({ role: workspaceRole }, { additionalProperties: false }),
    bodySize: 'small',
    response: { description: 'The member.', body: one(ref(WorkspaceMember)) },
    errors: [409],
  },
  'POST /workspaces/:id/members/remove': {
    id: 'removeWorkspaceMembers',
    tag,
    access: 'workspace-admin-write',
    summary: 'Remove members from a workspace',
    description:
      'All or nothing: returns 400 if one of them has active keys in the workspace, and for the default workspace.',
    params: workspaceParams,
    body: userIds,
    bodySize: 'small',
    response: {
      description: 'The number of members that were removed.',
      body: Type.Object({ removed_count: Type.Integer() }),
    },
  },
});
