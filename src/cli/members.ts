import { Argument, Command, InvalidArgumentError } from 'commander';
import type { ResponseOf } from '../api/client.ts';
import { isMemberCountExact } from '../api/member-count.ts';
import type { Member } from '../api/members.ts';
import { isEmail, type Role, roles } from '../core/organization/organization.ts';
import { oneLine } from '../core/printable.ts';
import { parseRole } from '../member-import/people-parser.ts';
import {
  connectToOrganization,
  organizationCommand,
  printResponse,
  type ServerOptions,
} from './api-command.ts';
import { UsageError } from './command-error.ts';
import { importCommand } from './member-import.ts';
import { givenOptions, memberArgument, type PageOptions, parseName, withPageOptions } from './options.ts';
import { findMember } from './organization-lookup.ts';
import { type Paint, paintForStdout } from './ui/output.ts';
import { formatPage, renderKeyValueList } from './ui/table.ts';
import { fullName } from './ui/text.ts';

export function memberCommand(): Command {
  return new Command('member')
    .description(
      'Manage the members of the organization on the server at PRESETD_URL, with the key in PRESETD_MANAGEMENT_KEY, or on the server of your profile',
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(addCommand())
    .addCommand(editCommand())
    .addCommand(removeCommand())
    .addCommand(importCommand());
}

function listCommand(): Command {
  return withPageOptions(organizationCommand('list'))
    .description('List members in the order they joined')
    .option('--search <text>', 'Only members whose name or email address has words starting with this text')
    .action(list);
}

interface ListOptions extends ServerOptions, PageOptions {
  readonly search?: string;
}

async function list(options: ListOptions): Promise<void> {
  const { search, limit, offset } = options;
  const response = await connectToOrganization(options).call('GET /organization/members', {
    query: { q: search, limit, offset },
  });
  // A search does not always count to the end; the last line of the list then says "more than".
  printResponse(response, options, (page) => renderMembers(page, offset, search));
}

function showCommand(): Command {
  return organizationCommand('show').description('Show a member').addArgument(memberArgument()).action(show);
}

/** The API accepts an email address in place of the ID, so no lookup is needed. */
async function show(member: string, options: ServerOptions): Promise<void> {
  const response = await connectToOrganization(options).call('GET /organization/members/:id', {
    params: { id: member },
  });
  printResponse(response, options, ({ data }) => renderMember(data, paintForStdout));
}

function addCommand(): Command {
  return withMemberOptions(organizationCommand('add'))
    .description('Add a member, as org:member unless --role is given')
    .addArgument(new Argument('<email>', 'Email address').argParser(parseEmail))
    .action(add);
}

/**
 * The person gets no email: a member is someone who can own keys, and an admin hands those over.
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
  const changes = { ...givenOptions({ email: options.email }), ...memberFields(options) };
  // For the confirmation: "last name, role".
  const changed = Object.keys(changes).map((name) => name.replace('_', ' '));
  if (changed.length === 0)
    throw new UsageError('Nothing to change. Use --email, --first-name, --last-name or --role.');
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

export interface MemberOptions {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly role?: Role;
}

/** Adds the options that `add`, `edit` and `people invite` share. */
export function withMemberOptions(command: Command): Command {
  return command
    .option('--first-name <text>', 'First name', parseName)
    .option('--last-name <text>', 'Last name', parseName)
    .option('--role <role>', `Role: ${roles.join(' or ')}`, parseRoleOption);
}

export function parseEmail(text: string): string {
  if (isEmail(text)) return text;
  throw new InvalidArgumentError('Must be an email address.');
}

function parseRoleOption(text: string): Role {
  const role = parseRole(text);
  if (role !== undefined) return role;
  throw new InvalidArgumentError(`Must be ${roles.join(' or ')}.`);
}

export function memberFields({ firstName, lastName, role }: MemberOptions) {
  return givenOptions({ first_name: firstName, last_name: lastName, role });
}

/** `search` is needed to tell whether the total is exact. */
export function renderMembers(
  page: ResponseOf<'GET /organization/members'>,
  offset: number,
  search?: string,
): string {
  const rows = page.data.map((member) => [member.email, member.role, fullName(member), member.id]);
  const isTotalExact = isMemberCountExact(page, offset, search);
  return formatPage(['EMAIL', 'ROLE', 'NAME', 'ID'], rows, offset, page.total_count, isTotalExact);
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
