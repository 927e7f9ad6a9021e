import type { Command } from 'commander';
import type { Key } from '../../client/organization-answers.ts';
import { systemClock } from '../../core/clock.ts';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { parseCount } from '../count-option.ts';
import { parseIdentifier } from '../identifier-option.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { workspaceIdOf } from '../organization/find.ts';
import { renderKeys } from './render-key.ts';

export function listCommand(): Command {
  return organizationCommand('list')
    .description('List keys, newest first')
    .option(
      '--workspace <id or slug>',
      'Only API keys of this workspace (default: management keys and API keys of the default workspace)',
      parseIdentifier,
    )
    .option('--all', 'Include disabled keys')
    .option('--offset <count>', 'Number of keys to skip', parseCount, 0)
    .action(list);
}

interface ListOptions extends OutputOptions {
  readonly workspace?: string;
  readonly all?: true;
  readonly offset: number;
}

/**
 * Without a workspace the server lists management keys too, since they belong to none. There is no
 * `--limit`: the API has a fixed page size.
 */
async function list(options: ListOptions): Promise<void> {
  const { workspace, all, offset } = options;
  const api = connectToOrganization();
  const response = await api.send<{ readonly data: readonly Key[] }>({
    path: '/keys',
    query: {
      include_disabled: all ? 'true' : undefined,
      workspace_id: await workspaceIdOf(api, workspace),
      offset,
    },
  });
  printResponse(response, options, ({ data }) => renderKeys(data, offset, systemClock()));
}
