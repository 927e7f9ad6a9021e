import type { Command } from 'commander';
import type { One } from '../../client/answers.ts';
import type { Key } from '../../client/organization-answers.ts';
import { systemClock } from '../../core/clock.ts';
import { type OutputOptions, printJson } from '../api-command.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { findWorkspace } from '../organization/find.ts';
import { keyPath } from '../organization/path.ts';
import { print } from '../output.ts';
import { paintForStdout } from '../paint.ts';
import { keyArgument } from './argument.ts';
import { renderKey } from './render-key.ts';

export function showCommand(): Command {
  return organizationCommand('show').description('Show a key').addArgument(keyArgument()).action(show);
}

async function show(key: string, options: OutputOptions): Promise<void> {
  const api = connectToOrganization();
  const response = await api.send<One<Key>>({ path: keyPath(key) });
  if (options.json) return printJson(response);
  const { data } = response.content;
  // A management key works in all workspaces, although the server returns the ID of one.
  const workspace =
    data.kind === 'management' || data.workspace_id === null
      ? undefined
      : await findWorkspace(api, data.workspace_id);
  print(renderKey(data, workspace, systemClock(), paintForStdout));
}
