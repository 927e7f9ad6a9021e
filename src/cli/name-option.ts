import { InvalidArgumentError } from 'commander';
import { isName, nameRule } from '../core/organization/organization.ts';

/** Names of members and keys. The server checks them too; here the message names the option. */
export function parseName(text: string): string {
  if (isName(text)) return text;
  throw new InvalidArgumentError(`The name ${nameRule}.`);
}
