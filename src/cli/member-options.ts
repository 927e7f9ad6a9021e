import { Argument, type Command, InvalidArgumentError } from 'commander';
import { definedFields } from '../core/json/defined-fields.ts';
import { isEmail, type Role, roles } from '../core/organization/organization.ts';
import { parseRole } from '../member-import/people-parser.ts';
import { parseName } from './options.ts';

export interface MemberOptions {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly role?: Role;
}

/** Adds the options that `add`, `edit` and `invite` share. */
export function withMemberOptions(command: Command): Command {
  return command
    .option('--first-name <text>', 'First name', parseName)
    .option('--last-name <text>', 'Last name', parseName)
    .option('--role <role>', `Role: ${roles.join(' or ')}`, parseRoleOption);
}

export function emailArgument(): Argument {
  return new Argument('<email>', 'Email address').argParser(parseEmail);
}

export function parseEmail(text: string): string {
  if (isEmail(text)) return text;
  throw new InvalidArgumentError('Must be an email address.');
}

function parseRoleOption(text: string): Role {
  const role = parseRole(text);
  if (role !== undefined) return role;
  throw new InvalidArgumentError(`Must be ${roles.join(' or ')}.`);
}

export function memberFields({ firstName, lastName, role }: MemberOptions) {
  return definedFields({ first_name: firstName, last_name: lastName, role });
}
