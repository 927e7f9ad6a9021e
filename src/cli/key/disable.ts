import type { Command } from 'commander';
import type { One } from '../../client/answers.ts';
import type { Key } from '../../client/organization-answers.ts';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { keyPath } from '../organization/path.ts';
import { keyArgument } from './argument.ts';
import { describeKey } from './render-key.ts';

export function disableCommand(): Command {
  return organizationCommand('disable')
    .description('Disable a key; all servers reject it within a second')
    .addArgument(keyArgument())
    .action((key: string, options: OutputOptions) => setDisabled(key, true, options));
}

export function enableCommand(): Command {
  return organizationCommand('enable')
    .description('Enable a disabled key')
    .addArgument(keyArgument())
    .action((key: string, options: OutputOptions) => setDisabled(key, false, options));
}

/** Unlike deleting, this is reversible. Servers cache keys for up to a second, hence the delay. */
async function setDisabled(key: string, disabled: boolean, options: OutputOptions): Promise<void> {
  const response = await connectToOrganization().send<One<Key>>({
    method: 'PATCH',
    path: keyPath(key),
    body: JSON.stringify({ disabled }),
  });
  printResponse(
    response,
    options,
    ({ data }) => `${disabled ? 'Disabled' : 'Enabled'} ${describeKey(data)}.`,
  );
}
