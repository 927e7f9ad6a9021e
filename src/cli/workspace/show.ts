import type { Command } from 'commander';
import type { Workspace } from '../../api/workspaces.ts';
import type { One } from '../../client/answers.ts';
import { type OutputOptions, printJson } from '../api-command.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { emailOrId } from '../organization/find.ts';
import { workspacePath } from '../organization/path.ts';
import { print } from '../output.ts';
import { paintForStdout } from '../paint.ts';
import { workspaceArgument } from './argument.ts';
import { renderWorkspace } from './render-workspace.ts';

export function showCommand(): Command {
  return organizationCommand('show')
    .description('Show a workspace')
    .addArgument(workspaceArgument())
    .action(show);
}

async function show(workspace: string, options: OutputOptions): Promise<void> {
  const api = connectToOrganization();
  const response = await api.send<One<Workspace>>({ path: workspacePath(workspace) });
  if (options.json) return printJson(response);
  const { data } = response.content;
  // The API returns the creator's ID; people know each other by address.
  const creator = data.created_by === null ? undefined : await emailOrId(api, data.created_by);
  print(renderWorkspace(data, creator, paintForStdout));
}
