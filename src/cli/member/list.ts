import type { Command } from 'commander';
import type { Page } from '../../client/answers.ts';
import type { Member } from '../../client/organization-answers.ts';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { type PageOptions, withPageOptions } from '../page-options.ts';
import { renderMembers } from './render-member.ts';

export function listCommand(): Command {
  return withPageOptions(organizationCommand('list'))
    .description('List members in the order they joined')
    .option('--search <text>', 'Only members whose name or e-mail address has words starting with this text')
    .action(list);
}

interface ListOptions extends OutputOptions, PageOptions {
  readonly search?: string;
}

async function list(options: ListOptions): Promise<void> {
  const { search, limit, offset } = options;
  const response = await connectToOrganization().send<Page<Member>>({
    path: '/organization/members',
    query: { q: search, limit, offset },
  });
  // A search does not always count to the end; the last line of the list then says "more than".
  printResponse(response, options, (page) => renderMembers(page, offset, search));
}
