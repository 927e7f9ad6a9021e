import type { Command } from 'commander';
import type { One } from '../../client/answers.ts';
import type { Member } from '../../client/organization-answers.ts';
import { oneLine } from '../../client/printable.ts';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { UsageError } from '../command-error.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { memberPath } from '../organization/path.ts';
import { type MemberOptions, memberArgument, memberOptions, toWire } from './options.ts';

export function editCommand(): Command {
  const command = organizationCommand('edit')
    .description('Change the name or role of a member')
    .addArgument(memberArgument());
  for (const option of memberOptions()) command.addOption(option);
  return command.action(edit);
}

async function edit(member: string, options: OutputOptions & MemberOptions): Promise<void> {
  const changes = toWire(options);
  // For the confirmation: "last name, role".
  const changed = Object.keys(changes).map((name) => name.replace('_', ' '));
  if (changed.length === 0)
    throw new UsageError('Nothing to change. Use --first-name, --last-name or --role.');
  const response = await connectToOrganization().send<One<Member>>({
    method: 'PATCH',
    path: memberPath(member),
    body: JSON.stringify(changes),
  });
  printResponse(response, options, ({ data }) => `Updated ${changed.join(', ')} of ${oneLine(data.email)}.`);
}
