import type { Command } from 'commander';
import type { One } from '../../client/answers.ts';
import type { Workspace } from '../../client/organization-answers.ts';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { UsageError } from '../command-error.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { workspacePath } from '../organization/path.ts';
import { workspaceArgument } from './argument.ts';

export function editCommand(): Command {
  return organizationCommand('edit')
    .description('change what a workspace is called and what it is for')
    .addArgument(workspaceArgument())
    .option('--name <text>', 'what people call it')
    .option('--slug <slug>', 'its name in commands and URLs; the one before is free then')
    .option('--description <text>', 'what it is for; an empty text removes it')
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
  if (changed.length === 0)
    throw new UsageError('There is nothing to change: give --name, --slug or --description.');
  const answer = await connectToOrganization().send<One<Workspace>>({
    method: 'PATCH',
    path: workspacePath(workspace),
    body: JSON.stringify(changes),
  });
  printResponse(
    answer,
    options,
    ({ data }) => `Changed ${changed.join(', ')} of the workspace ${data.slug}.`,
  );
}
