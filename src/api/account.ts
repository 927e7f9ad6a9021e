import { emailPattern, personNamePattern } from '../core/organization/organization.ts';
import { workspaceRoles } from '../core/organization/workspace-role.ts';
import { Type } from '../core/type.ts';
import { passwordLengthMax, passwordLengthMin } from './limits.ts';
import { operations } from './operation.ts';
import { deleted, documentedPattern, named, nullable, one, ref, timestamp, uuid } from './schema-parts.ts';

/** The person behind a request: who they are, what they may do, and where they are signed in. */

export const workspaceRole = Type.Enum([...workspaceRoles], {
  description:
    '`viewer`: reads and calls presets. `editor`: also writes versions and labels. `admin`: also changes the live version, archives, and manages keys and members.',
});

/** A workspace in which a person has a role. */
export const WorkspaceAccess = named(
  'WorkspaceAccess',
  Type.Object(
    {
      id: uuid,
      slug: Type.String(),
      name: Type.String(),
      is_default: Type.Boolean(),
      is_content_logged: Type.Boolean({
        description: 'Whether the requests and responses of calls are stored.',
      }),
      role: workspaceRole,
    },
    { additionalProperties: false, description: 'A workspace, and the role of a person in it.' },
  ),
);

export const Account = named(
  'Account',
  Type.Object(
    {
      id: Type.String({ description: 'The id of the user.' }),
      email: Type.String(),
      first_name: Type.String(),
      last_name: Type.String(),
      organization: nullable(
        Type.Object({
          id: uuid,
          name: Type.String(),
          role: Type.Enum(['org:admin', 'org:member']),
        }),
      ),
      workspaces: Type.Array(ref(WorkspaceAccess), {
        description:
          'The workspaces that this request can access, the default workspace first. An API key accesses one.',
      }),
      has_password: Type.Boolean(),
      can_set_password: Type.Boolean({
        description: 'False if people of this organization sign in only with a provider.',
      }),
      needs_current_password: Type.Boolean({
        description:
          'Whether changing the password requires the current one: if there is one, except within 15 minutes of a sign-in with a link.',
      }),
      credential: Type.Object(
        {
          kind: Type.Enum(['session', 'api', 'management']),
          id: Type.String({ description: 'The id of the session or the `hash` of the key.' }),
          label: Type.String(),
          scope: Type.Enum(['call', 'read', 'write']),
          method: nullable(
            Type.String({
              description: 'How a session began: `password`, `link` or the id of a provider. Null for a key.',
            }),
          ),
          expires_at: nullable(timestamp),
        },
        { description: 'The session or key of this request.' },
      ),
    },
    { additionalProperties: false, description: 'The person behind a request, and what they can access.' },
  ),
);

const personName = Type.Optional(Type.String({ maxLength: 200, ...documentedPattern(personNamePattern) }));

const AccountEdit = named(
  'AccountEdit',
  Type.Object(
    {
      first_name: personName,
      last_name: personName,
      email: Type.Optional(
        Type.String({
          maxLength: 254,
          ...documentedPattern(emailPattern),
          description: 'Only an org:admin can change an email address.',
        }),
      ),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
);

/** The core checks the length, because it explains the rules for passwords together. */
const newPassword = Type.String({
  maxLength: 4096,
  description: `${passwordLengthMin} to ${passwordLengthMax} characters; common passwords are rejected.`,
});

const PasswordChange = named(
  'PasswordChange',
  Type.Object(
    {
      password: newPassword,
      current_password: Type.Optional(
        Type.String({
          maxLength: 4096,
          description: 'Required if `needs_current_password` of the account is true.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
);

export const Session = named(
  'Session',
  Type.Object(
    {
      id: uuid,
      label: Type.String({ description: 'How events name this session.' }),
      method: Type.String({ description: '`password`, `link` or the id of a provider.' }),
      address: Type.String({ description: 'The network address that the person signed in from.' }),
      user_agent: Type.String(),
      created_at: timestamp,
      last_used_at: Type.String({ format: 'date-time', description: 'Updated at most once a minute.' }),
      expires_at: Type.String({
        format: 'date-time',
        description: 'The session ends at this time, or earlier if it is not used.',
      }),
      is_current: Type.Boolean({ description: 'Whether this request belongs to the session.' }),
    },
    { additionalProperties: false, description: 'A place where a person is signed in.' },
  ),
);

export type Account = Type.Static<typeof Account.schema>;
export type Session = Type.Static<typeof Session.schema>;
export type WorkspaceAccess = Type.Static<typeof WorkspaceAccess.schema>;

export const sessionList = {
  description: 'The sessions, most recently used first.',
  body: Type.Object({ data: Type.Array(ref(Session)) }),
};

const tag = 'Account';
const oneAccount = one(ref(Account));

export const accountOperations = operations({
  'GET /account': {
    id: 'getAccount',
    tag,
    access: 'anyone',
    summary: 'Get the person behind this request',
    description: 'With a key, this is the owner of the key.',
    response: { description: 'The person and what this request can access.', body: oneAccount },
  },
  'PATCH /account': {
    id: 'updateAccount',
    tag,
    access: 'session',
    summary: 'Update your name or email address',
    body: ref(AccountEdit),
    bodySize: 'small',
    response: { description: 'The updated account.', body: oneAccount },
    errors: [409],
  },
  'PUT /account/password': {
    id: 'setPassword',
    tag,
    access: 'session',
    summary: 'Set your password',
    description: 'Ends all your other sessions.',
    body: ref(PasswordChange),
    bodySize: 'small',
    response: { description: 'The account.', body: oneAccount },
  },
  'GET /account/sessions': {
    id: 'listSessions',
    tag,
    access: 'session',
    summary: 'List your sessions',
    response: sessionList,
  },
  'DELETE /account/sessions/:session_id': {
    id: 'endSession',
    tag,
    access: 'session',
    summary: 'End one of your sessions',
    params: Type.Object({ session_id: Type.String() }),
    response: deleted,
  },
  'DELETE /account/sessions': {
    id: 'endAllSessions',
    tag,
    access: 'session',
    summary: 'Sign out everywhere',
    description: 'Ends all your sessions, including this one. Your keys keep working.',
    response: deleted,
  },
});
