import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ImportedPerson, ImportOutcome, PersonDetails } from '../../core/member-change.ts';
import type { Members } from '../../core/members.ts';
import type { Member, Role } from '../../core/organization.ts';
import { emailPattern, personNamePattern } from '../../core/organization.ts';
import { callerOf } from '../authentication.ts';
import { listBodyLimit, smallBodyLimit } from '../body-limits.ts';
import { documentedPattern } from '../documented-pattern.ts';
import { deletedResponse, errorResponses } from '../error-schema.ts';
import { pageOf, pageQuery } from '../page-query.ts';

interface MemberRoute {
  readonly Params: { readonly id: string };
}

export function organizationMemberRoutes(scope: FastifyInstance, members: Members): void {
  scope.get<{ Querystring: Type.Static<typeof listQuery> }>(
    '/organization/members',
    { schema: listSchema },
    async (request) => {
      const page = await members.list(callerOf(request), request.query.q, pageOf(request.query));
      return { data: page.members.map(toWire), total_count: page.totalCount };
    },
  );

  scope.post<{ Body: Type.Static<typeof newMemberSchema> }>(
    '/organization/members',
    { schema: addSchema, ...smallBodyLimit(scope) },
    async (request, reply) => {
      const { email } = request.body;
      const member = await members.add(callerOf(request), { email, ...detailsOf(request.body) });
      reply.code(201);
      return { data: toWire(member) };
    },
  );

  scope.post<{ Body: Type.Static<typeof memberImportSchema> }>(
    '/organization/members/import',
    { schema: importSchema, ...listBodyLimit(scope) },
    async (request) => {
      const { members: given, update_existing: updateExisting = false } = request.body;
      const people = given.map(({ email, ...details }) => ({ email, ...detailsOf(details) }));
      const results = await members.import(callerOf(request), people, updateExisting);
      const count = (outcome: ImportOutcome) => results.filter((each) => each.outcome === outcome).length;
      return {
        data: results.map(resultOnWire),
        added_count: count('added'),
        updated_count: count('updated'),
      };
    },
  );

  scope.get<MemberRoute>('/organization/members/:id', { schema: getSchema }, async (request) => ({
    data: toWire(await members.get(callerOf(request), request.params.id)),
  }));

  scope.patch<MemberRoute & { Body: Type.Static<typeof memberEditSchema> }>(
    '/organization/members/:id',
    { schema: editSchema, ...smallBodyLimit(scope) },
    async (request) => ({
      data: toWire(await members.edit(callerOf(request), request.params.id, detailsOf(request.body))),
    }),
  );

  scope.delete<MemberRoute>('/organization/members/:id', { schema: removeSchema }, async (request) => {
    await members.remove(callerOf(request), request.params.id);
    return { deleted: true };
  });
}

function detailsOf({ first_name, last_name, role }: Type.Static<typeof memberEditSchema>): PersonDetails {
  return { firstName: first_name, lastName: last_name, role };
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

function resultOnWire({ email, outcome, message }: ImportedPerson): Type.Static<typeof importedMemberSchema> {
  return { email, outcome, ...(message !== undefined && { message }) };
}

const role = Type.Unsafe<Role>(
  Type.Enum(['org:admin', 'org:member'], {
    description: 'An `org:admin` can change everything in the organization with a management key.',
  }),
);

export const memberSchema = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    role,
  },
  { additionalProperties: false, description: 'A person who belongs to the organization.' },
);

const personName = Type.Optional(Type.String({ maxLength: 200, ...documentedPattern(personNamePattern) }));

const details = { first_name: personName, last_name: personName, role: Type.Optional(role) };

export const newMemberSchema = Type.Object(
  { email: Type.String({ maxLength: 254, ...documentedPattern(emailPattern) }), ...details },
  { additionalProperties: false, description: 'Somebody to add; without a role, as an `org:member`.' },
);

export const memberEditSchema = Type.Object(details, { additionalProperties: false, minProperties: 1 });

export const memberImportSchema = Type.Object(
  {
    members: Type.Array(newMemberSchema, { minItems: 1, maxItems: 500 }),
    update_existing: Type.Optional(
      Type.Boolean({
        description:
          'Change those who are members already to what is given. Default false: leave them as they are.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const importedMemberSchema = Type.Object(
  {
    email: Type.String(),
    outcome: Type.Unsafe<ImportOutcome>(
      Type.Enum(['added', 'unchanged', 'updated', 'differs', 'refused'], {
        description:
          '`unchanged` is a member with just these values, `differs` one with others who was left alone; `message` says why somebody was `refused`.',
      }),
    ),
    message: Type.Optional(Type.String({ description: 'Why somebody was refused.' })),
  },
  { additionalProperties: false, description: 'What became of one person in an import.' },
);

const params = Type.Object({
  id: Type.String({
    description: 'The id of a member, or their e-mail address, whose case does not matter.',
  }),
});

const one = { type: 'object', required: ['data'], properties: { data: { $ref: 'OrganizationMember#' } } };

const readErrors = errorResponses(400, 401, 403, 404, 429, 500, 503);
const writeErrors = errorResponses(400, 401, 403, 404, 409, 413, 415, 429, 500, 503);

const listQuery = Type.Object({
  ...pageQuery.properties,
  q: Type.Optional(
    Type.String({
      maxLength: 254,
      description:
        'Only members with words in name or e-mail address that begin with each of these words. The whole address of a member finds only that member.',
    }),
  ),
});

const listSchema = {
  operationId: 'listOrganizationMembers',
  tags: ['Organization'],
  summary: 'List members',
  description: 'In the order in which they joined.',
  querystring: listQuery,
  response: {
    200: {
      description: 'A page of members. Past the end it is empty.',
      type: 'object',
      required: ['data', 'total_count'],
      properties: {
        data: { type: 'array', items: { $ref: 'OrganizationMember#' } },
        total_count: {
          type: 'integer',
          description:
            'How many members there are, or with `q`, how many it finds. If every word of `q` is common (over 1,000 matches), matches are only counted to the first one after the page: the number is then a lower bound, but always exceeds `offset` + `limit` when another page follows.',
        },
      },
    },
    ...readErrors,
  },
};

const addSchema = {
  operationId: 'addOrganizationMember',
  tags: ['Organization'],
  summary: 'Add a member',
  description:
    'Somebody who was a member before comes back as the same user. It is refused with 409 when the address belongs to a member.',
  body: { $ref: 'NewMember#' },
  response: { 201: { description: 'The member.', ...one }, ...writeErrors },
};

const importSchema = {
  operationId: 'importOrganizationMembers',
  tags: ['Organization'],
  summary: 'Add up to 500 members at once',
  description: 'Importing the same people again changes nothing.',
  body: { $ref: 'MemberImport#' },
  response: {
    200: {
      description: 'What became of each, in the order of the request.',
      type: 'object',
      required: ['data', 'added_count', 'updated_count'],
      properties: {
        data: { type: 'array', items: { $ref: 'ImportedMember#' } },
        added_count: { type: 'integer' },
        updated_count: { type: 'integer' },
      },
    },
    ...errorResponses(400, 401, 403, 404, 413, 415, 429, 500, 503),
  },
};

const getSchema = {
  operationId: 'getOrganizationMember',
  tags: ['Organization'],
  summary: 'Get a member',
  params,
  response: { 200: { description: 'The member.', ...one }, ...readErrors },
};

const editSchema = {
  operationId: 'updateOrganizationMember',
  tags: ['Organization'],
  summary: 'Change the role or the name of a member',
  description: 'What is not given stays as it is. The last org:admin cannot become an org:member (409).',
  params,
  body: { $ref: 'MemberEdit#' },
  response: { 200: { description: 'The member after the change.', ...one }, ...writeErrors },
};

const removeSchema = {
  operationId: 'removeOrganizationMember',
  tags: ['Organization'],
  summary: 'Remove a member',
  description:
    'Their keys are refused from then on; their presets stay. The last org:admin cannot be removed (409).',
  params,
  response: { 200: deletedResponse, ...writeErrors },
};
