import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { documentedPattern } from '../../api/documented-pattern.ts';
import { deletedResponse, errorResponses } from '../../api/errors.ts';
import { pageOf, pageQuery } from '../../api/page-query.ts';
import type {
  MemberDetails,
  MemberImportOutcome,
  MemberImportResult,
} from '../../core/organization/member-change.ts';
import type { Members } from '../../core/organization/members.ts';
import type { Member, Role } from '../../core/organization/organization.ts';
import { emailPattern, personNamePattern } from '../../core/organization/organization.ts';
import { callerOf } from '../authentication.ts';
import { listBodyLimit, smallBodyLimit } from '../body/request-body.ts';

interface MemberRoute {
  readonly Params: { readonly id: string };
}

/**
 * Members of the organization, for management keys; changes need one of an org:admin. `:id` is an
 * id or an e-mail address.
 *
 * Removing a member disables their keys at once. The organization always keeps one org:admin, also
 * if several are demoted at the same time: changes of one organization run one after the other.
 */
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
      const { members: entries, update_existing: updateExisting = false } = request.body;
      const people = entries.map(({ email, ...details }) => ({ email, ...detailsOf(details) }));
      const results = await members.import(callerOf(request), people, updateExisting);
      const count = (outcome: MemberImportOutcome) =>
        results.filter((each) => each.outcome === outcome).length;
      return {
        data: results.map(resultToWire),
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

function detailsOf({ first_name, last_name, role }: Type.Static<typeof memberEditSchema>): MemberDetails {
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

function resultToWire({
  email,
  outcome,
  message,
}: MemberImportResult): Type.Static<typeof importedMemberSchema> {
  return { email, outcome, ...(message !== undefined && { message }) };
}

const role = Type.Unsafe<Role>(
  Type.Enum(['org:admin', 'org:member'], {
    description: 'With a management key, an `org:admin` can change everything in the organization.',
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
  { additionalProperties: false, description: 'A member of the organization.' },
);

const personName = Type.Optional(Type.String({ maxLength: 200, ...documentedPattern(personNamePattern) }));

const details = { first_name: personName, last_name: personName, role: Type.Optional(role) };

/** 254 characters is the longest e-mail address that SMTP allows. */
export const newMemberSchema = Type.Object(
  { email: Type.String({ maxLength: 254, ...documentedPattern(emailPattern) }), ...details },
  { additionalProperties: false, description: 'A member to add. The default role is `org:member`.' },
);

/**
 * All fields are optional, but at least one is required: an empty edit is most likely a mistake.
 */
export const memberEditSchema = Type.Object(details, { additionalProperties: false, minProperties: 1 });

/**
 * Bounded, because no other change to the organization can run meanwhile. Clients split large
 * files.
 */
export const memberImportSchema = Type.Object(
  {
    members: Type.Array(newMemberSchema, { minItems: 1, maxItems: 500 }),
    update_existing: Type.Optional(
      Type.Boolean({
        description: 'Whether to update people who are already members. Default false: they stay unchanged.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** The outcome per person: one that cannot be imported does not fail the others. */
export const importedMemberSchema = Type.Object(
  {
    email: Type.String(),
    outcome: Type.Unsafe<MemberImportOutcome>(
      Type.Enum(['added', 'unchanged', 'updated', 'differs', 'refused'], {
        description:
          '`unchanged`: already a member with these values. `differs`: already a member with other values, and not updated. `refused`: see `message`.',
      }),
    ),
    message: Type.Optional(Type.String({ description: 'Why the person was refused.' })),
  },
  { additionalProperties: false, description: 'The result for one person of an import.' },
);

const params = Type.Object({
  id: Type.String({
    description: 'The id of the member, or their e-mail address in any case.',
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
        'Only members whose name or e-mail address has, for each of these words, a word that starts with it. A complete e-mail address finds only its member.',
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
      description: 'A page of members; empty past the end.',
      type: 'object',
      required: ['data', 'total_count'],
      properties: {
        data: { type: 'array', items: { $ref: 'OrganizationMember#' } },
        total_count: {
          type: 'integer',
          description:
            'Number of members or, with `q`, of matches. If every word of `q` is common (over 1,000 matches), this is a lower bound that exceeds `offset` + `limit` whenever another page follows.',
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
    'A former member returns as the same user. Returns 409 if the address already belongs to a member.',
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
      description: 'The result for each person, in the order of the request.',
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
  summary: 'Update a member',
  description:
    'Changes the role or the name. Omitted fields stay unchanged. The last org:admin cannot become an org:member (409).',
  params,
  body: { $ref: 'MemberEdit#' },
  response: { 200: { description: 'The updated member.', ...one }, ...writeErrors },
};

const removeSchema = {
  operationId: 'removeOrganizationMember',
  tags: ['Organization'],
  summary: 'Remove a member',
  description: 'Disables their keys; their presets stay. The last org:admin cannot be removed (409).',
  params,
  response: { 200: deletedResponse, ...writeErrors },
};
