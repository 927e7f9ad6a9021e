import type { Command } from 'commander';
import type { Workspace } from '../../api/workspaces.ts';
import type { One } from '../../client/answers.ts';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { UsageError } from '../command-error.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { workspacePath } from '../organization/path.ts';
import { workspaceArgument } from './argument.ts';

export function editCommand(): Command {
  return organizationCommand('edit')
    .description('Change the name, slug or description of a workspace')
    .addArgument(workspaceArgument())
    .option('--name <text>', 'Display name')
    .option('--slug <slug>', 'Name in commands and URLs; the old one becomes available')
    .option('--description <text>', 'Description; "" removes it')
    .action(edit);
}

interface EditOptions extends OutputOptions {
  readonly name?: string;
  readonly slug?: string;
  readonly description?: string;
}

async function edit(workspace: string, options: EditOptions): Promise<void> {
  const { name, slug, description } = options;
  const changes = {
    ...(name !== undefined && { name }),
    ...(slug !== undefined && { slug }),
    ...(description !== undefined && { description: description === '' ? null : description }),
  };
  const changed = Object.keys(changes);
  if (changed.length === 0) throw new UsageError('Nothing to change. Use --name, --slug or --description.');
  const response = await connectToOrganization().send<One<Workspace>>({
    method: 'PATCH',
    path: workspacePath(workspace),
    body: JSON.stringify(changes),
  });
  // Names the workspace by its slug after the change, which may be a new one.
  printResponse(response, options, ({ data }) => `Updated ${changed.join(', ')} of workspace ${data.slug}.`);
}
