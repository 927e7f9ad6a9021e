import type { Command } from 'commander';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { findKey } from '../organization/find.ts';
import { keyPath } from '../organization/path.ts';
import { keyArgument } from './argument.ts';
import { describeKey } from './render-key.ts';

export function deleteCommand(): Command {
  return organizationCommand('delete')
    .description('Delete a key permanently')
    .addArgument(keyArgument())
    .action(deleteKey);
}

/** Looks the key up first: the response to DELETE does not say which key it was. */
async function deleteKey(key: string, options: OutputOptions): Promise<void> {
  const api = connectToOrganization();
  const found = await findKey(api, key);
  const response = await api.send({ method: 'DELETE', path: keyPath(found.hash) });
  printResponse(response, options, () => `Deleted ${describeKey(found)}.`);
}
