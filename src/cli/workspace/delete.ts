import type { Command } from 'commander';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { findWorkspace } from '../organization/find.ts';
import { workspacePath } from '../organization/path.ts';
import { workspaceArgument } from './argument.ts';

export function deleteCommand(): Command {
  return organizationCommand('delete')
    .description('Delete a workspace without active keys; its presets become unreachable')
    .addArgument(workspaceArgument())
    .action(deleteWorkspace);
}

/**
 * Looks the workspace up first, so that the confirmation names the slug even if an ID was given.
 */
async function deleteWorkspace(workspace: string, options: OutputOptions): Promise<void> {
  const api = connectToOrganization();
  const { id, slug } = await findWorkspace(api, workspace);
  const response = await api.send({ method: 'DELETE', path: workspacePath(id) });
  printResponse(response, options, () => `Deleted workspace ${slug}.`);
}
