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
    .description('list the management keys and the API keys of a workspace, the newest first')
    .option(
      '--workspace <id or slug>',
      'only the API keys of this one (default: management keys, and API keys of the default one)',
      parseIdentifier,
    )
    .option('--all', 'also those that are disabled')
    .option('--offset <count>', 'how many to skip', parseCount, 0)
    .action(list);
}

interface ListOptions extends OutputOptions {
  readonly workspace?: string;
  readonly all?: true;
  readonly offset: number;
}

async function list(options: ListOptions): Promise<void> {
  const { workspace, all, offset } = options;
  const api = connectToOrganization();
  const answer = await api.send<{ readonly data: readonly Key[] }>({
    path: '/keys',
    query: {
      include_disabled: all ? 'true' : undefined,
      workspace_id: await workspaceIdOf(api, workspace),
      offset,
    },
  });
  printResponse(answer, options, ({ data }) => renderKeys(data, offset, systemClock()));
}
