import type { Command } from 'commander';
import type { Page } from '../../client/answers.ts';
import type { Workspace } from '../../client/organization-answers.ts';
import { type AnswerOptions, printAnswer } from '../api-command.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { type PageOptions, withPage } from '../page-options.ts';
import { renderWorkspaces } from './render-workspace.ts';

export function listCommand(): Command {
  return withPage(organizationCommand('list')).description('list workspaces, the oldest first').action(list);
}

async function list(options: AnswerOptions & PageOptions): Promise<void> {
  const { limit, offset } = options;
  const query = { limit, offset };
  const answer = await connectToOrganization().send<Page<Workspace>>({ path: '/workspaces', query });
  printAnswer(answer, options, (page) => renderWorkspaces(page, offset));
}
