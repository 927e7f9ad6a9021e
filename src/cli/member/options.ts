import { Argument, InvalidArgumentError, Option } from 'commander';
import { parseRole } from '../../client/member-import/parse-role.ts';
import { isEmail, type Role, roles } from '../../core/organization.ts';
import { parseIdentifier } from '../identifier-option.ts';
import { parseName } from '../name-option.ts';

export interface MemberOptions {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly role?: Role;
}

export function memberArgument(): Argument {
  return new Argument('<member>', 'e-mail address or id').argParser(parseIdentifier);
}

export function memberOptions(): readonly Option[] {
  return [
    new Option('--first-name <text>', 'given name').argParser(parseName),
    new Option('--last-name <text>', 'family name').argParser(parseName),
    new Option('--role <role>', `what they may do: ${roles.join(' or ')}`).argParser(parseRoleOption),
  ];
}

export function parseEmail(text: string): string {
  if (isEmail(text)) return text;
  throw new InvalidArgumentError('It must be an e-mail address.');
}

function parseRoleOption(text: string): Role {
  const role = parseRole(text);
  if (role !== undefined) return role;
  throw new InvalidArgumentError(`It must be ${roles.join(' or ')}.`);
}

/** What is not given is not sent. */
export function toWire({ firstName, lastName, role }: MemberOptions) {
  return {
    ...(firstName !== undefined && { first_name: firstName }),
    ...(lastName !== undefined && { last_name: lastName }),
    ...(role !== undefined && { role }),
  };
}
