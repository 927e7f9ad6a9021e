import { Command } from 'commander';
import type { ResponseOf } from '../api/client.ts';
import { isMemberCountExact } from '../api/member-count.ts';
import type { Member } from '../api/members.ts';
import type { Person } from '../api/people.ts';
import { definedFields } from '../core/json/defined-fields.ts';
import { oneLine } from '../core/text/printable.ts';
import {
  connectToOrganization,
  organizationCommand,
  printResponse,
  type ServerOptions,
} from './api-command.ts';
import { MisuseError } from './command-error.ts';
import {
  deactivateCommand,
  inviteCommand,
  reactivateCommand,
  sessionsCommand,
  signInLinkCommand,
} from './member-accounts.ts';
import { importCommand } from './member-import.ts';
import {
  emailArgument,
  type MemberOptions,
  memberFields,
  parseEmail,
  withMemberOptions,
} from './member-options.ts';
import { memberArgument, type PageOptions, withPageOptions } from './options.ts';
import { findMember } from './organization-lookup.ts';
import { type Paint, paintForStdout } from './ui/output.ts';
import { formatPage, optionalColumn, renderKeyValueList, textColumn } from './ui/table.ts';
import { fullName, listNames, shortTime } from './ui/text.ts';

export function memberCommand(): Command {
  return new Command('member')
    .description(
      'Manage the members of the organization and their accounts on the server at PRESETD_URL, with the key in PRESETD_MANAGEMENT_KEY, or on the server of your profile',
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(addCommand())
    .addCommand(inviteCommand())
    .addCommand(importCommand())
    .addCommand(editCommand())
    .addCommand(removeCommand())
    .addCommand(signInLinkCommand())
    .addCommand(sessionsCommand())
    .addCommand(deactivateCommand())
    .addCommand(reactivateCommand());
}

function listCommand(): Command {
  return withPageOptions(organizationCommand('list'))
    .description('List members in the order they joined')
    .option('--search <text>', 'Only members whose name or email address has words starting with this text')
    .option('--details', 'Also show status, last activity and workspaces')
    .action(list);
}

interface DetailsOption {
  readonly details?: true;
}

interface ListOptions extends ServerOptions, PageOptions, DetailsOption {
  readonly search?: string;
}

async function list(options: ListOptions): Promise<void> {
  const { search, limit, offset } = options;
  const api = connectToOrganization(options);
  const query = { q: search, limit, offset };
  // A search does not always count to the end; the last line of the list then says "more than".
  if (options.details)
    printResponse(await api.call('GET /organization/people', { query }), options, (page) =>
      renderPeople(page, offset, search),
    );
  else
    printResponse(await api.call('GET /organization/members', { query }), options, (page) =>
      renderMembers(page, offset, search),
    );
}

function showCommand(): Command {
  return organizationCommand('show')
    .description('Show a member')
    .addArgument(memberArgument())
    .option('--details', 'Also show status, workspaces, last activity and ways to sign in')
    .action(show);
}

/** The API accepts an email address in place of the ID, so no lookup is needed. */
async function show(member: string, options: ServerOptions & DetailsOption): Promise<void> {
  const api = connectToOrganization(options);
  const params = { id: member };
  if (options.details)
    printResponse(await api.call('GET /organization/people/:id', { params }), options, ({ data }) =>
      renderPerson(data, paintForStdout),
    );
  else
    printResponse(await api.call('GET /organization/members/:id', { params }), options, ({ data }) =>
      renderMember(data, paintForStdout),
    );
}

function addCommand(): Command {
  return withMemberOptions(organizationCommand('add'))
    .description('Add a member, as org:member unless --role is given')
    .addArgument(emailArgument())
    .action(add);
}

/**
 * The person gets neither an email nor a link: a member is someone who can own keys, and an admin
 * hands those over.
 */
async function add(email: string, options: ServerOptions & MemberOptions): Promise<void> {
  const response = await connectToOrganization(options).call('POST /organization/members', {
    body: { email, ...memberFields(options) },
  });
  printResponse(
    response,
    options,
    ({ data }) => `Added ${oneLine(data.email)} as ${data.role} (${data.id}).`,
  );
}

function editCommand(): Command {
  return withMemberOptions(organizationCommand('edit'))
    .description('Change the email address, name or role of a member')
    .addArgument(memberArgument())
    .option('--email <address>', 'Email address', parseEmail)
    .action(edit);
}

interface EditOptions extends ServerOptions, MemberOptions {
  readonly email?: string;
}

async function edit(member: string, options: EditOptions): Promise<void> {
  const changes = { ...definedFields({ email: options.email }), ...memberFields(options) };
  // For the confirmation: "last name, role".
  const changed = Object.keys(changes).map((name) => name.replace('_', ' '));
  if (changed.length === 0)
    throw new MisuseError('Nothing to change. Use --email, --first-name, --last-name or --role.');
  const response = await connectToOrganization(options).call('PATCH /organization/members/:id', {
    params: { id: member },
    body: changes,
  });
  printResponse(response, options, ({ data }) => `Updated ${changed.join(', ')} of ${oneLine(data.email)}.`);
}

function removeCommand(): Command {
  return organizationCommand('remove')
    .description('Remove a member and disable their keys; their presets stay')
    .addArgument(memberArgument())
    .action(remove);
}

/**
 * Looks the member up first, so that the confirmation names the email address even if an ID was
 * given.
 */
async function remove(member: string, options: ServerOptions): Promise<void> {
  const api = connectToOrganization(options);
  const { id, email } = await findMember(api, member);
  const response = await api.call('DELETE /organization/members/:id', { params: { id } });
  printResponse(response, options, () => `Removed ${oneLine(email)}.`);
}

/** `search` is needed to tell whether the total is exact. */
export function renderMembers(
  page: ResponseOf<'GET /organization/members'>,
  offset: number,
  search?: string,
): string {
  const rows = page.data.map((member) => [member.email, member.role, fullName(member), member.id]);
  const isTotalExact = isMemberCountExact(page, offset, search);
  const header = ['EMAIL', 'ROLE', textColumn('NAME'), optionalColumn('ID')];
  return formatPage(header, rows, offset, page.total_count, isTotalExact);
}

export function renderMember(member: Member, paint: Paint): string {
  return renderKeyValueList(
    member.email,
    [
      ['name', fullName(member)],
      ['role', member.role],
      ['id', member.id],
    ],
    paint,
  );
}

/** Members with their accounts. */
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
    workspacesOf(person),
    fullName(person),
    person.id,
  ]);
  const header = [
    'EMAIL',
    'STATUS',
    optionalColumn('ROLE', 2),
    'LAST ACTIVE',
    textColumn('WORKSPACES'),
    textColumn('NAME', 1),
    optionalColumn('ID'),
  ];
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
