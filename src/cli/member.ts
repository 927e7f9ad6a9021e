import { Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../core/clock.ts';
import { PresetdError } from '../core/errors.ts';
import { newUserId } from '../core/identifiers.ts';
import { isEmail, type Role, roles } from '../core/organization.ts';
import { parseCount, parseLimit } from './count-option.ts';
import { parseName } from './name-option.ts';
import { describePage, formatTable } from './table.ts';
import { type OrganizationContext, withOrganization } from './with-organization.ts';

export function memberCommand(): Command {
  const command = new Command('member');
  command
    .command('add')
    .description('add a person')
    .argument('<email>', 'e-mail address', parseEmail)
    .option('--first-name <text>', 'given name', parseName, '')
    .option('--last-name <text>', 'family name', parseName, '')
    .addOption(new Option('--role <role>', 'what they may do').choices(roles).default('org:member'))
    .action((email: string, options: AddOptions) =>
      withOrganization((context) => addMember(context, email, options)),
    );
  command
    .command('list')
    .description('list members in the order they joined')
    .option('--limit <count>', 'how many', parseLimit, 100)
    .option('--offset <count>', 'how many to skip', parseCount, 0)
    .action((page: { limit: number; offset: number }) =>
      withOrganization((context) => printMembers(context, page)),
    );
  command
    .command('remove')
    .description('remove a person: their keys stop working until they are added again, their presets stay')
    .argument('<email or id>')
    .action((idOrEmail: string) => withOrganization((context) => removeMember(context, idOrEmail)));
  return command;
}

interface AddOptions {
  readonly firstName: string;
  readonly lastName: string;
  readonly role: Role;
}

async function addMember(
  { storage, organization }: OrganizationContext,
  email: string,
  options: AddOptions,
): Promise<void> {
  const member = await storage.members.add({
    ...options,
    id: newUserId(),
    email,
    organizationId: organization.id,
    joinedAt: systemClock(),
  });
  console.log(`Added ${member.email} as ${member.role} (${member.id}).`);
}

async function printMembers(
  { storage, organization }: OrganizationContext,
  page: { limit: number; offset: number },
): Promise<void> {
  const found = await storage.members.list(organization.id, page);
  const rows = (found?.members ?? []).map((member) => [
    member.email,
    member.role,
    `${member.firstName} ${member.lastName}`.trim(),
    member.id,
  ]);
  console.log(formatTable(['EMAIL', 'ROLE', 'NAME', 'ID'], rows));
  console.log(describePage(page.offset, rows.length, found?.totalCount ?? 0));
}

async function removeMember(
  { storage, organization }: OrganizationContext,
  idOrEmail: string,
): Promise<void> {
  const member = await storage.members.remove(organization.id, idOrEmail);
  if (member === undefined) throw new PresetdError('not_found', `${idOrEmail} is not a member.`);
  console.log(`Removed ${member.email}.`);
}

function parseEmail(text: string): string {
  if (isEmail(text)) return text;
  throw new InvalidArgumentError('It must be an e-mail address.');
}
