import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { listMembers } from '../../core/list-members.ts';
import type { Member } from '../../core/organization.ts';
import type { MemberStore } from '../../core/storage.ts';
import { callerOf } from '../authentication.ts';
import { errorResponses } from '../error-schema.ts';
import { pageOf, pageQuery } from '../page-query.ts';

export const memberSchema = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    role: Type.Enum(['org:admin', 'org:member']),
  },
  { additionalProperties: false },
);

const schema = {
  operationId: 'listOrganizationMembers',
  tags: ['Organization'],
  summary: 'List the members of the organization of a management key',
  description: 'In the order in which they joined.',
  querystring: pageQuery,
  response: {
    200: {
      description: 'A page of members. Past the end it is empty.',
      type: 'object',
      required: ['data', 'total_count'],
      properties: {
        data: { type: 'array', items: { $ref: 'OrganizationMember#' } },
        total_count: { type: 'integer', description: 'How many members the organization has.' },
      },
    },
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};

export function organizationMemberRoutes(scope: FastifyInstance, members: MemberStore): void {
  scope.get<{ Querystring: Type.Static<typeof pageQuery> }>(
    '/organization/members',
    { schema },
    async (request) => {
      const page = await listMembers(members, callerOf(request), pageOf(request.query));
      return { data: page.members.map(toWire), total_count: page.totalCount };
    },
  );
}

function toWire(member: Member): Type.Static<typeof memberSchema> {
  return {
    id: member.id,
    email: member.email,
    first_name: member.firstName,
    last_name: member.lastName,
    role: member.role,
  };
}
