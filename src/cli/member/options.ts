import { Argument, InvalidArgumentError, Option } from 'commander';
import { parseRole } from '../../client/member-import/parse-role.ts';
import { isEmail, type Role, roles } from '../../core/organization/organization.ts';
import { parseIdentifier } from '../identifier-option.ts';
import { parseName } from '../name-option.ts';

export interface MemberOptions {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly role?: Role;
}

export function memberArgument(): Argument {
  return new Argument('<member>', 'E-mail address or ID of the member').argParser(parseIdentifier);
}

/** The options that `add` and `edit` share. */
export function memberOptions(): readonly Option[] {
  return [
    new Option('--first-name <text>', 'First name').argParser(parseName),
    new Option('--last-name <text>', 'Last name').argParser(parseName),
    new Option('--role <role>', `Role: ${roles.join(' or ')}`).argParser(parseRoleOption),
  ];
}

export function parseEmail(text: string): string {
  if (isEmail(text)) return text;
  throw new InvalidArgumentError('Must be an e-mail address.');
}

function parseRoleOption(text: string): Role {
  const role = parseRole(text);
  if (role !== undefined) return role;
  throw new InvalidArgumentError(`Must be ${roles.join(' or ')}.`);
}

/**
 * Omits options that were not given: the API leaves absent fields unchanged, but clears empty ones.
 */
export function toWire({ firstName, lastName, role }: MemberOptions) {
  return {
    ...(firstName !== undefined && { first_name: firstName }),
    ...(lastName !== undefined && { last_name: lastName }),
    ...(role !== undefined && { role }),
  };
}
