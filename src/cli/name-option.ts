import { InvalidArgumentError } from 'commander';
import { isName, nameRule } from '../core/organization.ts';

export function parseName(text: string): string {
  if (isName(text)) return text;
  throw new InvalidArgumentError(`It ${nameRule}.`);
}
