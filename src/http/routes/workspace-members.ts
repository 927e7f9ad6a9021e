import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { storablePattern } from '../../core/storable-text.ts';
import { type WorkspaceMember, workspaceMembershipId } from '../../core/workspace.ts';
import type { Workspaces } from '../../core/workspaces.ts';
import { callerOf } from '../authentication.ts';
import { smallBodyLimit } from '../body-limits.ts';
import { documentedPattern } from '../documented-pattern.ts';
import { errorResponses } from '../error-schema.ts';
import { pageOf, pageQuery } from '../page-query.ts';
import { timestamp } from '../preset-response.ts';
import { type WorkspaceRoute, workspaceParams } from './workspaces.ts';

interface UserIdsRoute extends WorkspaceRoute {
  readonly Body: Type.Static<typeof userIdsBody>;
}

/**
 * Who belongs to a workspace. Changes need a management key of an org:admin, and apply to all
 * listed users or to none. Membership decides where an org:member can write presets and create
 * keys.
 */
export function workspaceMemberRoutes(scope: FastifyInstance, workspaces: Workspaces): void {
  scope.get<WorkspaceRoute & { Querystring: Type.Static<typeof pageQuery> }>(
    '/workspaces/:id/members',
    { schema: listSchema },
    async (request) => {
      const page = pageOf(request.query);
      const { members, totalCount } = await workspaces.members(callerOf(request), request.params.id, page);
      return { data: members.map(toWire), total_count: totalCount };
    },
  );

  scope.post<UserIdsRoute>(
    '/workspaces/:id/members/add',
    { schema: addSchema, ...smallBodyLimit(scope) },
    async (request) => {
      const { user_ids: userIds } = request.body;
      const added = await workspaces.addMembers(callerOf(request), request.params.id, userIds);
      return { data: added.map(toWire), added_count: added.length };
    },
  );

  scope.post<UserIdsRoute>(
    '/workspaces/:id/members/remove',
    { schema: removeSchema, ...smallBodyLimit(scope) },
    async (request) => {
      const { user_ids: userIds } = request.body;
      const removed = await workspaces.removeMembers(callerOf(request), request.params.id, userIds);
      return { removed_count: removed.length };
    },
  );
}

function toWire(member: WorkspaceMember): Type.Static<typeof workspaceMemberSchema> {
  return {
    id: workspaceMembershipId(member),
    workspace_id: member.workspaceId,
    user_id: member.userId,
    email: member.email,
    // OpenRouter's names for the same two roles.
    role: member.role === 'org:admin' ? 'admin' : 'member',
    created_at: member.createdAt,
  };
}

export const workspaceMemberSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    workspace_id: Type.String({ format: 'uuid' }),
    user_id: Type.String(),
    email: Type.String(),
    role: Type.Enum(['admin', 'member'], { description: 'The role in the organization.' }),
    created_at: timestamp,
  },
  { additionalProperties: false, description: 'A member of a workspace.' },
);

const userIdsBody = Type.Object(
  {
    user_ids: Type.Array(
      Type.String({ minLength: 1, maxLength: 200, ...documentedPattern(storablePattern) }),
      {
        minItems: 1,
        maxItems: 100,
        description: 'Ids of members of the organization.',
      },
    ),
  },
  { additionalProperties: false },
);

const listSchema = {
  operationId: 'listWorkspaceMembers',
  tags: ['Workspaces'],
  summary: 'List the members of a workspace',
  description:
    'In the order in which they were added. Every member of the organization belongs to the default workspace.',
  params: workspaceParams,
  querystring: pageQuery,
  response: {
    200: {
      description: 'A page of members; empty past the end.',
      type: 'object',
      required: ['data', 'total_count'],
      properties: {
        data: { type: 'array', items: { $ref: 'WorkspaceMember#' } },
        total_count: { type: 'integer', description: 'Number of members of the workspace.' },
      },
    },
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};

const changeErrors = errorResponses(400, 401, 403, 404, 413, 415, 429, 500, 503);

const addSchema = {
  operationId: 'addWorkspaceMembers',
  tags: ['Workspaces'],
  summary: 'Add members of the organization to a workspace',
  description: 'All or nothing: returns 400 if one of them is not a member of the organization.',
  params: workspaceParams,
  body: userIdsBody,
  response: {
    200: {
      description: 'The members that were added, without those who already belonged to the workspace.',
      type: 'object',
      required: ['data', 'added_count'],
      properties: {
        data: { type: 'array', items: { $ref: 'WorkspaceMember#' } },
        added_count: { type: 'integer' },
      },
    },
    ...changeErrors,
  },
};

const removeSchema = {
  operationId: 'removeWorkspaceMembers',
  tags: ['Workspaces'],
  summary: 'Remove members from a workspace',
  description:
    'All or nothing: returns 400 if one of them has active keys in the workspace, and for the default workspace.',
  params: workspaceParams,
  body: userIdsBody,
  response: {
    200: {
      description: 'The number of members that were removed.',
      type: 'object',
      required: ['removed_count'],
      properties: { removed_count: { type: 'integer' } },
    },
    ...changeErrors,
  },
};
