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
    .description('refuse a key from now on; all servers follow within a second, and "enable" takes it back')
    .addArgument(keyArgument())
    .action((key: string, options: OutputOptions) => setDisabled(key, true, options));
}

export function enableCommand(): Command {
  return organizationCommand('enable')
    .description('let a key that was disabled work again')
    .addArgument(keyArgument())
    .action((key: string, options: OutputOptions) => setDisabled(key, false, options));
}

async function setDisabled(key: string, disabled: boolean, options: OutputOptions): Promise<void> {
  const answer = await connectToOrganization().send<One<Key>>({
    method: 'PATCH',
    path: keyPath(key),
    body: JSON.stringify({ disabled }),
  });
  printResponse(answer, options, ({ data }) => `${disabled ? 'Disabled' : 'Enabled'} ${describeKey(data)}.`);
}
