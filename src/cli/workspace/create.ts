import type { Command } from 'commander';
import type { Workspace } from '../../api/workspaces.ts';
import type { One } from '../../client/answers.ts';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';

/** The owner of the key becomes the first member. */
export function createCommand(): Command {
  return organizationCommand('create')
    .description('Create a workspace')
    .argument('<slug>', 'Name in commands and URLs: lowercase letters, digits and inner hyphens')
    .option('--name <text>', 'Display name (default: the slug)')
    .option('--description <text>', 'Description')
    .action(create);
}

interface CreateOptions extends OutputOptions {
  readonly name?: string;
  readonly description?: string;
}

async function create(slug: string, options: CreateOptions): Promise<void> {
  const { name = slug, description } = options;
  const response = await connectToOrganization().send<One<Workspace>>({
    method: 'POST',
    path: '/workspaces',
    body: JSON.stringify({ slug, name, description: description || undefined }),
  });
  printResponse(response, options, ({ data }) => `Created workspace ${data.slug} (${data.id}).`);
}
