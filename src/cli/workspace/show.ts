import type { Command } from 'commander';
import type { One } from '../../client/answers.ts';
import type { Workspace } from '../../client/organization-answers.ts';
import { type AnswerOptions, printAnswer } from '../api-command.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { workspacePath } from '../organization/path.ts';
import { paintForOutput } from '../paint.ts';
import { workspaceArgument } from './argument.ts';
import { renderWorkspace } from './render-workspace.ts';

export function showCommand(): Command {
  return organizationCommand('show')
    .description('show what is known of a workspace')
    .addArgument(workspaceArgument())
    .action(show);
}

async function show(workspace: string, options: AnswerOptions): Promise<void> {
  const answer = await connectToOrganization().send<One<Workspace>>({ path: workspacePath(workspace) });
  printAnswer(answer, options, ({ data }) => renderWorkspace(data, paintForOutput));
}
