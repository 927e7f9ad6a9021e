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

interface PeopleRoute extends WorkspaceRoute {
  readonly Body: Type.Static<typeof people>;
}

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

  scope.post<PeopleRoute>(
    '/workspaces/:id/members/add',
    { schema: addSchema, ...smallBodyLimit(scope) },
    async (request) => {
      const { user_ids: userIds } = request.body;
      const added = await workspaces.addMembers(callerOf(request), request.params.id, userIds);
      return { data: added.map(toWire), added_count: added.length };
    },
  );

  scope.post<PeopleRoute>(
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
  { additionalProperties: false, description: 'Somebody who belongs to a workspace.' },
);

const people = Type.Object(
  {
    user_ids: Type.Array(
      Type.String({ minLength: 1, maxLength: 200, ...documentedPattern(storablePattern) }),
      {
        minItems: 1,
        maxItems: 100,
        description: 'The ids of members of the organization.',
      },
    ),
  },
  { additionalProperties: false },
);

const listSchema = {
  operationId: 'listWorkspaceMembers',
  tags: ['Workspaces'],
  summary: 'List who belongs to a workspace',
  description:
    'In the order in which they were added. The whole organization belongs to the default workspace.',
  params: workspaceParams,
  querystring: pageQuery,
  response: {
    200: {
      description: 'A page of members. Past the end it is empty.',
      type: 'object',
      required: ['data', 'total_count'],
      properties: {
        data: { type: 'array', items: { $ref: 'WorkspaceMember#' } },
        total_count: { type: 'integer', description: 'How many members the workspace has.' },
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
  description: 'All of them, or nobody: it is refused with 400 when one of them is not in the organization.',
  params: workspaceParams,
  body: people,
  response: {
    200: {
      description: 'Those who were added. Who belonged to the workspace before is not among them.',
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
    'All of them, or nobody: it is refused with 400 while one of them has active keys in the workspace, and for the default workspace.',
  params: workspaceParams,
  body: people,
  response: {
    200: {
      description: 'How many belonged to the workspace and no longer do.',
      type: 'object',
      required: ['removed_count'],
      properties: { removed_count: { type: 'integer' } },
    },
    ...changeErrors,
  },
};
