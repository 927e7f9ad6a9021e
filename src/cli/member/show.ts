import type { Command } from 'commander';
import type { One } from '../../client/answers.ts';
import type { Member } from '../../client/organization-answers.ts';
import { type OutputOptions, printResponse } from '../api-command.ts';
import { connectToOrganization, organizationCommand } from '../organization/command.ts';
import { memberPath } from '../organization/path.ts';
import { paintForStdout } from '../paint.ts';
import { memberArgument } from './options.ts';
import { renderMember } from './render-member.ts';

export function showCommand(): Command {
  return organizationCommand('show').description('Show a member').addArgument(memberArgument()).action(show);
}

/** The API accepts an e-mail address in place of the ID, so no lookup is needed. */
async function show(member: string, options: OutputOptions): Promise<void> {
  const response = await connectToOrganization().send<One<Member>>({ path: memberPath(member) });
  printResponse(response, options, ({ data }) => renderMember(data, paintForStdout));
}
