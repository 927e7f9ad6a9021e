import { emailPattern, personNamePattern } from '../core/organization/organization.ts';
import { Type } from '../core/type.ts';
import { importedMembersMax } from './limits.ts';
import { operations } from './operation.ts';
import { deleted, documentedPattern, named, one, page, pageQuery, ref } from './schema-parts.ts';

/** Members of the organization. `:id` is an id or an email address. */

const role = Type.Enum(['org:admin', 'org:member'], {
  description: 'With a management key, an `org:admin` can change everything in the organization.',
});

export const Member = named(
  'OrganizationMember',
  Type.Object(
    {
      id: Type.String(),
      email: Type.String(),
      first_name: Type.String(),
      last_name: Type.String(),
      role,
    },
    { additionalProperties: false, description: 'A member of the organization.' },
  ),
);

const personName = Type.Optional(Type.String({ maxLength: 200, ...documentedPattern(personNamePattern) }));

const details = { first_name: personName, last_name: personName, role: Type.Optional(role) };

/** 254 characters is the longest that SMTP allows. */
const email = Type.String({ maxLength: 254, ...documentedPattern(emailPattern) });

export const NewMember = named(
  'NewMember',
  Type.Object(
    { email, ...details },
    { additionalProperties: false, description: 'A member to add. The default role is `org:member`.' },
  ),
);

/**
 * All fields are optional, but at least one is required: an empty edit is most likely a mistake.
 */
export const MemberEdit = named(
  'MemberEdit',
  Type.Object({ email: Type.Optional(email), ...details }, { additionalProperties: false, minProperties: 1 }),
);

/** Clients split large files. */
const MemberImport = named(
  'MemberImport',
  Type.Object(
    {
      members: Type.Array(NewMember.schema, { minItems: 1, maxItems: importedMembersMax }),
      update_existing: Type.Optional(
        Type.Boolean({
          description:
            'Whether to update people who are already members. Default false: they stay unchanged.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
);

/** The outcome per person: one that cannot be imported does not fail the others. */
export const ImportedMember = named(
  'ImportedMember',
  Type.Object(
    {
      email: Type.String(),
      outcome: Type.Enum(['added', 'unchanged', 'updated', 'differs', 'refused'], {
        description:
          '`unchanged`: already a member with these values. `differs`: already a member with other values, and not updated. `refused`: see `message`.',
      }),
      message: Type.Optional(Type.String({ description: 'Why the person was refused.' })),
    },
    { additionalProperties: false, description: 'The result for one person of an import.' },
  ),
);

export type Member = Type.Static<typeof Member.schema>;
export type MemberEdit = Type.Static<typeof MemberEdit.schema>;
export type ImportedMember = Type.Static<typeof ImportedMember.schema>;

const params = Type.Object({
  id: Type.String({
    description: 'The id of the member, or their email address in any case.',
  }),
});

const tag = 'Organization';
const oneMember = one(ref(Member));

export const memberOperations = operations({
  'GET /organization/members': {
    id: 'listOrganizationMembers',
    tag,
    access: 'member',
    summary: 'List members',
    description: 'In the order in which they joined.',
    query: Type.Object({
      ...pageQuery.properties,
      q: Type.Optional(
        Type.String({
          maxLength: 254,
          description:
            'Only members whose name or email address has, for each of these words, a word that starts with it. A complete email address finds only its member.',
        }),
      ),
    }),
    response: {
      description: 'A page of members; empty past the end.',
      body: page(
        ref(Member),
        'Number of members or, with `q`, of matches. If every word of `q` is common (over 1,000 matches), this is a lower bound that exceeds `offset` + `limit` whenever another page follows.',
      ),
    },
  },
  'POST /organization/members': {
    id: 'addOrganizationMember',
    tag,
    access: 'org-admin-write',
    summary: 'Add a member',
    description:
      'A former member returns as the same user. Returns 409 if the address already belongs to a member.',
    body: ref(NewMember),
    bodySize: 'small',
    response: { status: 201, description: 'The member.', body: oneMember },
    errors: [409],
  },
  'POST /organization/members/import': {
    id: 'importOrganizationMembers',
    tag,
    access: 'org-admin-write',
    summary: 'Add up to 500 members at once',
    description: 'Importing the same people again changes nothing.',
    body: ref(MemberImport),
    bodySize: 'list',
    response: {
      description: 'The result for each person, in the order of the request.',
      body: Type.Object({
        data: Type.Array(ref(ImportedMember)),
        added_count: Type.Integer(),
        updated_count: Type.Integer(),
      }),
    },
  },
  'GET /organization/members/:id': {
    id: 'getOrganizationMember',
    tag,
    access: 'member',
    summary: 'Get a member',
    params,
    response: { description: 'The member.', body: oneMember },
  },
  'PATCH /organization/members/:id': {
    id: 'updateOrganizationMember',
    tag,
    access: 'org-admin-write',
    summary: 'Update a member',
    description:
      'Changes the address, the name or the role. Omitted fields stay unchanged. With another address, people keep their sessions, keys and providers, but their invitations and sign-in links stop working. The last org:admin cannot become an org:member (409), and two users cannot have the same address (409).',
    params,
    body: ref(MemberEdit),
    bodySize: 'small',
    response: { description: 'The updated member.', body: oneMember },
    errors: [409],
  },
  'DELETE /organization/members/:id': {
    id: 'removeOrganizationMember',
    tag,
    access: 'org-admin-write',
    summary: 'Remove a member',
    description:
      'Disables their keys and deletes their drafts; their presets stay. The last org:admin cannot be removed (409).',
    params,
    response: deleted,
    errors: [409],
  },
});
