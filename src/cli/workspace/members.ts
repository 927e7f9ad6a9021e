import { Argument, type Command } from 'commander';
import type { WorkspaceMember } from '../../api/workspaces.ts';
import type { Page } from '../../client/answers.ts';
import type { Member } from '../../client/organization-answers.ts';
import { oneLine } from '../../client/printable.ts';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { UsageError } from '../command-error.ts';
import { parseIdentifier } from '../identifier-option.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { findMembers } from '../organization/find.ts';
import { workspacePath } from '../organization/path.ts';
import { type PageOptions, withPageOptions } from '../page-options.ts';
import { workspaceArgument } from './argument.ts';
import { renderWorkspaceMembers } from './render-workspace.ts';

/** The server's limit per request. */
const peopleMax = 100;

export function membersCommand(): Command {
  return withPageOptions(organizationCommand('members'))
    .description('List the members of a workspace in the order they joined')
    .addArgument(workspaceArgument())
    .action(members);
}

export function addMemberCommand(): Command {
  return organizationCommand('add-member')
    .description('Add members of the organization to a workspace')
    .addArgument(workspaceArgument())
    .addArgument(peopleArgument())
    .action(addMembers);
}

export function removeMemberCommand(): Command {
  return organizationCommand('remove-member')
    .description('Remove members without active keys from a workspace')
    .addArgument(workspaceArgument())
    .addArgument(peopleArgument())
    .action(removeMembers);
}

/** Commander calls the parser once per value and passes what it returned before. */
function peopleArgument(): Argument {
  return new Argument('<member...>', 'E-mail addresses or IDs of the members').argParser(
    (text: string, previous: readonly string[] = []) => [...previous, parseIdentifier(text)],
  );
}

async function members(workspace: string, options: OutputOptions & PageOptions): Promise<void> {
  const { limit, offset } = options;
  const path = workspacePath(workspace, 'members');
  const response = await connectToOrganization().send<Page<WorkspaceMember>>({
    path,
    query: { limit, offset },
  });
  printResponse(response, options, (page) => renderWorkspaceMembers(page, offset));
}

async function addMembers(
  workspace: string,
  people: readonly string[],
  options: OutputOptions,
): Promise<void> {
  const { response } = await send<{ data: readonly WorkspaceMember[] }>(workspace, 'add', people);
  printResponse(response, options, ({ data }) =>
    data.length === 0
      ? `Nobody was added: all of them are already members of ${workspace}.`
      : `Added ${data.map(({ email }) => oneLine(email)).join(', ')} to ${workspace}.`,
  );
}

async function removeMembers(
  workspace: string,
  people: readonly string[],
  options: OutputOptions,
): Promise<void> {
  const { response, found } = await send<{ removed_count: number }>(workspace, 'remove', people);
  printResponse(response, options, ({ removed_count: count }) => {
    if (count === 0) return `Nobody was removed: none of them is a member of ${workspace}.`;
    const emails = [...new Set(found.map(({ email }) => oneLine(email)))];
    // The server returns only a number: it does not say who was not a member.
    if (count === emails.length) return `Removed ${emails.join(', ')} from ${workspace}.`;
    return `Removed ${count} of ${emails.length} people from ${workspace}; the others were not members.`;
  });
}

/** The API takes user IDs, so addresses are resolved first. Duplicates are sent once. */
async function send<Content extends object>(
  workspace: string,
  action: 'add' | 'remove',
  people: readonly string[],
) {
  if (people.length > peopleMax) throw new UsageError(`Name at most ${peopleMax} members at a time.`);
  const api = connectToOrganization();
  const found: readonly Member[] = await findMembers(api, people);
  const response = await api.send<Content>({
    method: 'POST',
    path: workspacePath(workspace, 'members', action),
    body: JSON.stringify({ user_ids: [...new Set(found.map(({ id }) => id))] }),
  });
  return { response, found };
}
