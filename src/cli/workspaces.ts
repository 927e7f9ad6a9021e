import { Argument, Command, Option } from 'commander';
import type { ResponseOf } from '../api/client.ts';
import { userIdsMax } from '../api/limits.ts';
import type { Member } from '../api/members.ts';
import type { Workspace } from '../api/workspaces.ts';
import { definedFields } from '../core/json/defined-fields.ts';
import { type WorkspaceRole, workspaceRoles } from '../core/organization/workspace-role.ts';
import { oneLine } from '../core/text/printable.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import {
  connectToOrganization,
  organizationCommand,
  printJson,
  printResponse,
  type ServerOptions,
  serverCommand,
} from './api-command.ts';
import { CommandError, MisuseError } from './command-error.ts';
import { connectionFor } from './connection.ts';
import { contentLogCommand } from './content-log.ts';
import {
  memberArgument,
  type PageOptions,
  parseIdentifier,
  repeated,
  withPageOptions,
  workspaceArgument,
} from './options.ts';
import { findMember, findWorkspace } from './organization-lookup.ts';
import { chooseWorkspace } from './profile-workspace.ts';
import { type Paint, paintForStdout, print } from './ui/output.ts';
import { formatPage, optionalColumn, renderKeyValueList, textColumn } from './ui/table.ts';
import { shortTime } from './ui/text.ts';

export function workspaceCommand(): Command {
  return new Command('workspace')
    .description(
      'Manage workspaces and their members on the server at PRESETD_URL, with the key in PRESETD_MANAGEMENT_KEY, or on the server of your profile',
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(switchCommand())
    .addCommand(createCommand())
    .addCommand(editCommand())
    .addCommand(contentLogCommand())
    .addCommand(deleteCommand())
    .addCommand(membersCommand())
    .addCommand(addMemberCommand())
    .addCommand(editMemberCommand())
    .addCommand(removeMemberCommand());
}

function listCommand(): Command {
  return withPageOptions(organizationCommand('list'))
    .description('List workspaces, oldest first')
    .action(list);
}

async function list(options: ServerOptions & PageOptions): Promise<void> {
  const { limit, offset } = options;
  const response = await connectToOrganization(options).call('GET /workspaces', { query: { limit, offset } });
  printResponse(response, options, (page) => renderWorkspaces(page, offset));
}

function showCommand(): Command {
  return organizationCommand('show')
    .description('Show a workspace')
    .addArgument(workspaceArgument())
    .action(show);
}

async function show(workspace: string, options: ServerOptions): Promise<void> {
  const api = connectToOrganization(options);
  const response = await api.call('GET /workspaces/:id', { params: { id: workspace } });
  if (options.json) return printJson(response);
  const { data } = response.content;
  // The API returns the creator's ID; people know each other by address.
  const creator = data.created_by === null ? undefined : await emailOrId(api, data.created_by);
  print(renderWorkspace(data, creator, paintForStdout));
}

function switchCommand(): Command {
  return serverCommand('use')
    .description('Choose the workspace that commands use with your profile')
    .addArgument(workspaceArgument())
    .action(switchWorkspace);
}

/** A key of the environment has its own workspace, and nowhere to save the choice. */
async function switchWorkspace(workspace: string, options: Pick<ServerOptions, 'profile'>): Promise<void> {
  const connection = connectionFor('management', options.profile);
  const { profile, keySetting } = connection;
  if (profile === undefined)
    throw new MisuseError(
      `The key is in ${keySetting}, and only a profile has a workspace. Name a profile with --profile, or sign in with "presetd login".`,
    );
  const { slug } = await chooseWorkspace(createApiClient(connection), profile, workspace);
  print(`Commands with profile ${profile} now use workspace ${slug}.`);
}

/** Falls back to the ID if the member has left or this key may not read members. */
async function emailOrId(api: ApiClient, id: string): Promise<string> {
  try {
    return (await findMember(api, id)).email;
  } catch (error) {
    if (error instanceof CommandError && /^(not_found|authentication)$/.test(error.kind)) return id;
    throw error;
  }
}

/** The owner of the key becomes the first member. */
function createCommand(): Command {
  return organizationCommand('create')
    .description('Create a workspace')
    .argument('<slug>', 'Name in commands and URLs: lowercase letters, digits and inner hyphens')
    .option('--name <text>', 'Display name (default: the slug)')
    .option('--description <text>', 'Description')
    .action(create);
}

interface CreateOptions extends ServerOptions {
  readonly name?: string;
  readonly description?: string;
}

async function create(slug: string, options: CreateOptions): Promise<void> {
  const { name = slug, description } = options;
  const response = await connectToOrganization(options).call('POST /workspaces', {
    body: { slug, name, ...definedFields({ description: description || undefined }) },
  });
  printResponse(response, options, ({ data }) => `Created workspace ${data.slug} (${data.id}).`);
}

function editCommand(): Command {
  return organizationCommand('edit')
    .description('Change the name, slug or description of a workspace')
    .addArgument(workspaceArgument())
    .option('--name <text>', 'Display name')
    .option('--slug <slug>', 'Name in commands and URLs; the old one becomes available')
    .option('--description <text>', 'Description; "" removes it')
    .action(edit);
}

interface EditOptions extends ServerOptions {
  readonly name?: string;
  readonly slug?: string;
  readonly description?: string;
}

async function edit(workspace: string, options: EditOptions): Promise<void> {
  const { name, slug, description } = options;
  const changes = definedFields({ name, slug, description: description === '' ? null : description });
  const changed = Object.keys(changes);
  if (changed.length === 0) throw new MisuseError('Nothing to change. Use --name, --slug or --description.');
  const response = await connectToOrganization(options).call('PATCH /workspaces/:id', {
    params: { id: workspace },
    body: changes,
  });
  // Names the workspace by its slug after the change, which may be a new one.
  printResponse(response, options, ({ data }) => `Updated ${changed.join(', ')} of workspace ${data.slug}.`);
}

function deleteCommand(): Command {
  return organizationCommand('delete')
    .description('Delete a workspace without active keys; its presets become unreachable')
    .addArgument(workspaceArgument())
    .action(deleteWorkspace);
}

/**
 * Looks the workspace up first, so that the confirmation names the slug even if an ID was given.
 */
async function deleteWorkspace(workspace: string, options: ServerOptions): Promise<void> {
  const api = connectToOrganization(options);
  const { id, slug } = await findWorkspace(api, workspace);
  const response = await api.call('DELETE /workspaces/:id', { params: { id } });
  printResponse(response, options, () => `Deleted workspace ${slug}.`);
}

function membersCommand(): Command {
  return withPageOptions(organizationCommand('members'))
    .description('List the members of a workspace in the order they joined')
    .addArgument(workspaceArgument())
    .action(members);
}

function addMemberCommand(): Command {
  return organizationCommand('add-member')
    .description('Add members of the organization to a workspace')
    .addArgument(workspaceArgument())
    .addArgument(peopleArgument())
    .addOption(roleOption('Role in the workspace (default: admin)'))
    .action(addMembers);
}

function editMemberCommand(): Command {
  return organizationCommand('edit-member')
    .description('Change the role of a member in a workspace')
    .addArgument(workspaceArgument())
    .addArgument(memberArgument())
    .addOption(roleOption('Role in the workspace (required)').makeOptionMandatory())
    .action(editMember);
}

function roleOption(description: string): Option {
  return new Option('--role <role>', description).choices(workspaceRoles);
}

function removeMemberCommand(): Command {
  return organizationCommand('remove-member')
    .description('Remove members without active keys from a workspace')
    .addArgument(workspaceArgument())
    .addArgument(peopleArgument())
    .action(removeMembers);
}

function peopleArgument(): Argument {
  return new Argument('<member...>', 'Email addresses or IDs of the members').argParser(
    repeated(parseIdentifier),
  );
}

async function members(workspace: string, options: ServerOptions & PageOptions): Promise<void> {
  const { limit, offset } = options;
  const response = await connectToOrganization(options).call('GET /workspaces/:id/members', {
    params: { id: workspace },
    query: { limit, offset },
  });
  printResponse(response, options, (page) => renderWorkspaceMembers(page, offset));
}

async function addMembers(
  workspace: string,
  people: readonly string[],
  options: ServerOptions & { readonly role?: WorkspaceRole },
): Promise<void> {
  const { api, user_ids } = await findMembers(people, options);
  const response = await api.call('POST /workspaces/:id/members/add', {
    params: { id: workspace },
    body: { user_ids, ...definedFields({ role: options.role }) },
  });
  printResponse(response, options, ({ data }) =>
    data.length === 0
      ? `Nobody was added: all of them are already members of ${workspace}.`
      : `Added ${data.map(({ email }) => oneLine(email)).join(', ')} to ${workspace}${options.role === undefined ? '' : ` as ${options.role}`}.`,
  );
}

async function editMember(
  workspace: string,
  member: string,
  options: ServerOptions & { readonly role: WorkspaceRole },
): Promise<void> {
  const api = connectToOrganization(options);
  const { id: user_id } = await findMember(api, member);
  const response = await api.call('PATCH /workspaces/:id/members/:user_id', {
    params: { id: workspace, user_id },
    body: { role: options.role },
  });
  printResponse(response, options, ({ data }) =>
    oneLine(`${data.email} is now ${data.workspace_role} of ${workspace}.`),
  );
}

async function removeMembers(
  workspace: string,
  people: readonly string[],
  options: ServerOptions,
): Promise<void> {
  const { api, found, user_ids } = await findMembers(people, options);
  const response = await api.call('POST /workspaces/:id/members/remove', {
    params: { id: workspace },
    body: { user_ids },
  });
  printResponse(response, options, ({ removed_count: count }) => {
    if (count === 0) return `Nobody was removed: none of them is a member of ${workspace}.`;
    const emails = [...new Set(found.map(({ email }) => oneLine(email)))];
    // The server returns only a number: it does not say who was not a member.
    if (count === emails.length) return `Removed ${emails.join(', ')} from ${workspace}.`;
    return `Removed ${count} of ${emails.length} people from ${workspace}; the others were not members.`;
  });
}

/** The API takes user IDs, so addresses are resolved first. Duplicates are sent once. */
async function findMembers(people: readonly string[], options: ServerOptions) {
  if (people.length > userIdsMax) throw new MisuseError(`Name at most ${userIdsMax} members at a time.`);
  const api = connectToOrganization(options);
  // One at a time, so that the error names the first one that does not exist.
  const found: Member[] = [];
  for (const person of people) found.push(await findMember(api, person));
  return { api, found, user_ids: [...new Set(found.map(({ id }) => id))] };
}

export function renderWorkspaces(
  { data, total_count }: ResponseOf<'GET /workspaces'>,
  offset: number,
): string {
  const rows = data.map((workspace) => [
    workspace.slug,
    membersOf(workspace),
    shortTime(workspace.created_at),
    workspace.name,
    workspace.id,
  ]);
  const header = ['SLUG', 'MEMBERS', 'CREATED', textColumn('NAME'), optionalColumn('ID')];
  return formatPage(header, rows, offset, total_count);
}

/** `creator` is undefined if the server does not know who created the workspace. */
export function renderWorkspace(workspace: Workspace, creator: string | undefined, paint: Paint): string {
  return renderKeyValueList(
    workspace.slug,
    [
      ['name', workspace.name],
      ['description', workspace.description ?? ''],
      ['members', membersOf(workspace)],
      ['content log', workspace.is_observability_io_logging_enabled ? 'on' : ''],
      ['created', `${shortTime(workspace.created_at)}${creator === undefined ? '' : ` by ${creator}`}`],
      ['updated', workspace.updated_at === null ? '' : shortTime(workspace.updated_at)],
      ['id', workspace.id],
    ],
    paint,
  );
}

/** The server names the role in the organization "admin" or "member", without "org:". */
export function renderWorkspaceMembers(
  { data, total_count }: ResponseOf<'GET /workspaces/:id/members'>,
  offset: number,
): string {
  const rows = data.map((member) => [
    member.email,
    member.workspace_role,
    `org:${member.role}`,
    shortTime(member.created_at),
    member.user_id,
  ]);
  const header = ['EMAIL', 'ROLE', 'ORGANIZATION', optionalColumn('JOINED', 1), optionalColumn('ID')];
  return formatPage(header, rows, offset, total_count);
}

/** Everyone in the organization belongs to the default workspace. */
function membersOf({ member_count, is_default }: Workspace): string {
  return is_default ? `${member_count} (everyone)` : String(member_count);
}
