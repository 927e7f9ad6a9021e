import type { Command } from 'commander';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { findKey } from '../organization/find.ts';
import { keyPath } from '../organization/path.ts';
import { keyArgument } from './argument.ts';
import { describeKey } from './render-key.ts';

export function deleteCommand(): Command {
  return organizationCommand('delete')
    .description('refuse a key from now on and for good; only the audit still knows it')
    .addArgument(keyArgument())
    .action(deleteKey);
}

async function deleteKey(key: string, options: OutputOptions): Promise<void> {
  const api = connectToOrganization();
  const found = await findKey(api, key);
  const answer = await api.send({ method: 'DELETE', path: keyPath(found.hash) });
  printResponse(answer, options, () => `Deleted ${describeKey(found)}.`);
}
