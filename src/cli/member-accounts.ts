import { type Command, InvalidArgumentError } from 'commander';
import type { Session } from '../api/account.ts';
import { definedFields } from '../core/json/defined-fields.ts';
import { type WorkspaceRole, workspaceRoles } from '../core/organization/workspace-role.ts';
import { oneLine } from '../core/text/printable.ts';
import {
  connectToOrganization,
  organizationCommand,
  printJson,
  printResponse,
  type ServerOptions,
} from './api-command.ts';
import { hintIfResponseLost } from './api-errors.ts';
import { emailArgument, type MemberOptions, memberFields, withMemberOptions } from './member-options.ts';
import { memberArgument, parseIdentifier, repeated } from './options.ts';
import { printSecret } from './ui/output.ts';
import { formatTable, optionalColumn, textColumn } from './ui/table.ts';
import { shortTime } from './ui/text.ts';

/** The `member` commands about accounts: how members sign in, and whether they may. */

export function inviteCommand(): Command {
  return withMemberOptions(organizationCommand('invite'))
    .description('Add a member and print a link that signs them in once, within seven days')
    .addArgument(emailArgument())
    .option(
      '--workspace <slug=role>',
      `Role in a workspace: ${workspaceRoles.join(', ')}; repeat it for more. Every member is at least a viewer of the default workspace`,
      repeated(parseWorkspaceRole),
    )
    .action(invite);
}

interface WorkspaceRoleOption {
  readonly id: string;
  readonly role: WorkspaceRole;
}

function parseWorkspaceRole(text: string): WorkspaceRoleOption {
  const [id = '', name = '', ...rest] = text.split('=');
  const role = workspaceRoles.find((known) => known === name);
  if (role === undefined || rest.length > 0)
    throw new InvalidArgumentError(
      `Must be a workspace and one of ${workspaceRoles.join(', ')}, such as support=editor.`,
    );
  return { id: parseIdentifier(id), role };
}

/** Inviting somebody again replaces their link, so a lost response does no harm. */
async function invite(
  email: string,
  options: ServerOptions & MemberOptions & { readonly workspace?: readonly WorkspaceRoleOption[] },
): Promise<void> {
  const { workspace: workspaces } = options;
  const response = await connectToOrganization(options)
    .call('POST /organization/invitations', {
      body: {
        email,
        ...memberFields(options),
        ...definedFields({ workspaces: workspaces && [...workspaces] }),
      },
    })
    .catch(hintIfResponseLost('The member may have been added anyway; invite them again to get a link.'));
  if (options.json) return printJson(response);
  const { data, url, expires_at } = response.content;
  printSecret(
    url,
    oneLine(
      `Invited ${data.email} as ${data.role}. Send them this link; it signs in the first person who opens it, until ${shortTime(expires_at)}:`,
    ),
  );
}

export function signInLinkCommand(): Command {
  return organizationCommand('sign-in-link')
    .description('Print a link that signs a member in once, for example after they lost their password')
    .addArgument(memberArgument())
    .action(signInLink);
}

async function signInLink(member: string, options: ServerOptions): Promise<void> {
  const response = await connectToOrganization(options).call('POST /organization/people/:id/sign-in-link', {
    params: { id: member },
  });
  if (options.json) return printJson(response);
  const { url, expires_at } = response.content.data;
  printSecret(
    url,
    oneLine(
      `Send this link to ${member}; it signs in the first person who opens it, until ${shortTime(expires_at)}:`,
    ),
  );
}

export function deactivateCommand(): Command {
  return organizationCommand('deactivate')
    .description('Sign a member out everywhere and block their keys')
    .addArgument(memberArgument())
    .action(
      change(
        'deactivate',
        (email) => `Deactivated ${email}: they cannot sign in, and their keys do not work.`,
      ),
    );
}

export function reactivateCommand(): Command {
  return organizationCommand('reactivate')
    .description('Let a deactivated member sign in and use their keys again')
    .addArgument(memberArgument())
    .action(change('reactivate', (email) => `Reactivated ${email}: their keys work again.`));
}

function change(action: 'deactivate' | 'reactivate', describe: (email: string) => string) {
  return async (member: string, options: ServerOptions): Promise<void> => {
    const route = `POST /organization/people/:id/${action}` as const;
    const response = await connectToOrganization(options).call(route, { params: { id: member } });
    printResponse(response, options, ({ data }) => describe(oneLine(data.email)));
  };
}

export function sessionsCommand(): Command {
  return organizationCommand('sessions')
    .description('List the places where a member is signed in, or end their sessions')
    .addArgument(memberArgument())
    .option('--end [id]', 'End all their sessions, or the one with this ID', parseIdentifier)
    .action(sessions);
}

interface SessionsOptions extends ServerOptions {
  readonly end?: string | true;
}

async function sessions(member: string, options: SessionsOptions): Promise<void> {
  const api = connectToOrganization(options);
  const { end } = options;
  if (end === undefined) {
    const response = await api.call('GET /organization/people/:id/sessions', { params: { id: member } });
    return printResponse(response, options, ({ data }) => renderSessions(data));
  }
  const response =
    end === true
      ? await api.call('DELETE /organization/people/:id/sessions', { params: { id: member } })
      : await api.call('DELETE /organization/people/:id/sessions/:session_id', {
          params: { id: member, session_id: end },
        });
  const ended = end === true ? 'all sessions' : `session ${end}`;
  printResponse(response, options, () => `Ended ${ended} of ${member}. This does not change their keys.`);
}

export function renderSessions(sessionsOfPerson: readonly Session[]): string {
  if (sessionsOfPerson.length === 0) return 'Not signed in anywhere.';
  const rows = sessionsOfPerson.map((session) => [
    session.id,
    session.method,
    session.address,
    shortTime(session.last_used_at),
    shortTime(session.expires_at),
    session.user_agent,
  ]);
  const header = [
    'ID',
    optionalColumn('METHOD', 2),
    optionalColumn('ADDRESS', 1),
    'LAST USED',
    optionalColumn('EXPIRES'),
    textColumn('BROWSER'),
  ];
  return formatTable(header, rows);
}
