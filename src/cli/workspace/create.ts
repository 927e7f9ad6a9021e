import type { Command } from 'commander';
import type { One } from '../../client/answers.ts';
import type { Workspace } from '../../client/organization-answers.ts';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';

export function createCommand(): Command {
  return organizationCommand('create')
    .description('make a workspace; whoever makes it is its first member')
    .argument('<slug>', 'its name in commands and URLs: small letters, digits, and - between them')
    .option('--name <text>', 'what people call it (default: the slug)')
    .option('--description <text>', 'what it is for')
    .action(create);
}

interface CreateOptions extends OutputOptions {
  readonly name?: string;
  readonly description?: string;
}

async function create(slug: string, options: CreateOptions): Promise<void> {
  const { name = slug, description } = options;
  const answer = await connectToOrganization().send<One<Workspace>>({
    method: 'POST',
    path: '/workspaces',
    body: JSON.stringify({ slug, name, description: description || undefined }),
  });
  printResponse(answer, options, ({ data }) => `Made the workspace ${data.slug} (${data.id}).`);
}
