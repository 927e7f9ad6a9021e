import { emailPattern, personNamePattern } from '../core/organization/organization.ts';
import { Type } from '../core/type.ts';
import { sessionList, WorkspaceAccess, workspaceRole } from './account.ts';
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
} from './schema-parts.ts';

/**
 * Members of the organization as accounts: how they sign in, when they were last active and what
 * their roles are. `/organization/members` has the fields of OpenRouter's API only.
 */

const role = Type.Enum(['org:admin', 'org:member']);

export const Person = named(
  'Person',
  Type.Object(
    {
      id: Type.String(),
      email: Type.String(),
      first_name: Type.String(),
      last_name: Type.String(),
      role,
      status: Type.Enum(['active', 'invited', 'deactivated'], {
        description:
          '`invited`: has never signed in. `deactivated`: cannot sign in, and their keys do not work.',
      }),
      last_active_at: nullable(
        Type.String({
          format: 'date-time',
          description:
            'The last use of a session or key of theirs. Null for everybody but an `org:admin` and the person.',
        }),
      ),
      has_password: nullable(
        Type.Boolean({ description: 'Null for everybody but an `org:admin` and the person.' }),
      ),
      providers: nullable(
        Type.Array(Type.String(), {
          description:
            'Ids of providers they have signed in with. Null for everybody but an `org:admin` and the person.',
        }),
      ),
      is_provisioned: Type.Boolean({ description: 'Whether SCIM manages this account.' }),
      workspaces: Type.Array(ref(WorkspaceAccess), {
        description: 'Only those in which you have a role, unless you are an `org:admin` or the person.',
      }),
    },
    { additionalProperties: false, description: 'A member of the organization and their account.' },
  ),
);

const personName = Type.Optional(Type.String({ maxLength: 200, ...documentedPattern(personNamePattern) }));

export const NewInvitation = named(
  'NewInvitation',
  Type.Object(
    {
      email: Type.String({ maxLength: 254, ...documentedPattern(emailPattern) }),
      first_name: personName,
      last_name: personName,
      role: Type.Optional(role),
      workspaces: Type.Optional(
        Type.Array(
          Type.Object(
            { id: Type.String({ description: 'The id or slug of a workspace.' }), role: workspaceRole },
            { additionalProperties: false },
          ),
          {
            maxItems: 100,
            description:
              'Roles in workspaces. Everyone belongs to the default workspace, as a viewer unless it is listed.',
          },
        ),
      ),
    },
    { additionalProperties: false },
  ),
);

/** A link that signs its holder in once. */
const link = {
  url: Type.String({
    description: 'Send it to the person. It works once, for the first person who opens it.',
  }),
  expires_at: timestamp,
};

export type Person = Type.Static<typeof Person.schema>;

const params = Type.Object({
  id: Type.String({ description: 'The id of the member, or their email address in any case.' }),
});

const tag = 'Organization';
const onePerson = one(ref(Person));

export const peopleOperations = operations({
  'GET /organization/people': {
    id: 'listPeople',
    tag,
    access: 'member',
    summary: 'List people and their accounts',
    description: 'In the order in which they joined.',
    query: Type.Object({
      ...pageQuery.properties,
      q: Type.Optional(
        Type.String({ maxLength: 254, description: 'A search as in `/organization/members`.' }),
      ),
    }),
    response: { description: 'A page of people; empty past the end.', body: page(ref(Person)) },
  },
  'GET /organization/people/:id': {
    id: 'getPerson',
    tag,
    access: 'member',
    summary: 'Get a person and their account',
    params,
    response: { description: 'The person.', body: onePerson },
  },
  'POST /organization/invitations': {
    id: 'invitePerson',
    tag,
    access: 'org-admin-write',
    summary: 'Invite a person',
    description:
      'Adds them to the organization and returns a link that signs them in once, within seven days. Inviting somebody who has not signed in yet replaces their link; their roles stay.',
    body: ref(NewInvitation),
    bodySize: 'small',
    response: {
      status: 201,
      description: 'The person and their link.',
      body: Type.Object({ data: ref(Person), ...link }),
    },
    errors: [409],
  },
  'POST /organization/people/:id/sign-in-link': {
    id: 'createSignInLink',
    tag,
    access: 'org-admin-write',
    summary: 'Create a sign-in link for a person',
    description: 'For somebody who has lost their password. It works once, within 15 minutes.',
    params,
    response: { status: 201, description: 'The link.', body: one(Type.Object(link)) },
    errors: [409],
  },
  'POST /organization/people/:id/deactivate': {
    id: 'deactivatePerson',
    tag,
    access: 'org-admin-write',
    summary: 'Deactivate a person',
    description:
      'Ends their sessions, and their keys stop working, in every presetd process within a second. The last org:admin cannot be deactivated (409).',
    params,
    response: { description: 'The person.', body: onePerson },
    errors: [409],
  },
  'POST /organization/people/:id/reactivate': {
    id: 'reactivatePerson',
    tag,
    access: 'org-admin-write',
    summary: 'Reactivate a person',
    description: 'Their keys work again.',
    params,
    response: { description: 'The person.', body: onePerson },
  },
  'GET /organization/people/:id/sessions': {
    id: 'listPersonSessions',
    tag,
    access: 'org-admin-write',
    summary: 'List the sessions of a person',
    params,
    response: sessionList,
  },
  'DELETE /organization/people/:id/sessions': {
    id: 'endPersonSessions',
    tag,
    access: 'org-admin-write',
    summary: 'End all sessions of a person',
    params,
    response: deleted,
  },
  'DELETE /organization/people/:id/sessions/:session_id': {
    id: 'endPersonSession',
    tag,
    access: 'org-admin-write',
    summary: 'End a session of a person',
    params: Type.Object({ ...params.properties, session_id: Type.String() }),
    response: deleted,
  },
});
