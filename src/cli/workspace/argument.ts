import { Argument } from 'commander';
import { parseIdentifier } from '../identifier-option.ts';

export function workspaceArgument(): Argument {
  return new Argument('<workspace>', 'its slug or id').argParser(parseIdentifier);
}
