import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { namePattern } from '../../core/preset-name.ts';
import { storablePattern } from '../../core/storable-text.ts';
import { documentedSlugPattern, type Workspace, workspaceSlugPattern } from '../../core/workspace.ts';
import type { Workspaces } from '../../core/workspaces.ts';
import { callerOf } from '../authentication.ts';
import { smallBodyLimit } from '../body-limits.ts';
import { documentedPattern } from '../documented-pattern.ts';
import { deletedResponse, errorResponses } from '../error-schema.ts';
import { pageOf, pageQuery } from '../page-query.ts';
import { nullable, timestamp } from '../preset-response.ts';
import { unsupportedField } from '../unsupported-fields.ts';

/** `:id` is the id of a workspace or its slug. */
export interface WorkspaceRoute {
  readonly Params: { readonly id: string };
}

/**
 * Workspaces, compatible with OpenRouter's API. Changes need a management key of an org:admin.
 *
 * Deleting a workspace deletes its keys and frees its slug. Its presets stay in the database,
 * because versions are never deleted, but nothing can reach them.
 */
export function workspaceRoutes(scope: FastifyInstance, workspaces: Workspaces): void {
  scope.get<{ Querystring: Type.Static<typeof pageQuery> }>(
    '/workspaces',
    { schema: listSchema },
    async (request) => {
      const found = await workspaces.list(callerOf(request), pageOf(request.query));
      return { data: found.workspaces.map(toWire), total_count: found.totalCount };
    },
  );

  scope.post<{ Body: Type.Static<typeof newWorkspaceSchema> }>(
    '/workspaces',
    { schema: createSchema, ...smallBodyLimit(scope) },
    async (request, reply) => {
      const { name, slug, description = null } = request.body;
      const workspace = await workspaces.create(callerOf(request), { name, slug, description });
      reply.code(201);
      return { data: toWire(workspace) };
    },
  );

  scope.get<WorkspaceRoute>('/workspaces/:id', { schema: getSchema }, async (request) => ({
    data: toWire(await workspaces.get(callerOf(request), request.params.id)),
  }));

  scope.patch<WorkspaceRoute & { Body: Type.Static<typeof workspaceEditSchema> }>(
    '/workspaces/:id',
    { schema: editSchema, ...smallBodyLimit(scope) },
    async (request) => {
      const { name, slug, description } = request.body;
      // The unsupported settings have passed validation and are dropped here.
      const edit = { name, slug, description };
      return { data: toWire(await workspaces.edit(callerOf(request), request.params.id, edit)) };
    },
  );

  scope.delete<WorkspaceRoute>('/workspaces/:id', { schema: deleteSchema }, async (request) => {
    await workspaces.delete(callerOf(request), request.params.id);
    return { deleted: true };
  });
}

/** OpenRouter's SDK requires a guardrail id; this one refers to nothing. */
const nilUuid = '00000000-0000-0000-0000-000000000000';

function toWire(workspace: Workspace): Type.Static<typeof workspaceSchema> {
  return {
    id: workspace.id,
    name: workspace.name,
    slug: workspace.slug,
    description: workspace.description,
    is_default: workspace.isDefault,
    member_count: workspace.memberCount,
    created_at: workspace.createdAt,
    updated_at: workspace.updatedAt,
    created_by: workspace.createdBy,
    default_guardrail_id: nilUuid,
    default_text_model: null,
    default_image_model: null,
    default_provider_sort: null,
    is_observability_io_logging_enabled: false,
    is_observability_broadcast_enabled: false,
    is_data_discount_logging_enabled: false,
    io_logging_sampling_rate: 1,
    io_logging_api_key_ids: null,
    disabled_server_tools: null,
    include_byok_in_budgets: false,
  };
}

const alwaysNull = (feature: string) => Type.Null({ description: `Always null: presetd has no ${feature}.` });
const alwaysFalse = (feature: string) =>
  Type.Boolean({ description: `Always false: presetd has no ${feature}.` });

export const workspaceSchema = Type.Object(
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
    is_observability_io_logging_enabled: alwaysFalse('prompt logging'),
    is_observability_broadcast_enabled: alwaysFalse('broadcasting'),
    is_data_discount_logging_enabled: alwaysFalse('data discount'),
    io_logging_sampling_rate: Type.Number({ description: 'Always 1: presetd has no prompt logging.' }),
    io_logging_api_key_ids: alwaysNull('prompt logging'),
    disabled_server_tools: alwaysNull('list of disabled server tools'),
    include_byok_in_budgets: alwaysFalse('budgets'),
  },
  {
    additionalProperties: false,
    description: 'A part of the organization with its own presets and keys.',
  },
);

/**
 * OpenRouter's settings of a workspace that presetd does not have. Only neutral values are valid.
 */
const unsupportedSettings = {
  default_text_model: Type.Optional(unsupportedField(null, 'default models')),
  default_image_model: Type.Optional(unsupportedField(null, 'default models')),
  default_provider_sort: Type.Optional(unsupportedField(null, 'default provider order')),
  io_logging_api_key_ids: Type.Optional(unsupportedField([], 'prompt logging')),
  io_logging_sampling_rate: Type.Optional(unsupportedField(1, 'prompt logging')),
  is_observability_io_logging_enabled: Type.Optional(unsupportedField(false, 'prompt logging')),
  is_observability_broadcast_enabled: Type.Optional(unsupportedField(false, 'broadcasting')),
  is_data_discount_logging_enabled: Type.Optional(unsupportedField(false, 'data discount')),
  disabled_server_tools: Type.Optional(unsupportedField([], 'list of disabled server tools')),
};

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

export const newWorkspaceSchema = Type.Object(
  { name, slug, description, ...unsupportedSettings },
  { additionalProperties: false },
);

/**
 * All fields are optional, but at least one is required: an empty edit is most likely a mistake.
 */
export const workspaceEditSchema = Type.Object(
  { name: Type.Optional(name), slug: Type.Optional(slug), description, ...unsupportedSettings },
  { additionalProperties: false, minProperties: 1 },
);

export const workspaceParams = Type.Object({
  id: Type.String({ description: 'The id or slug of the workspace.' }),
});

const one = { type: 'object', required: ['data'], properties: { data: { $ref: 'Workspace#' } } };

const listSchema = {
  operationId: 'listWorkspaces',
  tags: ['Workspaces'],
  summary: 'List workspaces',
  description: 'Oldest first.',
  querystring: pageQuery,
  response: {
    200: {
      description: 'A page of workspaces; empty past the end.',
      type: 'object',
      required: ['data', 'total_count'],
      properties: {
        data: { type: 'array', items: { $ref: 'Workspace#' } },
        total_count: { type: 'integer', description: 'Number of workspaces of the organization.' },
      },
    },
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};

const createSchema = {
  operationId: 'createWorkspace',
  tags: ['Workspaces'],
  summary: 'Create a workspace',
  description: 'You become its first member.',
  body: { $ref: 'NewWorkspace#' },
  response: {
    201: { description: 'The workspace.', ...one },
    ...errorResponses(400, 401, 403, 404, 413, 415, 429, 500, 503),
  },
};

const getSchema = {
  operationId: 'getWorkspace',
  tags: ['Workspaces'],
  summary: 'Get a workspace',
  params: workspaceParams,
  response: {
    200: { description: 'The workspace.', ...one },
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};

const editSchema = {
  operationId: 'updateWorkspace',
  tags: ['Workspaces'],
  summary: 'Update a workspace',
  description: 'Changes the name, slug or description. Omitted fields stay unchanged.',
  params: workspaceParams,
  body: { $ref: 'WorkspaceEdit#' },
  response: {
    200: { description: 'The updated workspace.', ...one },
    ...errorResponses(400, 401, 403, 404, 413, 415, 429, 500, 503),
  },
};

const deleteSchema = {
  operationId: 'deleteWorkspace',
  tags: ['Workspaces'],
  summary: 'Delete a workspace',
  description:
    'Returns 400 for the default workspace, and while the workspace has active keys. Its presets stay in the database but can no longer be accessed.',
  params: workspaceParams,
  querystring: Type.Object({
    confirm_default_workspace_deletion: Type.Optional(
      Type.Boolean({ description: 'Has no effect: the default workspace cannot be deleted.' }),
    ),
  }),
  response: { 200: deletedResponse, ...errorResponses(400, 401, 403, 404, 413, 415, 429, 500, 503) },
};
