import type { Command } from 'commander';
import type { Workspace } from '../../api/workspaces.ts';
import type { Page } from '../../client/answers.ts';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { type PageOptions, withPageOptions } from '../page-options.ts';
import { renderWorkspaces } from './render-workspace.ts';

export function listCommand(): Command {
  return withPageOptions(organizationCommand('list'))
    .description('List workspaces, oldest first')
    .action(list);
}

async function list(options: OutputOptions & PageOptions): Promise<void> {
  const { limit, offset } = options;
  const query = { limit, offset };
  const response = await connectToOrganization().send<Page<Workspace>>({ path: '/workspaces', query });
  printResponse(response, options, (page) => renderWorkspaces(page, offset));
}
