import type { Command } from 'commander';
import { oneLine } from '../../client/printable.ts';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { findMember } from '../organization/find.ts';
import { memberPath } from '../organization/path.ts';
import { memberArgument } from './options.ts';

export function removeCommand(): Command {
  return organizationCommand('remove')
    .description('Remove a member and disable their keys; their presets stay')
    .addArgument(memberArgument())
    .action(remove);
}

/**
 * Looks the member up first, so that the confirmation names the e-mail address even if an ID was
 * given.
 */
async function remove(member: string, options: OutputOptions): Promise<void> {
  const api = connectToOrganization();
  const { id, email } = await findMember(api, member);
  const response = await api.send({ method: 'DELETE', path: memberPath(id) });
  printResponse(response, options, () => `Removed ${oneLine(email)}.`);
}
