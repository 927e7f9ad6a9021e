import { Argument, type Command } from 'commander';
import type { One } from '../../client/answers.ts';
import type { Member } from '../../client/organization-answers.ts';
import { oneLine } from '../../client/printable.ts';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { type MemberOptions, memberOptions, parseEmail, toWire } from './options.ts';

export function addCommand(): Command {
  const command = organizationCommand('add')
    .description('Add a member, as org:member unless --role is given')
    .addArgument(new Argument('<email>', 'E-mail address').argParser(parseEmail));
  for (const option of memberOptions()) command.addOption(option);
  return command.action(add);
}

/**
 * The person gets no e-mail: a member is someone who can own keys, and an admin hands those over.
 */
async function add(email: string, options: OutputOptions & MemberOptions): Promise<void> {
  const response = await connectToOrganization().send<One<Member>>({
    method: 'POST',
    path: '/organization/members',
    body: JSON.stringify({ email, ...toWire(options) }),
  });
  printResponse(
    response,
    options,
    ({ data }) => `Added ${oneLine(data.email)} as ${data.role} (${data.id}).`,
  );
}
