import type { Command } from 'commander';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { findWorkspace } from '../organization/find.ts';
import { workspacePath } from '../organization/path.ts';
import { workspaceArgument } from './argument.ts';

export function deleteCommand(): Command {
  return organizationCommand('delete')
    .description('delete a workspace without active keys; its presets are out of reach then')
    .addArgument(workspaceArgument())
    .action(deleteWorkspace);
}

async function deleteWorkspace(workspace: string, options: OutputOptions): Promise<void> {
  const api = connectToOrganization();
  const { id, slug } = await findWorkspace(api, workspace);
  const answer = await api.send({ method: 'DELETE', path: workspacePath(id) });
  printResponse(answer, options, () => `Deleted the workspace ${slug}.`);
}
