import { Argument, Command, InvalidArgumentError } from 'commander';
import type { Session } from '../api/account.ts';
import type { ResponseOf } from '../api/client.ts';
import { isMemberCountExact } from '../api/member-count.ts';
import type { Person } from '../api/people.ts';
import { type WorkspaceRole, workspaceRoles } from '../core/organization/workspace-role.ts';
import { oneLine, truncate } from '../core/printable.ts';
import {
  connectToOrganization,
  organizationCommand,
  printJson,
  printResponse,
  type ServerOptions,
} from './api-command.ts';
import { hintIfResponseLost } from './api-errors.ts';
import { type MemberOptions, memberFields, parseEmail, withMemberOptions } from './members.ts';
import {
  givenOptions,
  memberArgument,
  type PageOptions,
  parseIdentifier,
  withPageOptions,
} from './options.ts';
import { type Paint, paintForStdout, printSecret } from './ui/output.ts';
import { formatPage, formatTable, renderKeyValueList } from './ui/table.ts';
import { fullName, listNames, shortTime } from './ui/text.ts';

/** Members as accounts: how they sign in, and whether they may. `member` manages who they are. */
export function peopleCommand(): Command {
  return new Command('people')
    .description(
      'Invite people and manage their accounts on the server at PRESETD_URL, with the key in PRESETD_MANAGEMENT_KEY, or on the server of your profile',
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(inviteCommand())
    .addCommand(signInLinkCommand())
    .addCommand(deactivateCommand())
    .addCommand(reactivateCommand())
    .addCommand(sessionsCommand());
}

function listCommand(): Command {
  return withPageOptions(organizationCommand('list'))
    .description('List people with their status and roles, in the order they joined')
    .option('--search <text>', 'Only people whose name or email address has words starting with this text')
    .action(list);
}

async function list(options: ServerOptions & PageOptions & { readonly search?: string }): Promise<void> {
  const { search, limit, offset } = options;
  const response = await connectToOrganization(options).call('GET /organization/people', {
    query: { q: search, limit, offset },
  });
  printResponse(response, options, (page) => renderPeople(page, offset, search));
}

function showCommand(): Command {
  return organizationCommand('show')
    .description('Show a person and how they sign in')
    .addArgument(memberArgument())
    .action(show);
}

async function show(person: string, options: ServerOptions): Promise<void> {
  const response = await connectToOrganization(options).call('GET /organization/people/:id', {
    params: { id: person },
  });
  printResponse(response, options, ({ data }) => renderPerson(data, paintForStdout));
}

function inviteCommand(): Command {
  return withMemberOptions(organizationCommand('invite'))
    .description('Add a person and print a link that signs them in once, within seven days')
    .addArgument(new Argument('<email>', 'Email address').argParser(parseEmail))
    .option(
      '--workspace <slug=role>',
      `Role in a workspace: ${workspaceRoles.join(', ')}; repeat it for more (default: viewer of the default workspace)`,
      parseWorkspaceRoles,
    )
    .action(invite);
}

interface WorkspaceRoleOption {
  readonly id: string;
  readonly role: WorkspaceRole;
}

/** Commander calls the parser once per value and passes what it returned before. */
export function parseWorkspaceRoles(
  text: string,
  previous: readonly WorkspaceRoleOption[] = [],
): readonly WorkspaceRoleOption[] {
  const [id = '', name = '', ...rest] = text.split('=');
  const role = workspaceRoles.find((known) => known === name);
  if (role === undefined || rest.length > 0)
    throw new InvalidArgumentError(
      `Must be a workspace and one of ${workspaceRoles.join(', ')}, such as support=editor.`,
    );
  return [...previous, { id: parseIdentifier(id), role }];
}

/** Inviting a person again replaces their link, so a lost response does no harm. */
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
        ...givenOptions({ workspaces: workspaces && [...workspaces] }),
      },
    })
    .catch(hintIfResponseLost('The person may have been added anyway; invite them again to get a link.'));
  if (options.json) return printJson(response);
  const { data, url, expires_at } = response.content;
  printSecret(
    url,
    oneLine(
      `Invited ${data.email} as ${data.role}. Send them this link; it signs in the first person who opens it, until ${shortTime(expires_at)}:`,
    ),
  );
}

function signInLinkCommand(): Command {
  return organizationCommand('sign-in-link')
    .description('Print a link that signs a person in once, for example after they lost their password')
    .addArgument(memberArgument())
    .action(signInLink);
}

async function signInLink(person: string, options: ServerOptions): Promise<void> {
  const response = await connectToOrganization(options).call('POST /organization/people/:id/sign-in-link', {
    params: { id: person },
  });
  if (options.json) return printJson(response);
  const { url, expires_at } = response.content.data;
  printSecret(
    url,
    oneLine(
      `Send this link to ${person}; it signs in the first person who opens it, until ${shortTime(expires_at)}:`,
    ),
  );
}

function deactivateCommand(): Command {
  return organizationCommand('deactivate')
    .description('Sign a person out everywhere and block their keys')
    .addArgument(memberArgument())
    .action(deactivate);
}

async function deactivate(person: string, options: ServerOptions): Promise<void> {
  const response = await connectToOrganization(options).call('POST /organization/people/:id/deactivate', {
    params: { id: person },
  });
  printResponse(
    response,
    options,
    ({ data }) => `Deactivated ${oneLine(data.email)}: they cannot sign in, and their keys do not work.`,
  );
}

function reactivateCommand(): Command {
  return organizationCommand('reactivate')
    .description('Let a deactivated person sign in and use their keys again')
    .addArgument(memberArgument())
    .action(reactivate);
}

async function reactivate(person: string, options: ServerOptions): Promise<void> {
  const response = await connectToOrganization(options).call('POST /organization/people/:id/reactivate', {
    params: { id: person },
  });
  printResponse(
    response,
    options,
    ({ data }) => `Reactivated ${oneLine(data.email)}: their keys work again.`,
  );
}

function sessionsCommand(): Command {
  return organizationCommand('sessions')
    .description('List the places where a person is signed in, or end their sessions')
    .addArgument(memberArgument())
    .option('--end [id]', 'End all their sessions, or the one with this ID', parseIdentifier)
    .action(sessions);
}

interface SessionsOptions extends ServerOptions {
  readonly end?: string | true;
}

async function sessions(person: string, options: SessionsOptions): Promise<void> {
  const api = connectToOrganization(options);
  const { end } = options;
  if (end === undefined) {
    const response = await api.call('GET /organization/people/:id/sessions', { params: { id: person } });
    return printResponse(response, options, ({ data }) => renderSessions(data));
  }
  const response =
    end === true
      ? await api.call('DELETE /organization/people/:id/sessions', { params: { id: person } })
      : await api.call('DELETE /organization/people/:id/sessions/:session_id', {
          params: { id: person, session_id: end },
        });
  const ended = end === true ? 'all sessions' : `session ${end}`;
  printResponse(response, options, () => `Ended ${ended} of ${person}. This does not change their keys.`);
}

/** `search` is needed to tell whether the total is exact. */
export function renderPeople(
  page: ResponseOf<'GET /organization/people'>,
  offset: number,
  search?: string,
): string {
  const rows = page.data.map((person) => [
    person.email,
    person.status,
    person.role,
    lastActiveOf(person),
    truncate(workspacesOf(person), 60),
    fullName(person),
    person.id,
  ]);
  const header = ['EMAIL', 'STATUS', 'ROLE', 'LAST ACTIVE', 'WORKSPACES', 'NAME', 'ID'];
  return formatPage(header, rows, offset, page.total_count, isMemberCountExact(page, offset, search));
}

export function renderPerson(person: Person, paint: Paint): string {
  const { has_password: hasPassword, providers } = person;
  const ways = [...(hasPassword ? ['password'] : []), ...(providers ?? [])];
  const isHidden = providers === null;
  return renderKeyValueList(
    person.email,
    [
      ['name', fullName(person)],
      ['status', person.status],
      ['role', person.role],
      ['workspaces', workspacesOf(person)],
      ['last active', lastActiveOf(person)],
      ['signs in with', isHidden ? '' : ways.length === 0 ? 'one-time links' : listNames(ways)],
      ['managed by', person.is_provisioned ? 'SCIM' : ''],
      ['id', person.id],
    ],
    paint,
  );
}

export function renderSessions(sessionsOfPerson: readonly Session[]): string {
  if (sessionsOfPerson.length === 0) return 'Not signed in anywhere.';
  const rows = sessionsOfPerson.map((session) => [
    session.id,
    session.method,
    session.address,
    shortTime(session.last_used_at),
    shortTime(session.expires_at),
    truncate(session.user_agent, 60),
  ]);
  return formatTable(['ID', 'METHOD', 'ADDRESS', 'LAST USED', 'EXPIRES', 'BROWSER'], rows);
}

/** Empty if only an org:admin may know. */
function lastActiveOf({ last_active_at, providers }: Person): string {
  if (providers === null) return '';
  return last_active_at === null ? 'never' : shortTime(last_active_at);
}

/** An org:admin is an admin of every workspace. */
function workspacesOf({ role, workspaces }: Person): string {
  if (role === 'org:admin') return 'all (admin)';
  return listNames(workspaces.map((workspace) => `${workspace.slug} (${workspace.role})`));
}
