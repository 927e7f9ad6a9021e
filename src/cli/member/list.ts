import type { Command } from 'commander';
import type { Page } from '../../client/answers.ts';
import type { Member } from '../../client/organization-answers.ts';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { type PageOptions, withPageOptions } from '../page-options.ts';
import { renderMembers } from './render-member.ts';

export function listCommand(): Command {
  return withPageOptions(organizationCommand('list'))
    .description('list members in the order in which they joined')
    .option('--search <text>', 'only members whose name or e-mail address has words starting with this text')
    .action(list);
}

interface ListOptions extends OutputOptions, PageOptions {
  readonly search?: string;
}

async function list(options: ListOptions): Promise<void> {
  const { search, limit, offset } = options;
  const answer = await connectToOrganization().send<Page<Member>>({
    path: '/organization/members',
    query: { q: search, limit, offset },
  });
  printResponse(answer, options, (page) => renderMembers(page, offset, search));
}
