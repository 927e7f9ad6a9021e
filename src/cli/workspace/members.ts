import { Argument, type Command } from 'commander';
import type { Page } from '../../client/answers.ts';
import type { Member, WorkspaceMember } from '../../client/organization-answers.ts';
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

/** As many as one request may name. */
const peopleMax = 100;

export function membersCommand(): Command {
  return withPageOptions(organizationCommand('members'))
    .description('list the members of a workspace in the order they joined')
    .addArgument(workspaceArgument())
    .action(members);
}

export function addMemberCommand(): Command {
  return organizationCommand('add-member')
    .description('let members of the organization work in a workspace')
    .addArgument(workspaceArgument())
    .addArgument(peopleArgument())
    .action(addMembers);
}

export function removeMemberCommand(): Command {
  return organizationCommand('remove-member')
    .description('take members out of a workspace where they have no active keys')
    .addArgument(workspaceArgument())
    .addArgument(peopleArgument())
    .action(removeMembers);
}

function peopleArgument(): Argument {
  return new Argument('<member...>', 'e-mail address or id of each').argParser(
    (text: string, before: readonly string[] = []) => [...before, parseIdentifier(text)],
  );
}

async function members(workspace: string, options: OutputOptions & PageOptions): Promise<void> {
  const { limit, offset } = options;
  const path = workspacePath(workspace, 'members');
  const answer = await connectToOrganization().send<Page<WorkspaceMember>>({
    path,
    query: { limit, offset },
  });
  printResponse(answer, options, (page) => renderWorkspaceMembers(page, offset));
}

async function addMembers(
  workspace: string,
  people: readonly string[],
  options: OutputOptions,
): Promise<void> {
  const { answer } = await send<{ data: readonly WorkspaceMember[] }>(workspace, 'add', people);
  printResponse(answer, options, ({ data }) =>
    data.length === 0
      ? `Nobody was added to ${workspace}: they are its members already.`
      : `Added ${data.map(({ email }) => oneLine(email)).join(', ')} to ${workspace}.`,
  );
}

async function removeMembers(
  workspace: string,
  people: readonly string[],
  options: OutputOptions,
): Promise<void> {
  const { answer, found } = await send<{ removed_count: number }>(workspace, 'remove', people);
  printResponse(answer, options, ({ removed_count: count }) => {
    if (count === 0) return `Nobody was removed from ${workspace}: they are not its members.`;
    const emails = [...new Set(found.map(({ email }) => oneLine(email)))];
    if (count === emails.length) return `Removed ${emails.join(', ')} from ${workspace}.`;
    return `Removed ${count} of ${emails.length} people from ${workspace}; the others were not its members.`;
  });
}

async function send<Content extends object>(
  workspace: string,
  action: 'add' | 'remove',
  people: readonly string[],
) {
  if (people.length > peopleMax) throw new UsageError(`Give at most ${peopleMax} people at a time.`);
  const api = connectToOrganization();
  const found: readonly Member[] = await findMembers(api, people);
  const answer = await api.send<Content>({
    method: 'POST',
    path: workspacePath(workspace, 'members', action),
    body: JSON.stringify({ user_ids: [...new Set(found.map(({ id }) => id))] }),
  });
  return { answer, found };
}
